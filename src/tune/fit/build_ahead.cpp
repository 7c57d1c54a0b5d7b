// SPDX-License-Identifier: Apache-2.0
#include "tune/fit/build_ahead.hpp"

#include <utility>

namespace libsgemm::tune {

BuildAhead::BuildAhead(PlanTimer& timer, int threads) : timer_(timer) {
    for (int i = 0; i < threads; ++i) {
        threads_.emplace_back([this] { work(); });
    }
}

BuildAhead::~BuildAhead() {
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
        tasks_.clear();
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) {
        thread.join();
    }
}

std::future<BuiltPlan> BuildAhead::build(planning::PlanValue plan) {
    std::packaged_task<BuiltPlan()> task(
        [this, plan = std::move(plan)] { return timer_.build(plan); });
    std::future<BuiltPlan> future = task.get_future();
    {
        const std::lock_guard lock(mutex_);
        tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
    return future;
}

void BuildAhead::work() {
    for (;;) {
        std::packaged_task<BuiltPlan()> task;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [this] { return ended_ || !tasks_.empty(); });
            if (ended_) {
                return;
            }
            task = std::move(tasks_.front());
            tasks_.pop_front();
        }
        task();
    }
}

} // namespace libsgemm::tune
