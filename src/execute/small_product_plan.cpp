// SPDX-License-Identifier: Apache-2.0
#include "execute/small_product_plan.hpp"

#include "catalog/emulated.hpp"
#include "sgemm/error.hpp"
#include "support/round.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace libsgemm::execute {
namespace {

using planning::KernelBuild;
using planning::PlanValue;
using planning::Step;
using validate::CanonicalProblem;
using validate::Major;

struct Sizes {
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
};

/// One after the other: what no tile divides; whole tiles; tiles that are extended by as much as
/// they can be; tiles that are moved inward. Deep enough for stream-K; of launches that pack for
/// each other few columns and several rounds of rows of A, the last of which outgrows its first
/// round; of equal steps what has two, three, four or one of them, the last one full or not.
std::vector<Sizes> sizes_for(const PlanValue& plan, const catalog::BuildChoice& choice) {
    const catalog::TileShape tile = plan.kernel->tile(plan.parameters);
    const std::int64_t n = tile.n;
    if (catalog::is_of<catalog::Flat>(*plan.kernel)) {
        const std::int64_t depth = catalog::equal_depth(choice.k, tile.k);
        std::vector<Sizes> sizes;
        for (const std::int64_t steps : {2, 3, 4, 1}) {
            for (const std::int64_t k : {steps * depth, steps * depth - 1}) {
                sizes.push_back({tile.m + 72, 2 * n + 74, std::max<std::int64_t>(1, k)});
            }
        }
        return sizes;
    }
    constexpr std::int64_t depth = 300; // a multiple of no tile's depth but 4, 2 and 1
    constexpr std::int64_t rounds_depth = 4100;
    return {choice.packs_next ? Sizes{tile.m + 72, 100, rounds_depth}
                              : Sizes{tile.m + 72, 2 * n + 74, depth},
            Sizes{tile.m, 3 * n, support::round_up(depth, tile.k)},
            Sizes{tile.m + choice.extend_m, 2 * n + choice.extend_n, depth},
            Sizes{tile.m + tile.m / 2 + 1, tile.n + tile.n / 2 + 1, depth}};
}

/// Column-major matrices whose lines begin where every load may.
CanonicalProblem make_problem(Sizes sizes, Major a, Major b, Precision precision) {
    constexpr std::int64_t widest = 16;
    const auto operand = [](Major major, std::int64_t mn, std::int64_t k) {
        return validate::Operand{major, support::round_up(major == Major::mn ? mn : k, widest), 0,
                                 widest};
    };
    CanonicalProblem problem;
    problem.m = sizes.m;
    problem.n = sizes.n;
    problem.k = sizes.k;
    problem.a = operand(a, sizes.m, sizes.k);
    problem.b = operand(b, sizes.n, sizes.k);
    problem.c = operand(Major::mn, sizes.m, 1);
    problem.precision = precision;
    return problem;
}

bool is_same(const KernelBuild& x, const KernelBuild& y) {
    return x.source == y.source && x.function == y.function && x.defines == y.defines &&
           x.max_registers == y.max_registers;
}

bool launches(const PlanValue& plan, const KernelBuild& target) {
    return std::any_of(plan.steps.begin(), plan.steps.end(),
                       [&](const Step& step) { return is_same(step.build, target); });
}

/// All plans by the kernel and the parameters that `plan` has.
planning::Ranking rank_alike(const CanonicalProblem& problem, const PlanValue& plan,
                             const KernelBuild& target, const planning::PlanningContext& context) {
    ExpertPlanOptions forced;
    forced.kernel = plan.kernel->name;
    forced.parameters = {plan.parameters.begin(), plan.parameters.end()};
    if (catalog::is_of<catalog::Emulated>(
            *plan.kernel)) { // what small products would have is not the question
        forced.parameters[std::string(catalog::emulated::strict_launches_name)] =
            target.choice.strict_inside ? 0 : 1;
    }
    if (plan.kernel->split_k == catalog::SplitK::at_build) {
        forced.split_k = target.choice.variant.split_k;
    }
    forced.reduction =
        target.choice.variant.fused_reduction ? SplitKReduction::fused : SplitKReduction::pass;
    try {
        return planning::rank_plans(problem, forced, context);
    } catch (const UnsupportedError&) {
        return {};
    }
}

} // namespace

std::optional<SmallProduct> plan_small_product(const PlanValue& plan, const KernelBuild& target,
                                               const planning::PlanningContext& context) {
    if (plan.kernel == nullptr) {
        return std::nullopt;
    }
    for (const Sizes sizes : sizes_for(plan, target.choice)) {
        for (const auto& [a, b] : {std::pair{Major::mn, Major::k}, std::pair{Major::mn, Major::mn},
                                   std::pair{Major::k, Major::k}, std::pair{Major::k, Major::mn}}) {
            const CanonicalProblem problem = make_problem(sizes, a, b, plan.precision);
            planning::Ranking ranking = rank_alike(problem, plan, target, context);
            const auto found =
                std::find_if(ranking.plans.begin(), ranking.plans.end(),
                             [&](const PlanValue& small) { return launches(small, target); });
            if (found != ranking.plans.end()) {
                return SmallProduct{problem, std::move(*found)};
            }
        }
    }
    return std::nullopt;
}

} // namespace libsgemm::execute
