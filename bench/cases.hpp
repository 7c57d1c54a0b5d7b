// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "implementations/implementation.hpp"
#include "options.hpp"
#include "progress.hpp"

#include <benchmark/benchmark.h>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace libsgemm::bench {

using judge::Errors;
using judge::Reference;

/// Every implementation on every shape, as Google Benchmark's benchmarks: prepared and verified
/// when first run, then timed by the wall clock.
class Cases {
public:
    Cases(const Options& options, Environment& environment, const Implementations& implementations,
          const std::vector<Shape>& shapes);

    std::size_t longest_name() const;
    Progress& progress() { return progress_; }
    bool any_failed() const { return any_failed_; }

private:
    struct Case {
        Implementation* implementation = nullptr;
        Workload workload;
        std::string name;
        std::unique_ptr<Runner> runner; ///< set once verified
        std::string verdict;            ///< why it is not measured (any more)
        Errors errors;
        benchmark::IterationCount calls = 1; ///< before each wait
    };
    /// How one implementation did on the largest shape that it has run.
    struct Speed {
        double flops = 0.0;
        double seconds = 0.0;
    };

    void measure(benchmark::State& state, Case& item);
    void prepare(Case& item);
    void verify(const Case& item, Runner& runner, Errors& errors);
    double timed_run(const Case& item, Runner& runner);
    void choose_calls(Case& item, Runner& runner);
    double predicted_seconds(const Case& item);
    void probe(const Case& item);
    void require_time_left() const;
    void require_affordable(const Case& item);
    void settle(const Implementation& next);
    const Reference& reference(const Workload& workload);

    using Clock = std::chrono::steady_clock;

    const Options options_;
    const Clock::time_point start_ = Clock::now();
    const double repetitions_;
    Environment& environment_;
    std::deque<Case> cases_; // stays in place: registered benchmarks refer to its elements
    Progress progress_;
    std::map<const Implementation*, Speed> speeds_;
    const Implementation* last_run_ = nullptr;
    Shape reference_shape_{};
    std::unique_ptr<Reference> reference_;
    std::vector<float> host_c_;
    bool any_failed_ = false;
};

} // namespace libsgemm::bench
