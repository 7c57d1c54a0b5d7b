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
std::vector<int> performed(ThreadPool& team, std::size_t tasks, bool wakes = true) {
    std::vector<std::atomic<int>> counts(tasks);
    team.run(
        tasks, [&](std::size_t, std::size_t task) { ++counts[task]; }, wakes);
    return {counts.begin(), counts.end()};
}

TEST(ThreadPool, PerformsEachTaskOnce) {
    for (const std::size_t members : {1U, 2U, 3U, 8U}) {
        ThreadPool team(members);
        EXPECT_EQ(team.members(), members);
        for (int run = 0; run < 500; ++run) {
            const auto tasks = static_cast<std::size_t>(run % 12);
            EXPECT_EQ(performed(team, tasks, run % 2 == 0), std::vector<int>(tasks, 1));
        }
    }
}

TEST(ThreadPool, TheCallerHasTheFirstTask) {
    ThreadPool team(3);
    const std::thread::id caller = std::this_thread::get_id();
    for (int run = 0; run < 100; ++run) {
        std::vector<std::size_t> by(4);
        team.run(
            by.size(),
            [&](std::size_t member, std::size_t task) {
                EXPECT_LT(member, team.members());
                EXPECT_EQ(member == 0, std::this_thread::get_id() == caller);
                by[task] = member;
            },
            true);
        EXPECT_EQ(by[0], 0U);
    }
}

TEST(ThreadPool, OthersComeWhereTheyAreAwaited) {
    ThreadPool team(2);
    std::this_thread::sleep_for(longer_than_awake);
    std::atomic<bool> other_came{false};
    team.run(
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
    ThreadPool team(2);
    for (int run = 0; run < 5; ++run) {
        std::this_thread::sleep_for(longer_than_awake);
        EXPECT_EQ(performed(team, 3, false), std::vector<int>(3, 1));
        team.rest();
        EXPECT_EQ(performed(team, 3, false), std::vector<int>(3, 1));
    }
}

TEST(ThreadPool, SleepsAfterAWhileOrWhereItIsSentTo) {
    ThreadPool team(3);
    const auto falls_asleep = [&] {
        const auto end = std::chrono::steady_clock::now() + 20s;
        while (!team.sleeps() && std::chrono::steady_clock::now() < end) {
            std::this_thread::sleep_for(100us);
        }
        return team.sleeps();
    };
    performed(team, 3);
    EXPECT_TRUE(falls_asleep());
    performed(team, 3);
    team.rest();
    EXPECT_TRUE(falls_asleep());
}

TEST(ThreadPool, ThrowsWhatATaskThrowsWhenAllAreDone) {
    ThreadPool team(2);
    for (int run = 0; run < 50; ++run) {
        std::atomic<int> done{0};
        EXPECT_THROW(team.run(
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
        EXPECT_EQ(performed(team, 4), std::vector<int>(4, 1)) << "nothing is left of the failure";
    }
}

TEST(ThreadPool, OneCallerAtATime) {
    ThreadPool team(2);
    {
        const ThreadPool::Hold mine(team);
        EXPECT_TRUE(mine);
        EXPECT_FALSE(ThreadPool::Hold(team)) << "nor a call below";
        std::thread([&] { EXPECT_FALSE(ThreadPool::Hold(team)); }).join();
    }
    EXPECT_TRUE(ThreadPool::Hold(team));
}

TEST(ThreadPool, KnowsNoCores) {
    ThreadPool team(3, detail::Cores());
    for (int run = 0; run < 20; ++run) {
        EXPECT_EQ(performed(team, 5), std::vector<int>(5, 1));
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
        ThreadPool team(3, one);
        for (int run = 0; run < 20; ++run) {
            EXPECT_EQ(performed(team, 5), std::vector<int>(5, 1));
        }
    }).join();
}
#endif

TEST(ThreadPool, EndsAwakeOrAsleep) {
    for (int time = 0; time < 50; ++time) {
        ThreadPool team(4);
        if (time % 2 == 0) {
            performed(team, 4);
        }
        if (time % 5 == 0) {
            std::this_thread::sleep_for(longer_than_awake);
        }
    }
}

} // namespace
} // namespace libsgemm::detail
