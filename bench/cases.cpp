// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"

#include "format.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <limits>
#include <thread>

namespace libsgemm::bench {
namespace {

constexpr std::int64_t sampled_rows = 16;
constexpr double short_run = 0.05; // seconds; below it a warm-up run costs nothing
constexpr double most_calls_in_a_row = 10000.0;
constexpr std::int64_t probe_size = 256; // small enough for the slowest kernel and device

/// Why a case is left out although nothing went wrong.
class Skipped : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

Shape probe_shape(const Shape& shape) {
    return judge::make_shape(op_name(shape), std::min(shape.m, probe_size),
                             std::min(shape.n, probe_size), std::min(shape.k, probe_size));
}

double repetitions_of(const Options& options) {
    const std::string text = options.benchmark_flag("repetitions", "1");
    const auto repetitions = support::parse_number<double>(text);
    if (!repetitions) {
        throw UsageError("--benchmark_repetitions must be a number, not '" + text + "'");
    }
    return *repetitions;
}

} // namespace

Cases::Cases(const Options& options, Environment& environment,
             const Implementations& implementations, const std::vector<Shape>& shapes)
    : options_(options), repetitions_(repetitions_of(options)), environment_(environment),
      progress_(shapes.size() * implementations.size()) {
    for (const Shape& shape : shapes) { // shape by shape: what is compared is measured together
        for (const auto& implementation : implementations) {
            Case& item = cases_.emplace_back();
            item.implementation = implementation.get();
            item.workload = {shape, options.alpha, options.beta};
            item.name = implementation->name() + '/' + shape_name(shape);
            benchmark::RegisterBenchmark(item.name.c_str(), [this, &item](benchmark::State& state) {
                measure(state, item);
            })->UseManualTime();
        }
    }
}

std::size_t Cases::longest_name() const {
    std::size_t longest = 0;
    for (const Case& item : cases_) {
        longest = std::max(longest, item.name.size());
    }
    return longest;
}

void Cases::measure(benchmark::State& state, Case& item) {
    progress_.working_on(item.name);
    try {
        if (!item.runner && item.verdict.empty()) {
            prepare(item);
        }
    } catch (const Skipped& reason) {
        item.verdict = std::string("skipped: ") + reason.what();
    } catch (const Unsupported& reason) {
        item.verdict = std::string("skipped: ") + reason.what();
    } catch (const std::exception& error) {
        item.verdict = std::string("failed: ") + error.what();
        any_failed_ = true;
    }
    if (!item.verdict.empty()) {
        state.SkipWithError(item.verdict.c_str());
        return;
    }

    double seconds = 0.0;
    try {
        settle(*item.implementation);
        if (predicted_seconds(item) < short_run) {
            item.runner->run();
        }
        while (state.KeepRunningBatch(item.calls)) {
            const double together = timed_run(item, *item.runner);
            state.SetIterationTime(together);
            seconds += together;
        }
    } catch (const std::exception& error) {
        item.verdict = std::string("failed: ") + error.what();
        any_failed_ = true;
        state.SkipWithError(item.verdict.c_str());
        return;
    }
    const double flops = item.workload.shape.flops() * static_cast<double>(state.iterations());
    state.counters["GFLOPS"] = flops / seconds * 1e-9;
    if (options_.sustained > 0.0) {
        state.counters["calls_in_a_row"] = static_cast<double>(item.calls);
    }
    if (options_.verification != Verification::off && item.runner->multiplies()) {
        state.counters["max_error"] = item.errors.largest;
        state.counters["frobenius_error"] = item.errors.frobenius;
    }
    state.SetLabel(item.runner->label());
}

void Cases::prepare(Case& item) {
    require_time_left();
    require_affordable(item);
    auto runner = item.implementation->prepare(item.workload);
    if (options_.verification != Verification::off && runner->multiplies()) {
        verify(item, *runner, item.errors);
    } else {
        runner->run(); // compiles what it needs
    }
    if (options_.sustained > 0.0) {
        choose_calls(item, *runner);
    } else if (predicted_seconds(item) < short_run) {
        timed_run(item, *runner);
    }
    item.runner = std::move(runner);
}

void Cases::verify(const Case& item, Runner& runner, Errors& errors) {
    const auto elements = static_cast<std::size_t>(item.workload.shape.elements_c());
    const Shape& shape = item.workload.shape;
    host_c_.assign(elements, judge::poison());
    if (item.workload.beta != 0.0F) {
        const std::vector<float>& c = environment_.operands.c();
        for (std::int64_t j = 0; j < shape.n; ++j) {
            std::copy_n(c.begin() + j * shape.ldc, shape.m, host_c_.begin() + j * shape.ldc);
        }
    }
    const Reference& expected = reference(item.workload);
    runner.write_c(host_c_);
    runner.run();
    runner.read_c(host_c_);
    if (const std::string wrong = expected.check(host_c_.data(), errors); !wrong.empty()) {
        throw std::runtime_error("wrong result, " + wrong + "; to repeat: sgemm-bench --impl " +
                                 item.implementation->name() + " --shapes " + shape_name(shape));
    }
}

/// Seconds of the case's calls, one after another, together.
double Cases::timed_run(const Case& item, Runner& runner) {
    const auto start = Clock::now();
    for (benchmark::IterationCount call = 0; call < item.calls; ++call) {
        runner.enqueue();
    }
    runner.finish();
    const std::chrono::duration<double> time = Clock::now() - start;
    last_run_ = item.implementation;
    Speed& speed = speeds_[item.implementation];
    if (item.workload.shape.flops() >= speed.flops) {
        speed = {item.workload.shape.flops(), time.count() / static_cast<double>(item.calls)};
    }
    return time.count();
}

/// As many calls as take about the time that was asked for. One alone takes longer than one in a
/// row, and any may be disturbed: until enough of them do.
void Cases::choose_calls(Case& item, Runner& runner) {
    constexpr int most_trials = 6;
    constexpr double enough = 0.8;
    item.calls = 1;
    for (int trial = 0; trial < most_trials; ++trial) {
        const double seconds = timed_run(item, runner);
        // The first call, if it takes long enough, may be one that was disturbed.
        if (trial > 0 && seconds >= enough * options_.sustained) {
            return;
        }
        const double one = seconds / static_cast<double>(item.calls);
        const double calls = std::clamp(options_.sustained / one, 1.0, most_calls_in_a_row);
        item.calls = std::max(item.calls, static_cast<benchmark::IterationCount>(calls));
    }
}

/// By the speed on the largest shape so far: infinite where nothing has run.
double Cases::predicted_seconds(const Case& item) {
    const Speed& speed = speeds_[item.implementation];
    return speed.flops == 0.0 ? std::numeric_limits<double>::infinity()
                              : item.workload.shape.flops() / speed.flops * speed.seconds;
}

/// Learns an implementation's speed from a small problem, so that even its first case can be
/// refused.
void Cases::probe(const Case& item) {
    Case small{item.implementation, item.workload, item.name, nullptr, {}, {}, 1};
    small.workload.shape = probe_shape(item.workload.shape);
    const auto runner = item.implementation->prepare(small.workload);
    runner->run(); // compiles
    timed_run(small, *runner);
}

void Cases::require_time_left() const {
    const std::chrono::duration<double> used = Clock::now() - start_;
    if (used.count() > options_.max_seconds) {
        throw Skipped("the time is up (--max-seconds " + format_number(options_.max_seconds) + ")");
    }
}

void Cases::require_affordable(const Case& item) {
    const auto seconds = [&] {
        // One run is for verification.
        return (1.0 + repetitions_) * std::max(predicted_seconds(item), options_.sustained);
    };
    const Speed& speed = speeds_[item.implementation];
    if (seconds() > options_.max_seconds_per_case &&
        speed.flops < probe_shape(item.workload.shape).flops()) {
        probe(item); // nothing has run, or only what is too small to judge by
    }
    if (seconds() > options_.max_seconds_per_case) {
        throw Skipped("would take about " + format_seconds(seconds()) +
                      " (--max-seconds-per-case " + format_number(options_.max_seconds_per_case) +
                      ")");
    }
}

/// Gives idle threads of the implementation that ran last time to go to sleep.
void Cases::settle(const Implementation& next) {
    if (last_run_ != nullptr && last_run_ != &next) {
        std::this_thread::sleep_for(last_run_->settle_time());
    }
    last_run_ = &next;
}

const Reference& Cases::reference(const Workload& workload) {
    const Shape& shape = workload.shape;
    if (reference_ && reference_shape_ == shape) {
        return *reference_;
    }
    const bool full = options_.verification == Verification::full;
    const auto choose = [&](std::int64_t extent) {
        return judge::sample_indices(extent, full ? extent : sampled_rows, options_.seed);
    };
    Operands& operands = environment_.operands;
    const float* const c = workload.beta != 0.0F ? operands.c().data() : nullptr;
    reference_ = std::make_unique<Reference>(workload, operands.a().data(), operands.b().data(), c,
                                             choose(shape.m), choose(shape.n));
    reference_shape_ = shape;
    return *reference_;
}

} // namespace libsgemm::bench
