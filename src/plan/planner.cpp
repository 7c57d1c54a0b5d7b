// SPDX-License-Identifier: Apache-2.0
#include "plan/planner.hpp"

#include "plan/build_plan.hpp"
#include "sgemm/error.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <iterator>

namespace sgemm::planning {
namespace {

using catalog::KernelEntry;
using catalog::Parameters;

std::string text_of(const Candidate& candidate) {
    std::string text(candidate.kernel->name);
    if (!candidate.parameters.empty()) {
        text += " (" + candidate.parameters.to_string() + ")";
    }
    return text;
}

Parameters complete(const KernelEntry& kernel, const Parameters& given) {
    Parameters parameters = kernel.defaults();
    for (const auto& [name, value] : given) {
        parameters.set(name, value);
    }
    return parameters;
}

void override_parameters(Candidate& candidate, const PlanOptions& options) {
    for (const auto& [name, value] : options.parameters) {
        if (candidate.kernel->find_parameter(name) == nullptr) {
            throw ArgumentError("parameters", name,
                                "must be a parameter of kernel " + options.kernel);
        }
        candidate.parameters.set(name, value);
    }
}

/// The kernel that the options force; null if they leave the choice open.
const KernelEntry* forced_kernel(const PlanOptions& options,
                                 const catalog::KernelCatalog& catalog) {
    if (options.kernel.empty()) {
        if (!options.parameters.empty()) {
            throw ArgumentError("parameters", options.parameters.begin()->first,
                                "can only be given together with a kernel");
        }
        return nullptr;
    }
    const KernelEntry* kernel = catalog.find(options.kernel);
    if (kernel == nullptr) {
        throw ArgumentError("kernel", options.kernel, "must name a kernel of the catalogue");
    }
    return kernel;
}

bool holds_kernel(const std::vector<Candidate>& candidates, const KernelEntry& kernel) {
    return std::any_of(candidates.begin(), candidates.end(),
                       [&](const Candidate& c) { return c.kernel == &kernel; });
}

/// Overridden parameters can make several rows of a table the same; the first stays.
void drop_repeated(std::vector<Candidate>& candidates) {
    std::vector<Candidate> kept;
    for (Candidate& candidate : candidates) {
        const bool known = std::any_of(kept.begin(), kept.end(), [&](const Candidate& other) {
            return other.kernel == candidate.kernel && other.parameters == candidate.parameters;
        });
        if (!known) {
            kept.push_back(std::move(candidate));
        }
    }
    candidates = std::move(kept);
}

/// Parameters of table rows and, where a kernel must be present but has no row, the defaults.
std::vector<Candidate> list_candidates(const PlanOptions& options, const PlanningContext& context,
                                       std::vector<Rejection>& rejected) {
    const KernelEntry* forced = forced_kernel(options, context.catalog);
    const PrePassStyle style =
        options.pre_passes == PrePassStyle::separate ? PrePassStyle::separate : PrePassStyle::fused;
    std::vector<Candidate> candidates;
    for (const tables::TableRow& row : context.table.rows) {
        const KernelEntry* kernel = context.catalog.find(row.kernel);
        if (kernel == nullptr) {
            rejected.push_back({row.kernel, "not in the catalogue (" + context.table.origin + ")"});
        } else if (forced == nullptr || kernel == forced) {
            candidates.push_back({kernel, complete(*kernel, row.parameters), row.model, style});
        }
    }
    const KernelEntry& needed = forced != nullptr ? *forced : context.catalog.naive();
    if (!holds_kernel(candidates, needed)) {
        candidates.push_back({&needed, needed.defaults(), {}, style});
    }
    for (Candidate& candidate : candidates) {
        override_parameters(candidate, options);
    }
    drop_repeated(candidates);
    return candidates;
}

/// Appends the candidate's plan or the reason why there is none.
void consider(const validate::CanonicalProblem& problem, const Candidate& candidate,
              EdgeStrategy edges, const PlanningContext& context, Ranking& ranking) {
    const auto obstacles =
        catalog::obstacles(*candidate.kernel, candidate.parameters, context.device);
    if (!obstacles.empty()) {
        ranking.rejected.push_back({text_of(candidate), support::join(obstacles, "; ")});
        return;
    }
    const PassContext passes{context.device, context.table.machine};
    const std::size_t limit = std::min(
        context.max_workspace_bytes, static_cast<std::size_t>(context.device.max_allocation_bytes));
    auto result = build_plan(problem, candidate, passes, edges, limit);
    if (auto* plan = std::get_if<PlanValue>(&result)) {
        ranking.plans.push_back(std::move(*plan));
    } else {
        ranking.rejected.push_back({text_of(candidate), std::get<Obstacle>(result).reason});
    }
}

[[noreturn]] void fail_unsupported(const std::vector<Rejection>& rejected) {
    std::vector<std::string> reasons;
    std::transform(rejected.begin(), rejected.end(), std::back_inserter(reasons),
                   [](const Rejection& r) { return r.candidate + ": " + r.reason; });
    throw UnsupportedError("no kernel can run this problem as asked: " +
                           support::join(reasons, "; "));
}

} // namespace

Ranking rank_plans(const validate::CanonicalProblem& problem, const PlanOptions& options,
                   const PlanningContext& context) {
    Ranking ranking;
    for (const Candidate& candidate : list_candidates(options, context, ranking.rejected)) {
        consider(problem, candidate, options.edges, context, ranking);
    }
    if (ranking.plans.empty()) {
        fail_unsupported(ranking.rejected);
    }
    std::stable_sort(ranking.plans.begin(), ranking.plans.end(),
                     [](const PlanValue& x, const PlanValue& y) {
                         return x.predicted_seconds < y.predicted_seconds;
                     });
    return ranking;
}

PlanValue scale_plan(const validate::CanonicalProblem& problem, const PlanningContext& context) {
    return build_scale_plan(problem, {context.device, context.table.machine});
}

} // namespace sgemm::planning
