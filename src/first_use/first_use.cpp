// SPDX-License-Identifier: Apache-2.0
#include "first_use/first_use.hpp"

#include "first_use/plan_clock.hpp"
#include "plan/build_plan.hpp"
#include "sgemm/error.hpp"
#include "support/text.hpp"
#include "tables/user_table.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace sgemm::first_use {
namespace {

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

/// Seconds of the fastest of some passes over C.
double time_pass(const Bench& bench, const Compile& compile, const tables::MachineModel& machine,
                 std::int64_t columns) {
    const CanonicalProblem problem = square_of_c(columns);
    const PlanValue plan = planning::build_scale_plan(problem, {bench.traits, machine});
    PlanClock clock(bench, problem);
    PlanClock::Ready ready{&plan, compile(plan), {}};
    constexpr int runs = 5;
    for (int i = 0; i < 1 + runs; ++i) {
        ready.seconds.push_back(clock.run(ready));
    }
    return *std::min_element(ready.seconds.begin() + 1, ready.seconds.end());
}

/// Nothing where it may not be run.
std::optional<PlanClock::Ready> prepare(const PlanValue& plan, const Compile& compile) {
    try {
        return PlanClock::Ready{&plan, compile(plan), {}};
    } catch (const BuildError&) {
        return std::nullopt;
    }
}

} // namespace

tables::MachineModel with_bandwidth(tables::MachineModel machine, double bandwidth) {
    const double factor = bandwidth / machine.bandwidth;
    machine.bandwidth = bandwidth;
    machine.bandwidth_units = 0; // it is of this device, with all its units
    machine.transpose_bandwidth *= factor;
    machine.packing_bandwidth *= factor;
    if (machine.memory_bandwidth > 0) {
        machine.memory_bandwidth = std::max(machine.memory_bandwidth, bandwidth);
    }
    return machine;
}

tables::MachineModel probe(const Bench& bench, const Compile& compile,
                           tables::MachineModel machine) {
    // beta = 0: a pass only writes; far more than caches hold, or next to nothing.
    constexpr std::int64_t large = 6144;
    constexpr std::int64_t small = 16;
    const double launch = time_pass(bench, compile, machine, small);
    const double bytes = static_cast<double>(sizeof(float)) * large * large;
    const double seconds = std::max(time_pass(bench, compile, machine, large) - launch, 1e-9);
    machine = with_bandwidth(machine, bytes / seconds);
    machine.launch_seconds = std::max(launch, 1e-7);
    machine.launch_unit_seconds = 0; // it is of this device, with all its units,
    machine.call_seconds = 0;        // and of a call by itself
    return machine;
}

FirstUse::FirstUse(const Bench& bench, Compile compile, const tables::DeviceTable& table, int plans,
                   std::string file)
    : bench_(bench), compile_(std::move(compile)), table_(table), plans_(plans),
      file_(std::move(file)) {
    for (const tables::Choice& choice : table.choices) {
        answers_[choice.problems] = choice.plan;
    }
}

void FirstUse::settle(const CanonicalProblem& problem, Ranking& ranking) {
    const std::string problems = planning::problem_class(problem);
    const std::lock_guard lock(mutex_);
    auto answer = answers_.find(problems);
    if (answer == answers_.end()) {
        std::string plan;
        try {
            plan = fastest(problem, ranking);
        } catch (const Error& error) {
            bench_.log.warning(
                [&] { return "timing " + problems + ": " + std::string(error.what()); });
        }
        answer = answers_.emplace(problems, plan).first;
        if (!plan.empty()) {
            keep({problems, plan});
        }
    }
    if (!answer->second.empty()) {
        planning::put_first(ranking, answer->second);
    }
}

/// Plans in turn, so that a change of clock meets all of them.
std::string FirstUse::fastest(const CanonicalProblem& problem, const Ranking& ranking) const {
    PlanClock clock(bench_, problem);
    std::vector<PlanClock::Ready> ready;
    for (std::size_t i = 0; i < ranking.as_asked; ++i) {
        if (static_cast<int>(ready.size()) == plans_) {
            break;
        }
        if (auto one = prepare(ranking.plans[i], compile_)) {
            clock.run(*one); // the first run is slower
            ready.push_back(std::move(*one));
        }
    }
    constexpr int rounds = 5;
    for (int round = 0; round < rounds; ++round) {
        for (PlanClock::Ready& one : ready) {
            one.seconds.push_back(clock.run(one));
        }
    }
    const auto best = std::min_element(ready.begin(), ready.end(),
                                       [](const PlanClock::Ready& x, const PlanClock::Ready& y) {
                                           return x.median() < y.median();
                                       });
    if (best == ready.end()) {
        return {};
    }
    bench_.log.info([&] {
        return "timed " + std::to_string(ready.size()) + " plans for " +
               planning::problem_class(problem) + ": " + best->plan->variant + ", " +
               support::format_seconds(best->median());
    });
    return best->plan->variant;
}

void FirstUse::keep(const tables::Choice& choice) const {
    if (file_.empty()) {
        return;
    }
    try {
        tables::save_choice(file_, choice, table_, bench_.traits);
    } catch (const Error& error) {
        bench_.log.warning([&] { return std::string(error.what()); });
    }
}

} // namespace sgemm::first_use
