// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tune/fit/plan_timer.hpp"

#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

namespace libsgemm::tune {

/// Builds plans on threads, in the order in which they were asked for, while others are timed.
class BuildAhead {
public:
    BuildAhead(PlanTimer& timer, int threads);
    /// Waits for the builds that have begun; the others are forgotten.
    ~BuildAhead();
    BuildAhead(const BuildAhead&) = delete;
    BuildAhead& operator=(const BuildAhead&) = delete;

    /// The future throws what PlanTimer::build() throws.
    std::future<BuiltPlan> build(planning::PlanValue plan);

private:
    void work();

    PlanTimer& timer_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::packaged_task<BuiltPlan()>> tasks_;
    bool ended_ = false;
    std::vector<std::thread> threads_;
};

} // namespace libsgemm::tune
