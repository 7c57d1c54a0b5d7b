// SPDX-License-Identifier: Apache-2.0
#include "plan/planner.hpp"

#include "plan/candidates.hpp"
#include "plan/check_options.hpp"
#include "plan/exact_choice.hpp"
#include "plan/family/families.hpp"
#include "plan/inputs.hpp"
#include "plan/peeled_plans.hpp"
#include "plan/precision.hpp"
#include "sgemm/error.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>

namespace libsgemm::planning {
namespace {

/// Whether a kernel may leave at once where the device's compiler is not trusted with that: PoCL
/// 3.1 loses track of barriers behind a return.
bool may_leave(const Candidate& candidate, const DeviceTraits& device) {
    return device.type != DeviceType::cpu ||
           candidate.kernel->tile(candidate.parameters).local_memory_bytes == 0;
}

/// The fastest strict plan of one launch whose kernel is conditional, or why there is none.
BuildResult conditional_plan(const validate::CanonicalProblem& problem,
                             const PlanningContext& context) {
    validate::CanonicalProblem strict = problem;
    strict.precision = Precision::strict;
    std::optional<PlanValue> best;
    std::vector<Rejection> rejected;
    for (const catalog::KernelEntry& kernel : context.catalog.entries()) {
        const auto* tiled = std::get_if<catalog::Tiled>(&kernel.family);
        if (tiled == nullptr || !tiled->conditional) {
            continue;
        }
        for (const EdgeStrategy edges : {EdgeStrategy::none, EdgeStrategy::guarded}) {
            ExpertPlanOptions options;
            options.kernel = kernel.name;
            options.edges = edges;
            options.repack = Repack::never;
            options.split_k = options.parts_m = options.parts_n = options.parts_k = 1;
            for (const Candidate& candidate : list_candidates(strict, options, context, rejected)) {
                if (!may_leave(candidate, context.device)) {
                    continue;
                }
                auto result = build_plan({strict, candidate, options, context});
                auto* plan = std::get_if<PlanValue>(&result);
                if (plan != nullptr && plan->steps.size() == 1 &&
                    (!best || plan->predicted_seconds < best->predicted_seconds)) {
                    best = std::move(*plan);
                }
            }
        }
    }
    if (!best) {
        return Obstacle{"no strict kernel can stand behind it on this device"};
    }
    return *std::move(best);
}

/// Plans of one problem, one candidate after the other.
class Ranker {
public:
    Ranker(const validate::CanonicalProblem& problem, const ExpertPlanOptions& options,
           const PlanningContext& context, Ranking& ranking)
        : problem_(problem), options_(options), context_(context), ranking_(ranking) {}

    void consider(const Candidate& candidate);

private:
    const BuildResult& strict_plan();

