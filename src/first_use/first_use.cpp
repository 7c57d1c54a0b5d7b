// SPDX-License-Identifier: Apache-2.0
#include "first_use/first_use.hpp"

#include "execute/plan_clock.hpp"
#include "first_use/readings.hpp"
#include "plan/exact_choice.hpp"
#include "sgemm/error.hpp"
#include "support/text.hpp"

#include <cstddef>
#include <optional>
#include <utility>

namespace libsgemm::first_use {
namespace {

using execute::Compile;
using execute::PlanClock;
using execute::Runtime;
using planning::PlanValue;
using planning::Ranking;
using validate::CanonicalProblem;

/// A problem of which only C is looked at: columns x columns elements.
CanonicalProblem square_of_c(std::int64_t columns) {
    CanonicalProblem problem;
    problem.m = problem.n = columns;
    problem.k = 1;
    problem.a.ld = problem.c.ld = columns;
    return problem;
}

/// Seconds of some passes over C.
std::vector<double> time_passes(const Runtime& runtime, const Compile& compile,
                                const tables::MachineModel& machine, std::int64_t columns) {
    const CanonicalProblem problem = square_of_c(columns);
    const PlanValue plan = planning::scale_plan(problem, {runtime.traits, machine});
    PlanClock clock(runtime, problem);
    const PlanClock::Ready ready{&plan, compile(plan)};
    clock.run(ready); // the first run is slower
    return clock.time_in_turn({ready}).front();
}

} // namespace

tables::MachineModel probe(const Runtime& runtime, const Compile& compile,
                           tables::MachineModel machine) {
    // beta = 0: a pass only writes; far more than caches hold, or next to nothing.
    constexpr std::int64_t large = 6144;
    constexpr std::int64_t small = 16;
    MachineReadings readings;
    readings.launches = time_passes(runtime, compile, machine, small);
    readings.passes = time_passes(runtime, compile, machine, large);
    readings.pass_bytes = static_cast<double>(sizeof(float)) * large * large;
    return with_readings(machine, readings, runtime.traits);
}

FirstUse::FirstUse(const Runtime& runtime, Compile compile,
                   const std::vector<tables::Choice>& known, int plans, tables::ChoiceFile file,
                   const catalog::KernelCatalog& catalog)
    : runtime_(runtime), compile_(std::move(compile)), plans_(plans), file_(std::move(file)),
      catalog_(catalog) {
    for (const tables::Choice& choice : known) {
        if (!choice.problem) {
            answers_[choice.problems] = choice.plan;
        }
    }
}

void FirstUse::settle(const CanonicalProblem& problem, Ranking& ranking) {
    take_tuned(problem, ranking);
    if (ranking.first_by_choice || plans_ == 0) {
        return;
    }
    const std::string problems = planning::problem_class(problem);
    const std::lock_guard lock(mutex_);
    auto answer = answers_.find(problems);
    if (answer == answers_.end()) {
        std::optional<catalog::PlanKey> plan;
        try {
            plan = fastest(problem, ranking);
        } catch (const Error& error) {
            runtime_.log.warning(
                [&] { return "timing " + problems + ": " + std::string(error.what()); });
        }
        answer = answers_.emplace(problems, plan).first;
        if (plan) {
            keep({problems, *plan});
        }
    }
    if (answer->second) {
        planning::put_first(ranking, *answer->second);
    }
}

/// Nothing where it may not be run.
std::optional<PlanClock::Ready> FirstUse::prepare(const PlanValue& plan) const {
    try {
        return PlanClock::Ready{&plan, compile_(plan)};
    } catch (const BuildError&) {
        return std::nullopt;
    }
}

std::optional<catalog::PlanKey> FirstUse::fastest(const CanonicalProblem& problem,
                                                  const Ranking& ranking) const {
    PlanClock clock(runtime_, problem);
    std::vector<PlanClock::Ready> ready;
    for (std::size_t i = 0; i < ranking.as_asked; ++i) {
        if (static_cast<int>(ready.size()) == plans_) {
            break;
        }
        if (auto one = prepare(ranking.plans[i])) {
            clock.run(*one); // the first run is slower
            ready.push_back(std::move(*one));
        }
    }
    if (ready.empty()) {
        return std::nullopt;
    }
    const auto seconds = clock.time_in_turn(ready);
    const std::size_t first = clearly_fastest(seconds);
    runtime_.log.info([&] {
        return "timed " + std::to_string(ready.size()) + " plans for " +
               planning::problem_class(problem) + ": " + ready[first].plan->to_string() + ", " +
               support::format_seconds(median(seconds[first])) + " (the predicted one " +
               support::format_seconds(median(seconds[0])) + ")";
    });
    return ready[first].plan->key();
}

void FirstUse::keep(const tables::Choice& choice) const {
    if (file_.path.empty()) {
        return;
    }
    std::string complaint;
    try {
        tables::save_choice(file_, choice, complaint, catalog_);
    } catch (const Error& error) {
        complaint = error.what();
    }
    if (!complaint.empty()) {
        runtime_.log.warning([&] { return complaint; });
    }
}

} // namespace libsgemm::first_use
