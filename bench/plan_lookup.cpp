// SPDX-License-Identifier: Apache-2.0
//
// What a call pays for its plan after the first one of its kind, and what the first one pays:
//   sgemm-bench-lookup [ARGUMENTS OF GOOGLE BENCHMARK]
// No device is needed: planning is pure, and a remembered plan is found without one.
#include "context/plan_memo.hpp"
#include "plan/planner.hpp"
#include "problem/problem.hpp"
#include "support/standard_streams.hpp"
#include "tables/device_table.hpp"

#include <benchmark/benchmark.h>
#include <memory>
#include <vector>

namespace {

using libsgemm::detail::PlanKey;
using libsgemm::planning::PlanValue;
using Memo = libsgemm::detail::PlanMemo<std::shared_ptr<const PlanValue>>;

libsgemm::DeviceTraits h200() {
    libsgemm::DeviceTraits traits;
    traits.name = "NVIDIA H200";
    traits.vendor_key = "nvidia";
    traits.architecture = "sm_90";
    traits.type = libsgemm::DeviceType::gpu;
    traits.compute_units = 132;
    traits.clock_mhz = 1980;
    traits.max_work_group_size = 1024;
    traits.max_work_item_sizes[0] = traits.max_work_item_sizes[1] = 1024;
    traits.max_work_item_sizes[2] = 64;
    traits.local_memory_bytes = 49152;
    traits.global_memory_bytes = traits.max_allocation_bytes = std::int64_t{37} << 30;
    return traits;
}

libsgemm::Problem problem_of(std::int64_t size) {
    libsgemm::Problem problem;
    problem.m = size;
    problem.n = size + 1;
    problem.k = 2 * size;
    return problem;
}

/// What gemm() does before it looks for a plan, and the look.
std::shared_ptr<const PlanValue> look_up(const Memo& memo, const libsgemm::Problem& problem) {
    const auto checked = libsgemm::validate::check_problem(problem);
    return memo.find(PlanKey{checked.canonical, true}).value_or(nullptr);
}

/// `range(0)` problems are remembered; they are looked up one after the other.
void remembered(benchmark::State& state) {
    static Memo memo; // shared by threads, as a Context's is
    std::vector<libsgemm::Problem> problems;
    for (std::int64_t i = 0; i < state.range(0); ++i) {
        problems.push_back(problem_of(64 + 8 * i));
        memo.insert({libsgemm::validate::check_problem(problems.back()).canonical, true},
                    std::make_shared<const PlanValue>());
    }
    std::size_t next = 0;
    for ([[maybe_unused]] auto _ : state) {
        auto plan = look_up(memo, problems[next]);
        if (plan == nullptr) {
            state.SkipWithError("the plan was forgotten");
            break;
        }
        benchmark::DoNotOptimize(plan);
        next = next + 1 == problems.size() ? 0 : next + 1;
    }
}

void first_time(benchmark::State& state) {
    const libsgemm::DeviceTraits device = h200();
    const auto table = libsgemm::tables::built_in_table(device);
    const auto problem = libsgemm::validate::check_problem(problem_of(state.range(0))).canonical;
    for ([[maybe_unused]] auto _ : state) {
        benchmark::DoNotOptimize(libsgemm::planning::rank_plans(
            problem, {}, {device, table, libsgemm::catalog::kernel_catalog()}));
    }
}

} // namespace

BENCHMARK(remembered)->Arg(1)->Arg(1000)->Threads(1)->Threads(2);
BENCHMARK(first_time)->Arg(1000)->Unit(benchmark::kMicrosecond);

int main(int argc, char** argv) {
    libsgemm::support::hold_standard_streams();
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
        return 1;
    }
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return libsgemm::support::status_after_output("sgemm-bench-lookup", 0);
}
