// SPDX-License-Identifier: Apache-2.0
#include "plan/candidates.hpp"

#include "plan/check_options.hpp"
#include "plan/family/families.hpp"
#include "support/text.hpp"
#include "tables/disabled_kernels.hpp"

#include <algorithm>
#include <utility>

namespace libsgemm::planning {
namespace {

using catalog::KernelEntry;
using catalog::Parameters;
using validate::CanonicalProblem;

void override_parameters(Candidate& candidate, const PlanOptions& options) {
    for (const auto& [name, value] : options.parameters) {
        candidate.parameters.set(name, value);
    }
}

bool holds_kernel(const std::vector<Candidate>& candidates, const KernelEntry& kernel) {
    return std::any_of(candidates.begin(), candidates.end(),
                       [&](const Candidate& c) { return c.kernel == &kernel; });
}

bool holds_runnable(const std::vector<Candidate>& candidates, const KernelEntry& kernel,
                    const DeviceTraits& device) {
    return std::any_of(candidates.begin(), candidates.end(), [&](const Candidate& c) {
        return c.kernel == &kernel && catalog::obstacles(kernel, c.parameters, device).empty();
    });
}

/// The least of each parameter's search values.
Parameters smallest(const KernelEntry& kernel) {
    Parameters parameters;
    for (const catalog::ParameterSpec& spec : kernel.parameters) {
        parameters.set(spec.name, *std::min_element(spec.values.begin(), spec.values.end()));
    }
    return parameters;
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

/// One candidate per row, whether or not the device can run it.
std::vector<Candidate> list_all_rows(const ExpertPlanOptions& options, Precision precision,
                                     const PlanningContext& context,
                                     std::vector<Rejection>& rejected) {
    const KernelEntry* forced =
        options.kernel.empty() ? nullptr : context.catalog.find(options.kernel);
    Candidate plain;
    plain.variant.pre_passes =
        options.pre_passes == PrePassStyle::separate ? PrePassStyle::separate : PrePassStyle::fused;
    std::vector<Candidate> rows;
    const auto add = [&](const KernelEntry& kernel, const Parameters& parameters,
                         const tables::KernelModel& model, int index = -1) {
        Candidate row = plain;
        row.row = index;
        row.kernel = &kernel;
        row.parameters = kernel.completed(parameters);
        row.model = model;
        override_parameters(row, options);
        const auto* disabled = tables::find_disabled(context.table, kernel.name, row.parameters);
        if (disabled != nullptr) {
            rejected.push_back({row.to_string(), "disabled: " + disabled->reason});
            return;
        }
        rows.push_back(std::move(row));
    };
    for (const tables::TableRow& row : context.table.rows) {
        const KernelEntry* kernel = context.catalog.find(row.kernel);
        if (kernel == nullptr) {
            rejected.push_back({row.kernel, "not in the catalogue (" + context.table.origin + ")"});
        } else if (forced == nullptr ? is_allowed(*kernel, precision) : kernel == forced) {
            add(*kernel, row.parameters, row.model,
                static_cast<int>(&row - context.table.rows.data()));
        }
    }
    const KernelEntry& needed = forced != nullptr ? *forced : context.catalog.naive();
    // Rows may ask for more local memory than this device of the table's class has.
    const bool is_there = forced != nullptr ? holds_runnable(rows, needed, context.device)
                                            : holds_kernel(rows, needed);
    if (!is_there) {
        add(needed, {}, {});
    }
    if (forced == nullptr && !holds_runnable(rows, needed, context.device)) {
        add(needed, smallest(needed), {}); // a device of very small work-groups
    }
    drop_repeated(rows);
    return rows;
}

} // namespace

bool is_allowed(const KernelEntry& kernel, Precision precision) {
    return kernel.precision == Precision::strict || kernel.precision == precision ||
           precision == Precision::emulated;
}

std::vector<Candidate> list_rows(const ExpertPlanOptions& options, Precision precision,
                                 const PlanningContext& context, std::vector<Rejection>& rejected) {
    check_options(options, context.catalog);
    std::vector<Candidate> rows = list_all_rows(options, precision, context, rejected);
    // Tile shapes are only defined for parameters that keep the rules.
    std::erase_if(rows, [&](const Candidate& row) {
        const auto obstacles = catalog::obstacles(*row.kernel, row.parameters, context.device);
        if (!obstacles.empty()) {
            rejected.push_back({row.to_string(), support::join(obstacles, "; ")});
        }
        return !obstacles.empty();
    });
    return rows;
}

std::vector<Candidate> list_candidates(const CanonicalProblem& problem,
                                       const ExpertPlanOptions& options,
                                       const PlanningContext& context,
                                       std::vector<Rejection>& rejected) {
    std::vector<Candidate> candidates;
    for (const Candidate& row : list_rows(options, problem.precision, context, rejected)) {
        const auto variants = planner_of(*row.kernel).variants(row, problem, options, context);
        candidates.insert(candidates.end(), variants.begin(), variants.end());
    }
    return candidates;
}

} // namespace libsgemm::planning
