// SPDX-License-Identifier: Apache-2.0
#include "cpu_threads/locks/launch_gate.hpp"

#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

namespace libsgemm::detail {
namespace {

/// What PoCL 3.1 does: copies of a kernel, the last one used first; taken by width, given back by
/// name.
class Copies {
public:
    void take(std::size_t width) {
        const std::lock_guard lock(mutex_);
        auto found = std::find_if(copies_.begin(), copies_.end(),
                                  [&](const Copy& copy) { return width <= copy.width; });
        if (found == copies_.end()) {
            found = copies_.insert(copies_.begin(), Copy{width, 0});
        } else {
            copies_.splice(copies_.begin(), copies_, found);
        }
        ++found->used;
    }
    void give_back() {
        const std::lock_guard lock(mutex_);
        if (--copies_.front().used < 0) {
            ++wrong_;
        }
    }
    int wrong() const { return wrong_; }
    std::size_t count() const { return copies_.size(); }

private:
    struct Copy {
        std::size_t width;
        int used;
    };
    std::mutex mutex_;
    std::list<Copy> copies_;
    int wrong_ = 0;
};

LaunchGate::Kernel new_kernel() {
    static std::atomic<std::uint64_t> number{1000};
    return {number++, {1, 1, 1}};
}

TEST(LaunchGate, GivesBackWhatWasTaken) {
    for (int round = 0; round < 50; ++round) {
        const LaunchGate::Kernel kernel = new_kernel();
        Copies copies;
        std::vector<std::thread> threads;
        for (std::size_t t = 0; t < 4; ++t) {
            threads.emplace_back([&, t] {
                for (std::size_t launch = 0; launch < 40; ++launch) {
                    const std::size_t width = (launch * 7 + t * 5) % 23 + 1;
                    const LaunchGate gate(kernel, {width, width / 2 + 1, 9});
                    copies.take(std::max(width, width / 2 + 1));
                    if (launch % 3 == 0) {
                        std::this_thread::yield();
                    }
                    copies.give_back();
                }
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        EXPECT_EQ(copies.wrong(), 0);
        EXPECT_GE(copies.count(), 1U);
    }
}

TEST(LaunchGate, EqualLaunchesGoTogether) {
    const LaunchGate::Kernel kernel = new_kernel();
    { const LaunchGate first(kernel, {8, 1, 1}); }
    const LaunchGate outer(kernel, {8, 1, 1});
    bool came = false;
    std::thread([&] {
        const LaunchGate inner(kernel, {8, 1, 1});
        const LaunchGate narrower(kernel, {3, 1, 1});
        came = true;
    }).join();
    EXPECT_TRUE(came);
}

TEST(LaunchGate, AWiderLaunchWaitsForOthersOfItsKernelAlone) {
    const LaunchGate::Kernel kernel = new_kernel();
    const LaunchGate::Kernel another = new_kernel();
    { const LaunchGate first(kernel, {8, 1, 1}); }
    std::atomic<bool> is_in{false};
    std::thread wider;
    {
        const LaunchGate narrow(kernel, {8, 1, 1});
        wider = std::thread([&] {
            const LaunchGate gate(kernel, {9, 1, 1});
            is_in = true;
        });
        std::thread([&] { const LaunchGate gate(another, {9, 1, 1}); }).join();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        EXPECT_FALSE(is_in);
    }
    wider.join();
    EXPECT_TRUE(is_in);
}

TEST(LaunchGate, ALaunchBelowAnotherWaitsForNothing) {
    const LaunchGate::Kernel kernel = new_kernel();
    const LaunchGate outer(kernel, {4, 1, 1});
    const LaunchGate below(kernel, {400, 1, 1});
}

/// Copies of kernels that were not used for long are gone.
TEST(LaunchGate, AKernelThatWasNotUsedForLongStartsAnew) {
    const LaunchGate::Kernel kernel = new_kernel();
    { const LaunchGate first(kernel, {8, 1, 1}); }
    for (int others = 0; others < 100; ++others) {
        const LaunchGate gate(new_kernel(), {8, 1, 1});
    }
    std::atomic<bool> is_in{false};
    std::thread second;
    {
        const LaunchGate alone(kernel, {2, 1, 1});
        second = std::thread([&] {
            const LaunchGate gate(kernel, {2, 1, 1});
            is_in = true;
        });
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        EXPECT_FALSE(is_in) << "the first one loads it";
    }
    second.join();
}

} // namespace
} // namespace libsgemm::detail
