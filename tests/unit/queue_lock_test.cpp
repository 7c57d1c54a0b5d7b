// SPDX-License-Identifier: Apache-2.0
#include "cpu_threads/locks/queue_lock.hpp"

#include <atomic>
#include <cstdint>
#include <gtest/gtest.h>
#include <latch>
#include <thread>
#include <vector>

namespace libsgemm::detail {
namespace {

/// The lock asks nothing of its queue.
cl_command_queue queue_number(std::uintptr_t number) {
    return reinterpret_cast<cl_command_queue>(number * 64);
}

TEST(QueueLock, OfOtherQueuesAreNotWaitedFor) {
    std::vector<QueueLock> taken;
    for (std::uintptr_t number = 1; number <= 40; ++number) {
        taken.emplace_back(queue_number(number));
    }
    std::thread([] { const QueueLock turn(queue_number(41)); }).join();
}

TEST(QueueLock, OfOneQueueAreTakenOneAfterTheOther) {
    constexpr int threads = 4;
    constexpr int turns = 1000;
    int count = 0; // what the locks guard
    std::vector<std::thread> running;
    for (int t = 0; t < threads; ++t) {
        running.emplace_back([&, t] {
            for (int i = 0; i < turns; ++i) {
                { // not held beside the next: what one queue had another one gets
                    const QueueLock other(queue_number(static_cast<std::uintptr_t>(t) + 2));
                }
                const QueueLock turn(queue_number(1));
                const QueueLock again(queue_number(1));
                ++count;
            }
        });
    }
    for (std::thread& thread : running) {
        thread.join();
    }
    EXPECT_EQ(count, threads * turns);
}

TEST(QueueLock, AQueueIsWaitedFor) {
    std::atomic<bool> is_in{false};
    std::latch begins{1};
    std::thread second;
    {
        const QueueLock first(queue_number(1));
        second = std::thread([&] {
            begins.count_down();
            const QueueLock turn(queue_number(1));
            is_in = true;
        });
        begins.wait();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        EXPECT_FALSE(is_in);
    }
    second.join();
    EXPECT_TRUE(is_in);
}

} // namespace
} // namespace libsgemm::detail
