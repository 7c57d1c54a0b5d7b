// SPDX-License-Identifier: Apache-2.0
// One Context, many threads.
#include "device/kernel_fixture.hpp"
#include "support/case_data.hpp"

#include <functional>
#include <latch>
#include <string>
#include <thread>

namespace sgemm_test {
namespace {

constexpr int thread_count = 16;

/// Starts all at once: the first calls collide.
void in_threads(const std::function<void(int)>& work) {
    std::latch start(thread_count);
    std::vector<std::jthread> threads;
    threads.reserve(thread_count);
    for (int i = 0; i < thread_count; ++i) {
        threads.emplace_back([&start, &work, i] {
            start.arrive_and_wait();
            work(i);
        });
    }
}

/// A few problems that every thread computes, in an order of its own.
std::vector<Case> mixed_cases() {
    std::vector<Case> cases = {plain_case(33, 17, 21), plain_case(64, 64, 64),
                               plain_case(1, 90, 40), plain_case(50, 3, 0)};
    cases[1].beta = 0.5F;
    set_form(cases[2], all_forms()[6]);
    return cases;
}

class Threads : public DeviceTest {};

TEST_F(Threads, MixedCallsOnOneContextAreAllRight) {
    const libsgemm::Context shared = device().make_library();
    const std::vector<Case> cases = mixed_cases();
    std::vector<std::string> failures(thread_count);
    in_threads([&](int thread) {
        const auto own_queue = device().make_queue();
        for (std::size_t i = 0; i < 2 * cases.size(); ++i) {
            Case c = cases[(i + static_cast<std::size_t>(thread)) % cases.size()];
            c.seed = static_cast<std::uint64_t>(thread);
            CaseData data(device(), c);
            data.gemm(shared, own_queue.get());
            if (const auto result = data.verify(own_queue.get()); !result) {
                failures[static_cast<std::size_t>(thread)] += result.message();
            }
        }
    });
    EXPECT_EQ(failures, std::vector<std::string>(thread_count));

    const libsgemm::Context alone = device().make_library();
    for (const Case& c : cases) {
        CaseData(device(), c).gemm(alone, queue()).wait();
    }
    EXPECT_EQ(shared.statistics().programs_built, alone.statistics().programs_built)
        << "a program was built more than once";
}

TEST_F(Threads, ConcurrentFirstPlansBuildEachProgramOnce) {
    const libsgemm::Context shared = device().make_library();
    const Case c = plain_case(40, 40, 40);
    std::vector<std::string> kernels(thread_count);
    in_threads([&](int thread) {
        kernels[static_cast<std::size_t>(thread)] = shared.plan(c.problem).kernel();
    });
    const libsgemm::Context alone = device().make_library();
    const std::string kernel = alone.plan(c.problem).kernel();
    EXPECT_EQ(kernels, std::vector<std::string>(thread_count, kernel));
    EXPECT_EQ(shared.statistics().programs_built, alone.statistics().programs_built);
}

TEST_F(Threads, OnePlanMayBeEnqueuedByAll) {
    // Kernel arguments must not leak from one thread's call into another's.
    const Case c = plain_case(45, 35, 25);
    const libsgemm::Plan plan = library().plan(c.problem);
    std::vector<std::string> failures(thread_count);
    in_threads([&](int thread) {
        const auto own_queue = device().make_queue();
        for (int i = 0; i < 8; ++i) {
            Case variant = c;
            variant.seed = static_cast<std::uint64_t>(100 * thread + i);
            variant.alpha = static_cast<float>(thread + 1);
            CaseData data(device(), variant);
            data.enqueue(plan, own_queue.get());
            if (const auto result = data.verify(own_queue.get()); !result) {
                failures[static_cast<std::size_t>(thread)] += result.message();
            }
        }
    });
    EXPECT_EQ(failures, std::vector<std::string>(thread_count));
}

} // namespace
} // namespace sgemm_test