    const validate::CanonicalProblem& problem_;
    const ExpertPlanOptions& options_;
    const PlanningContext& context_;
    Ranking& ranking_;
    std::optional<BuildResult> strict_; ///< made when first needed
};

const BuildResult& Ranker::strict_plan() {
    if (!strict_) {
        strict_ = conditional_plan(problem_, context_);
    }
    return *strict_;
}

/// Appends the candidate's plan or the reason why there is none.
void Ranker::consider(const Candidate& candidate) {
    if (options_.kernel.empty() &&
        bound_terms(candidate, problem_.k) > strict_bound_terms(problem_.k)) {
        ranking_.rejected.push_back(
            {candidate.to_string(), "k is too small for it to keep the bound of strict"});
        return;
    }
    auto result = build_plan({problem_, candidate, options_, context_,
                              [this]() -> const BuildResult& { return strict_plan(); }});
    if (auto* plan = std::get_if<PlanValue>(&result)) {
        ranking_.plans.push_back(std::move(*plan));
    } else {
        ranking_.rejected.push_back({candidate.to_string(), std::get<Obstacle>(result).reason});
    }
}

[[noreturn]] void fail_unsupported(const std::vector<Rejection>& rejected) {
    std::vector<std::string> reasons;
    std::transform(rejected.begin(), rejected.end(), std::back_inserter(reasons),
                   [](const Rejection& r) { return r.candidate + ": " + r.reason; });
    throw UnsupportedError("no kernel can run this problem as requested: " +
                           support::join(reasons, "; "));
}

bool has_argument(const Step& step, Argument::Kind kind) {
    return std::any_of(step.arguments.begin(), step.arguments.end(),
                       [&](const Argument& argument) { return argument.kind == kind; });
}

/// Rejects plans that read a C that kernels may only write.
void drop_readers_of_c(Ranking& ranking) {
    ranking.first_by_access = !ranking.plans.empty() && adds_to_c(ranking.plans.front());
    std::erase_if(ranking.plans, [&](const PlanValue& plan) {
        const bool reads = adds_to_c(plan);
        if (reads) {
            ranking.rejected.push_back(
                {plan.to_string(),
                 "it adds up ranges of k in C, whose buffer kernels may only write"});
        }
        return reads;
    });
}

/// Sizes in half octaves: 64, 91, 128, ...
std::string size_class(std::int64_t extent) {
    const double half_octaves = std::round(2 * std::log2(static_cast<double>(extent)));
    return std::to_string(std::llround(std::exp2(half_octaves / 2)));
}

/// The widest load, up to 4 elements, that fits an operand.
int load_class(const validate::Operand& operand) {
    int width = 4;
    while (operand.ld % width != 0 || operand.offset_alignment % width != 0) {
        width /= 2;
    }
    return width;
}

} // namespace

/// A launch takes the constant for its beta where it adds to C; for its alpha only where it writes
/// to the workspace.
bool adds_to_c(const PlanValue& plan) {
    return std::any_of(plan.steps.begin(), plan.steps.end(), [](const Step& step) {
        return has_argument(step, Argument::Kind::one) &&
               has_argument(step, Argument::Kind::buffer_c);
    });
}

std::string problem_class(const validate::CanonicalProblem& p) {
    constexpr int common_tile = 32;
    const bool whole = p.m % common_tile == 0 && p.n % common_tile == 0;
    std::string text{p.a.major == validate::Major::mn ? 'N' : 'T',
                     p.b.major == validate::Major::k ? 'N' : 'T'};
    text += " " + size_class(p.m) + "x" + size_class(p.n) + "x" + size_class(p.k);
    text +=
        ", loads of " + std::to_string(load_class(p.a)) + " and " + std::to_string(load_class(p.b));
    text += whole ? ", whole tiles" : ", cut tiles";
    if (p.precision != Precision::strict) {
        text += ", ";
        text += precision_name(p.precision);
    }
    if (p.c_is_write_only) {
        text += ", write-only C";
    }
    return p.batch == 1 ? text : text + ", batch " + size_class(p.batch);
}

Ranking rank_plans(const validate::CanonicalProblem& problem, const ExpertPlanOptions& options,
                   const PlanningContext& context) {
    Ranking ranking;
    Ranker ranker(problem, options, context, ranking);
    const auto rows = list_rows(options, problem.precision, context, ranking.rejected);
    for (const Candidate& row : rows) {
        if (!must_peel(row, problem, options)) {
            for (const Candidate& candidate :
                 planner_of(*row.kernel).variants(row, problem, options, context)) {
                ranker.consider(candidate);
            }
        }
    }
    add_peeled_plans(problem, options, context, rows, ranking);
    // Splits that are requested by name come before what is faster.
    const auto is_later = [&](const PlanValue& plan) {
        return problem.precision != Precision::emulated && plan.precision != problem.precision;
    };
    std::stable_sort(ranking.plans.begin(), ranking.plans.end(),
                     [&](const PlanValue& x, const PlanValue& y) {
                         return std::pair(is_later(x), x.predicted_seconds) <
                                std::pair(is_later(y), y.predicted_seconds);
                     });
    if (problem.c_is_write_only) {
        drop_readers_of_c(ranking);
    }
    if (ranking.plans.empty()) {
        fail_unsupported(ranking.rejected);
    }
    const auto first_later =
        std::find_if(ranking.plans.begin(), ranking.plans.end(), [&](const PlanValue& plan) {
            return is_later(plan) != is_later(ranking.plans.front());
        });
    ranking.as_asked = static_cast<std::size_t>(first_later - ranking.plans.begin());
    if (!context.table.choices.empty() && is_open(options)) {
        const std::string problems = problem_class(problem);
        for (const tables::Choice& choice : context.table.choices) {
            if (choice.problems == problems) {
                put_first(ranking, choice.plan);
            }
        }
        take_exact_choice(ranking, problem, context);
    }
    return ranking;
}

BuildResult plan_of(const catalog::PlanKey& key, const validate::CanonicalProblem& problem,
                    const PlanningContext& context) {
    if (!key.variant.peeled) {
        return build_named(key, problem, context);
    }
    Ranking ranking = rank_plans(problem, {}, context);
    if (!put_first(ranking, key)) {
        return Obstacle{"the table offers no such plan"};
    }
    return std::move(ranking.plans.front());
}

PlanValue scale_plan(const validate::CanonicalProblem& problem, const PassContext& context) {
    PlanValue plan;
    plan.strategy = "scale";
    plan.bound_terms = strict_bound_terms(problem.k);
    const Place c = caller_place(Argument::Kind::buffer_c, Argument::Kind::offset_c, problem.c);
    plan.steps.push_back(scale_step(context, c, {problem.m, problem.n}, problem.batch));
    plan.predicted_seconds = predict_steps(plan.steps);
    return plan;
}

} // namespace libsgemm::planning
