// SPDX-License-Identifier: Apache-2.0
#include "plan/exact_choice.hpp"

#include "plan/candidates.hpp"
#include "plan/family/families.hpp"
#include "support/text.hpp"
#include "tables/disabled_kernels.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace libsgemm::planning {
namespace {

using validate::CanonicalProblem;

std::int64_t alignment_of(const validate::Operand& operand) {
    std::int64_t width = 16;
    while (operand.ld % width != 0 || operand.offset_alignment % width != 0) {
        width /= 2;
    }
    return width;
}

/// With the model of the row that has these parameters, if there is one.
Candidate candidate_of(const catalog::KernelEntry& kernel, const catalog::PlanKey& key,
                       const PlanningContext& context) {
    Candidate candidate;
    candidate.kernel = &kernel;
    candidate.parameters = kernel.completed(key.parameters);
    candidate.variant = key.variant;
    const auto& rows = context.table.rows;
    const auto row = std::ranges::find_if(rows, [&](const tables::TableRow& other) {
        return other.kernel == key.kernel &&
               kernel.completed(other.parameters) == candidate.parameters;
    });
    if (row != rows.end()) {
        candidate.model = row->model;
        candidate.row = static_cast<int>(row - rows.begin());
    }
    return candidate;
}

/// The options that leave a family no variant but this one. Copies are of A and B as kernels see
/// them.
ExpertPlanOptions options_for(const Variant& variant) {
    const bool a = variant.repack_a || variant.pack_a;
    const bool b = variant.repack_b || variant.transpose_b;
    ExpertPlanOptions options;
    options.edges = variant.edges;
    options.split_k = variant.split_k;
    options.reduction = variant.fused_reduction ? SplitKReduction::fused : SplitKReduction::pass;
    options.parts_m = variant.parts.m;
    options.parts_n = variant.parts.n;
    options.parts_k = variant.parts.k;
    options.repack = a && b ? Repack::always
                     : a    ? Repack::only_a
                     : b    ? Repack::only_b
                            : Repack::never;
    return options;
}

/// Whether the kernel's family would consider the variant: its builders take nothing else.
bool is_offered(const Candidate& wanted, CanonicalProblem problem, const PlanningContext& context) {
    problem.operands_swapped = false;
    Candidate row = wanted;
    row.variant = {.edges = wanted.variant.edges,
                   .pre_passes = wanted.variant.pre_passes,
                   .narrow_a = wanted.variant.narrow_a, // does nothing where nothing is narrower
                   .narrow_b = wanted.variant.narrow_b};
    const auto offered =
        planner_of(*wanted.kernel).variants(row, problem, options_for(wanted.variant), context);
    return std::ranges::any_of(offered, [&](Candidate other) {
        if (wanted.kernel->split_k == catalog::SplitK::stream_k && wanted.variant.split_k > 0) {
            other.variant.split_k = wanted.variant.split_k; // shares what there is to share, if any
        }
        return other.variant == wanted.variant;
    });
}

std::string obstacle_of(const Candidate& candidate, const CanonicalProblem& problem,
                        const PlanningContext& context) {
    const auto obstacles =
        catalog::obstacles(*candidate.kernel, candidate.parameters, context.device);
    if (!obstacles.empty()) {
        return support::join(obstacles, "; ");
    }
    const auto* disabled =
        tables::find_disabled(context.table, candidate.kernel->name, candidate.parameters);
    if (disabled != nullptr) {
        return "disabled: " + disabled->reason;
    }
    return is_offered(candidate, problem, context) ? "" : "the kernel has no such variant";
}

} // namespace

std::optional<tables::ExactProblem> exact_problem(const CanonicalProblem& p) {
    if (p.batch != 1 || p.precision != Precision::strict || p.c_is_write_only ||
        p.a.packed != validate::PackedForm() || p.b.packed != validate::PackedForm()) {
        return std::nullopt;
    }
    return tables::ExactProblem{p.a.major != validate::Major::mn,
                                p.b.major != validate::Major::k,
                                p.m,
                                p.n,
                                p.k,
                                {p.a.ld, p.b.ld, p.c.ld},
                                {alignment_of(p.a), alignment_of(p.b), alignment_of(p.c)}};
}

BuildResult build_named(const catalog::PlanKey& key, const CanonicalProblem& problem,
                        const PlanningContext& context) {
    const catalog::KernelEntry* kernel = context.catalog.find(key.kernel);
    if (kernel == nullptr) {
        return Obstacle{"no kernel of the catalogue is called " + key.kernel};
    }
    if (key.variant.peeled) {
        return Obstacle{"it is made of several plans"};
    }
    const Candidate candidate = candidate_of(*kernel, key, context);
    if (std::string obstacle = obstacle_of(candidate, problem, context); !obstacle.empty()) {
        return Obstacle{std::move(obstacle)};
    }
    return build_plan({problem, candidate, {}, context});
}

bool put_first(Ranking& ranking, const catalog::PlanKey& wanted) {
    const auto end = ranking.plans.begin() + static_cast<std::ptrdiff_t>(ranking.as_asked);
    const auto found = std::find_if(ranking.plans.begin(), end, [&](const PlanValue& plan) {
        return plan.kernel->name == wanted.kernel && plan.variant == wanted.variant &&
               plan.parameters == plan.kernel->completed(wanted.parameters);
    });
    if (found == end) {
        return false;
    }
    std::rotate(ranking.plans.begin(), found, found + 1);
    ranking.first_by_timing = true;
    return true;
}

bool take_choice(Ranking& ranking, const tables::Choice& choice, const CanonicalProblem& problem,
                 const PlanningContext& context) {
    if (!put_first(ranking, choice.plan)) {
        BuildResult built = build_named(choice.plan, problem, context);
        auto* plan = std::get_if<PlanValue>(&built);
        if (plan == nullptr || !is_allowed(*plan->kernel, problem.precision)) {
            return false;
        }
        ranking.plans.insert(ranking.plans.begin(), std::move(*plan));
        ++ranking.as_asked;
    }
    if (choice.seconds > 0) {
        ranking.plans.front().predicted_seconds = choice.seconds;
    }
    ranking.first_by_timing = true;
    ranking.first_by_choice = true;
    return true;
}

const tables::Choice* find_exact_choice(const CanonicalProblem& problem,
                                        const tables::DeviceTable& table) {
    const auto exact = exact_problem(problem);
    const auto& choices = table.choices;
    const auto choice = // the last one: files that are read later say what was found later
        std::find_if(choices.rbegin(), choices.rend(),
                     [&](const tables::Choice& other) { return exact && other.problem == exact; });
    return choice == choices.rend() ? nullptr : &*choice;
}

bool take_exact_choice(Ranking& ranking, const CanonicalProblem& problem,
                       const PlanningContext& context) {
    const tables::Choice* choice = find_exact_choice(problem, context.table);
    return choice != nullptr && take_choice(ranking, *choice, problem, context);
}

} // namespace libsgemm::planning
