// SPDX-License-Identifier: Apache-2.0
#include "cpu_threads/thread_pool.hpp"

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <stdexcept>
#include <thread>
#include <vector>
#ifdef __linux__
#include <pthread.h>
#include <sched.h>
#endif

namespace libsgemm::detail {
namespace {

using namespace std::chrono_literals;

constexpr auto longer_than_awake = 10 * ThreadPool::awake_for;

/// How often each task of a run was performed.
std::vector<int> performed(ThreadPool& pool, std::size_t tasks, bool wakes = true) {
    std::vector<std::atomic<int>> counts(tasks);
    pool.run(
        tasks, [&](std::size_t, std::size_t task) { ++counts[task]; }, wakes);
    return {counts.begin(), counts.end()};
}

TEST(ThreadPool, PerformsEachTaskOnce) {
    for (const std::size_t members : {1U, 2U, 3U, 8U}) {
        ThreadPool pool(members);
        EXPECT_EQ(pool.members(), members);
        for (int run = 0; run < 500; ++run) {
            const auto tasks = static_cast<std::size_t>(run % 12);
            EXPECT_EQ(performed(pool, tasks, run % 2 == 0), std::vector<int>(tasks, 1));
        }
    }
}

TEST(ThreadPool, TheCallerHasTheFirstTask) {
    ThreadPool pool(3);
    const std::thread::id caller = std::this_thread::get_id();
    for (int run = 0; run < 100; ++run) {
        std::vector<std::size_t> by(4);
        pool.run(
            by.size(),
            [&](std::size_t member, std::size_t task) {
                EXPECT_LT(member, pool.members());
                EXPECT_EQ(member == 0, std::this_thread::get_id() == caller);
                by[task] = member;
            },
            true);
        EXPECT_EQ(by[0], 0U);
    }
}

TEST(ThreadPool, OthersComeWhereTheyAreAwaited) {
    ThreadPool pool(2);
    std::this_thread::sleep_for(longer_than_awake);
    std::atomic<bool> other_came{false};
    pool.run(
        2,
        [&](std::size_t member, std::size_t) {
            if (member == 1) {
                other_came = true;
            }
            const auto end = std::chrono::steady_clock::now() + 20s;
            while (!other_came && std::chrono::steady_clock::now() < end) {
                std::this_thread::yield();
            }
        },
        true);
    EXPECT_TRUE(other_came) << "it slept, and was not woken";
}

TEST(ThreadPool, WhoIsNotWokenIsNotWaitedFor) {
    ThreadPool pool(2);
    for (int run = 0; run < 5; ++run) {
        std::this_thread::sleep_for(longer_than_awake);
        EXPECT_EQ(performed(pool, 3, false), std::vector<int>(3, 1));
        pool.rest();
        EXPECT_EQ(performed(pool, 3, false), std::vector<int>(3, 1));
    }
}

TEST(ThreadPool, SleepsAfterAWhileOrWhereItIsSentTo) {
    ThreadPool pool(3);
    const auto falls_asleep = [&] {
        const auto end = std::chrono::steady_clock::now() + 20s;
        while (!pool.sleeps() && std::chrono::steady_clock::now() < end) {
            std::this_thread::sleep_for(100us);
        }
        return pool.sleeps();
    };
    performed(pool, 3);
    EXPECT_TRUE(falls_asleep());
    performed(pool, 3);
    pool.rest();
    EXPECT_TRUE(falls_asleep());
}

TEST(ThreadPool, ThrowsWhatATaskThrowsWhenAllAreDone) {
    ThreadPool pool(2);
    for (int run = 0; run < 50; ++run) {
        std::atomic<int> done{0};
        EXPECT_THROW(pool.run(
                         6,
                         [&](std::size_t, std::size_t task) {
                             ++done;
                             if (task % 2 == 1) {
                                 throw std::runtime_error("task");
                             }
                         },
                         true),
                     std::runtime_error);
        EXPECT_EQ(done, 6);
        EXPECT_EQ(performed(pool, 4), std::vector<int>(4, 1)) << "nothing is left of the failure";
    }
}

TEST(ThreadPool, OneCallerAtATime) {
    ThreadPool pool(2);
    {
        const ThreadPool::Hold mine(pool);
        EXPECT_TRUE(mine);
        EXPECT_FALSE(ThreadPool::Hold(pool)) << "nor a call below";
        std::thread([&] { EXPECT_FALSE(ThreadPool::Hold(pool)); }).join();
    }
    EXPECT_TRUE(ThreadPool::Hold(pool));
}

TEST(ThreadPool, KnowsNoCores) {
    ThreadPool pool(3, detail::Cores());
    for (int run = 0; run < 20; ++run) {
        EXPECT_EQ(performed(pool, 5), std::vector<int>(5, 1));
    }
}

#ifdef __linux__
TEST(ThreadPool, SharesOneCoreIfThereIsNoOther) {
    std::thread([] {
        cpu_set_t here;
        CPU_ZERO(&here);
        CPU_SET(static_cast<std::size_t>(detail::current_core()), &here);
        ASSERT_EQ(pthread_setaffinity_np(pthread_self(), sizeof here, &here), 0);
        const detail::Cores one = detail::Cores::of_this_thread();
        EXPECT_EQ(one.count(), 1U);
        ThreadPool pool(3, one);
        for (int run = 0; run < 20; ++run) {
            EXPECT_EQ(performed(pool, 5), std::vector<int>(5, 1));
        }
    }).join();
}
#endif

TEST(ThreadPool, EndsAwakeOrAsleep) {
    for (int time = 0; time < 50; ++time) {
        ThreadPool pool(4);
        if (time % 2 == 0) {
            performed(pool, 4);
        }
        if (time % 5 == 0) {
            std::this_thread::sleep_for(longer_than_awake);
        }
    }
}

} // namespace
} // namespace libsgemm::detail
