// SPDX-License-Identifier: Apache-2.0
#include "plan/build_plan.hpp"

#include "plan/family/packed/packed_plan.hpp"
#include "plan/family/tiled/tiled_plan.hpp"
#include "plan/inputs.hpp"
#include "plan/precision.hpp"

namespace libsgemm::planning {

std::variant<PlanValue, Obstacle> build_plan(const validate::CanonicalProblem& problem,
                                             const Candidate& candidate, const PassContext& context,
                                             EdgeStrategy edges, std::size_t max_workspace_bytes) {
    constexpr std::int64_t most_slices = std::int64_t{1} << 40;
    if (problem.batch > most_slices / candidate.variant.split_k) {
        return Obstacle{"batch and slices of k are more than 2^40 together"};
    }
    if (catalog::has_split_passes(*candidate.kernel)) {
        return Obstacle{"it splits operands"};
    }
    if (catalog::packs_operands(*candidate.kernel)) {
        return build_packed_plan(problem, candidate, context, edges, max_workspace_bytes);
    }
    return build_tiled_plan(problem, candidate, context, edges, max_workspace_bytes);
}

PlanValue build_scale_plan(const validate::CanonicalProblem& problem, const PassContext& context) {
    PlanValue plan;
    plan.strategy = "scale";
    plan.bound_terms = strict_bound_terms(problem.k);
    const Place c = caller_place(Argument::Kind::buffer_c, Argument::Kind::offset_c, problem.c);
    plan.steps.push_back(scale_step(context, c, {problem.m, problem.n}, problem.batch));
    plan.predicted_seconds = predict_call(plan.steps, context);
    return plan;
}

} // namespace libsgemm::planning
