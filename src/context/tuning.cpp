// SPDX-License-Identifier: Apache-2.0
// Context::tune(): problems one after the other, each for its share of the time.
#include "context/core.hpp"
#include "plan/check_options.hpp"
#include "plan/describe.hpp"
#include "plan/exact_choice.hpp"
#include "sgemm/error.hpp"
#include "support/text_stream.hpp"

#include <chrono>
#include <cmath>

namespace libsgemm::detail {

std::size_t Core::tune(const std::vector<Problem>& problems, double seconds,
                       const TuneListener& listener) const {
    if (!(seconds > 0) || std::isinf(seconds)) {
        support::TextWriter value;
        value << seconds;
        throw ArgumentError("seconds", value.str(), "must be a time above zero");
    }
    if (!planning::is_open(plan_options_) || !preferred_kernel_.empty()) {
        throw ArgumentError("options.plan", "not left open",
                            "must leave the choice to the planner, as SGEMM_KERNEL must");
    }
    constexpr std::int64_t aligned = 16;
    std::vector<validate::CheckedProblem> checked;
    for (const Problem& problem : problems) {
        checked.push_back(check_for_plan(problem, aligned));
        if (!needs_main_kernel(checked.back()) ||
            !planning::exact_problem(checked.back().canonical)) {
            throw ArgumentError("problems", planning::problem_text(checked.back().canonical),
                                "must be products in strict precision, no batch and not empty");
        }
    }
    const auto begin = std::chrono::steady_clock::now();
    std::size_t done = 0;
    while (done < checked.size()) {
        const validate::CanonicalProblem& problem = checked[done].canonical;
        const double left =
            seconds -
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        if (done > 0 && left <= 0) {
            break;
        }
        planning::Ranking ranking = planning::rank_plans(problem, {}, planning_context());
        first_use_->take_tuned(problem, ranking);
        const auto tuned =
            first_use_->tune(problem, ranking, left / static_cast<double>(checked.size() - done));
        plans_.forget_plans();
        ++done;
        if (tuned && listener &&
            !listener({done, checked.size(), tuned->plan, tuned->seconds, tuned->seconds_before})) {
            break;
        }
    }
    return done;
}

} // namespace libsgemm::detail
