// SPDX-License-Identifier: Apache-2.0
#include "plan/planner.hpp"

#include "plan/build_plan.hpp"
#include "plan/candidates.hpp"
#include "sgemm/error.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <iterator>

namespace sgemm::planning {
namespace {

/// Appends the candidate's plan or the reason why there is none.
void consider(const validate::CanonicalProblem& problem, const Candidate& candidate,
              EdgeStrategy edges, const PlanningContext& context, Ranking& ranking) {
    const PassContext passes{context.device, context.table.machine};
    const std::size_t limit = std::min(
        context.max_workspace_bytes, static_cast<std::size_t>(context.device.max_allocation_bytes));
    auto result = build_plan(problem, candidate, passes, edges, limit);
    if (auto* plan = std::get_if<PlanValue>(&result)) {
        ranking.plans.push_back(std::move(*plan));
    } else {
        ranking.rejected.push_back({candidate.to_string(), std::get<Obstacle>(result).reason});
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
    for (const Candidate& candidate :
         list_candidates(problem, options, context, ranking.rejected)) {
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
