// SPDX-License-Identifier: Apache-2.0
// Tuning of one problem: of the plans that the table offers, the fastest.
#include "first_use/first_use.hpp"
#include "first_use/readings.hpp"
#include "plan/exact_choice.hpp"
#include "sgemm/error.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <set>
#include <utility>

namespace libsgemm::first_use {
namespace {

using execute::PlanClock;
using planning::PlanValue;
using planning::Ranking;
using validate::CanonicalProblem;

using Clock = std::chrono::steady_clock;

constexpr double infinite = std::numeric_limits<double>::infinity();

struct Trials {
    std::vector<const PlanValue*> plans; ///< one of each family, one of each kernel, and the others
    std::size_t families = 0;            ///< how many come first that are tried in any case
};

/// The ranking's first plan stays the first.
Trials in_order_of_trial(const Ranking& ranking) {
    std::set<std::size_t> families;
    std::set<std::string_view> kernels;
    std::array<std::vector<const PlanValue*>, 3> groups;
    for (std::size_t i = 0; i < ranking.as_asked; ++i) {
        const PlanValue& plan = ranking.plans[i];
        const bool is_new_kernel = kernels.insert(plan.kernel->name).second;
        const bool is_new_family = families.insert(plan.kernel->family.index()).second;
        groups.at(is_new_family ? 0 : is_new_kernel ? 1 : 2).push_back(&plan);
    }
    Trials trials{{}, groups[0].size()};
    for (const auto& group : groups) {
        trials.plans.insert(trials.plans.end(), group.begin(), group.end());
    }
    return trials;
}

} // namespace

void FirstUse::take_tuned(const CanonicalProblem& problem, Ranking& ranking) const {
    const auto exact = planning::exact_problem(problem);
    const std::lock_guard lock(tuned_mutex_);
    const auto found = std::ranges::find(tuned_, exact, &tables::Choice::problem);
    if (exact && found != tuned_.end() && planning::put_first(ranking, found->plan)) {
        ranking.plans.front().predicted_seconds = found->seconds;
        ranking.first_by_choice = true;
    }
}

/// The plan that comes first, and those that are near the fastest one in a few runs.
std::vector<PlanClock::Ready> FirstUse::ready_in_time(PlanClock& clock, const Ranking& ranking,
                                                      double seconds) const {
    constexpr double trial_share = 0.8; // then they are timed in turn
    constexpr double near = 1.3;
    constexpr std::size_t most = 6;
    const auto end = Clock::now() + std::chrono::duration<double>(trial_share * seconds);
    const Trials trials = in_order_of_trial(ranking);
    std::vector<std::pair<double, PlanClock::Ready>> tried;
    for (std::size_t i = 0; i < trials.plans.size(); ++i) {
        if (i >= trials.families && !tried.empty() && Clock::now() > end) {
            break;
        }
        const PlanValue* plan = trials.plans[i];
        try {
            if (auto ready = prepare(*plan)) {
                clock.run(*ready); // the first run is slower
                const double once = clock.run(*ready);
                tried.emplace_back(std::min(once, clock.run(*ready)), std::move(*ready));
            }
        } catch (const Error& error) {
            runtime_.log.info([&] { return plan->to_string() + ": " + error.what(); });
        }
    }
    std::vector<PlanClock::Ready> best;
    if (tried.empty()) {
        return best;
    }
    best.push_back(std::move(tried.front().second));
    tried.erase(tried.begin());
    std::ranges::stable_sort(tried, {}, &std::pair<double, PlanClock::Ready>::first);
    for (auto& [least, ready] : tried) {
        if (best.size() < most && least < near * tried.front().first) {
            best.push_back(std::move(ready));
        }
    }
    return best;
}

std::optional<FirstUse::Tuned> FirstUse::tune(const CanonicalProblem& problem,
                                              const Ranking& ranking, double seconds) {
    const std::lock_guard lock(tuning_mutex_);
    const auto begin = Clock::now();
    PlanClock clock(runtime_, problem);
    const auto ready = ready_in_time(clock, ranking, seconds);
    if (ready.empty()) {
        return std::nullopt;
    }
    const auto times = clock.time_in_turn(
        ready, [&] { return Clock::now() - begin > std::chrono::duration<double>(seconds); });
    const std::size_t first = clearly_fastest(times);
    const PlanValue& plan = *ready[first].plan;
    tables::Choice choice;
    choice.plan = plan.key();
    choice.problem = planning::exact_problem(problem);
    choice.source = catalog_.short_source_hash(choice.plan.kernel);
    choice.seconds = median(times[first]);
    double least = infinite;
    for (std::size_t i = 0; i < ready.size(); ++i) {
        if (i != first && median(times[i]) < least) {
            least = median(times[i]);
            choice.runner_up = ready[i].plan->to_string();
            choice.runner_up_seconds = least;
        }
    }
    keep(choice);
    const std::lock_guard tuned_lock(tuned_mutex_);
    std::erase_if(tuned_, [&](const tables::Choice& old) { return old.problem == choice.problem; });
    tuned_.push_back(std::move(choice));
    return Tuned{plan.to_string(), median(times[first]), median(times.front())};
}

} // namespace libsgemm::first_use
