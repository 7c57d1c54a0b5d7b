// SPDX-License-Identifier: Apache-2.0
#include "plan/planner.hpp"

#include "plan/build_plan.hpp"
#include "plan/candidates.hpp"
#include "sgemm/error.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <cmath>
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

bool is_open(const PlanOptions& options) {
    return options.kernel.empty() && options.edges == EdgeStrategy::automatic &&
           options.relay == Relay::automatic &&
           options.split_k + options.parts_m + options.parts_n + options.parts_k == 0;
}

std::string problem_class(const validate::CanonicalProblem& p) {
    constexpr int common_tile = 32;
    const bool whole = p.m % common_tile == 0 && p.n % common_tile == 0;
    std::string text{p.a.major == catalog::Major::mn ? 'N' : 'T',
                     p.b.major == catalog::Major::k ? 'N' : 'T'};
    text += " " + size_class(p.m) + "x" + size_class(p.n) + "x" + size_class(p.k);
    text +=
        ", loads of " + std::to_string(load_class(p.a)) + " and " + std::to_string(load_class(p.b));
    text += whole ? ", whole tiles" : ", cut tiles";
    return p.batch == 1 ? text : text + ", batch " + size_class(p.batch);
}

bool put_first(Ranking& ranking, const std::string& variant) {
    const auto found = std::find_if(ranking.plans.begin(), ranking.plans.end(),
                                    [&](const PlanValue& p) { return p.variant == variant; });
    if (found == ranking.plans.end()) {
        return false;
    }
    std::rotate(ranking.plans.begin(), found, found + 1);
    ranking.first_by_timing = true;
    return true;
}

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
    if (!context.table.choices.empty() && is_open(options)) {
        const std::string problems = problem_class(problem);
        for (const tables::Choice& choice : context.table.choices) {
            if (choice.problems == problems) {
                put_first(ranking, choice.plan);
            }
        }
    }
    return ranking;
}

PlanValue scale_plan(const validate::CanonicalProblem& problem, const PlanningContext& context) {
    return build_scale_plan(problem, {context.device, context.table.machine});
}

} // namespace sgemm::planning
