// SPDX-License-Identifier: Apache-2.0
#include "cpu_threads/thread_pool.hpp"

#include "cpu_threads/locks/spin.hpp"

#include <algorithm>
#include <utility>

namespace libsgemm::detail {
namespace {

// The word of a run: | number: 32 | tasks: 16 | next: 16 |
constexpr unsigned bits = 16;
constexpr std::uint64_t mask = ThreadPool::most_tasks;

std::uint64_t next_of(std::uint64_t run) {
    return run & mask;
}

std::uint64_t tasks_of(std::uint64_t run) {
    return run >> bits & mask;
}

bool has_open_task(std::uint64_t run) {
    return next_of(run) < tasks_of(run);
}

/// The next run, whose first task its caller has.
std::uint64_t run_behind(std::uint64_t run, std::size_t tasks) {
    const std::uint64_t number = (run >> 2 * bits) + 1;
    return number << 2 * bits | static_cast<std::uint64_t>(tasks) << bits | 1;
}

} // namespace

ThreadPool::ThreadPool(std::size_t members, Cores cores) : cores_(std::move(cores)) {
    const WithoutSignals guard;
    try {
        for (std::size_t member = 1; member < members; ++member) {
            threads_.emplace_back([this, member] { serve(member); });
        }
    } catch (...) {
        stop(); // they must not outlive what they look at
        throw;
    }
}

ThreadPool::~ThreadPool() {
    stop();
}

void ThreadPool::stop() noexcept {
    {
        const std::lock_guard lock(sleep_);
        stopping_ = true;
    }
    woken_.notify_all();
    for (std::thread& thread : threads_) {
        thread.join();
    }
}

void ThreadPool::run(std::size_t tasks, const Work& work, bool wakes) {
    if (tasks == 0) {
        return;
    }
    keep_off_this_core();
    work_ = &work;
    finished_.store(0, std::memory_order_relaxed);
    resting_.store(false, std::memory_order_relaxed);
    run_.store(run_behind(run_.load(std::memory_order_relaxed), tasks));
    if (wakes) {
        wake(tasks - 1);
    }
    perform(0, 0);
    while (const auto task = claim()) {
        perform(0, *task);
    }
    wait_until_done(tasks);
    if (failure_) {
        std::rethrow_exception(std::exchange(failure_, nullptr));
    }
}

void ThreadPool::wake(std::size_t wanted) {
    // Who falls asleep counts itself first and then looks for work; who brings work looks then who
    // sleeps.
    const std::size_t asleep = sleeping_.load();
    const std::size_t awake = threads_.size() - std::min(asleep, threads_.size());
    if (asleep == 0 || awake >= wanted) {
        return;
    }
    {
        const std::lock_guard lock(sleep_);
        ++wakes_;
    }
    for (std::size_t more = awake; more < wanted; ++more) {
        woken_.notify_one();
    }
}

/// Left to itself the system may wake a thread where this one runs, and leave it there for many
/// milliseconds.
void ThreadPool::keep_off_this_core() noexcept {
    if (const int core = current_core(); core != kept_off_) {
        cores_.let_run(threads_, core);
        kept_off_ = core;
    }
}

void ThreadPool::serve(std::size_t member) {
    while (wait_for_work()) {
        while (const auto task = claim()) {
            perform(member, *task);
        }
    }
}

/// False at the end.
bool ThreadPool::wait_for_work() {
    if (!looks_for_work()) {
        std::unique_lock lock(sleep_);
        const std::uint64_t before = wakes_;
        ++sleeping_;
        woken_.wait(lock, [&] { return stopping_ || has_work() || wakes_ != before; });
        --sleeping_;
    }
    return !stopping_;
}

/// Until there is work, or the end; false: for long enough.
bool ThreadPool::looks_for_work() {
    constexpr int looks_between_times = 64;
    const Clock::time_point end = Clock::now() + awake_for;
    do {
        for (int look = 0; look < looks_between_times; ++look) {
            if (has_work() || stopping_.load(std::memory_order_relaxed)) {
                return true;
            }
            pause_briefly();
        }
        std::this_thread::yield(); // others may have more to do
    } while (!resting_.load(std::memory_order_relaxed) && Clock::now() < end);
    return false;
}

bool ThreadPool::has_work() const noexcept {
    return has_open_task(run_.load());
}

std::optional<std::size_t> ThreadPool::claim() noexcept {
    std::uint64_t run = run_.load(std::memory_order_acquire);
    while (has_open_task(run)) {
        if (run_.compare_exchange_weak(run, run + 1, std::memory_order_acq_rel,
                                       std::memory_order_acquire)) {
            return next_of(run);
        }
    }
    return std::nullopt;
}

void ThreadPool::perform(std::size_t member, std::size_t task) noexcept {
    try {
        (*work_)(member, task);
    } catch (...) {
        const std::lock_guard lock(failure_mutex_);
        if (!failure_) {
            failure_ = std::current_exception();
        }
    }
    finished_.fetch_add(1, std::memory_order_release);
}

void ThreadPool::wait_until_done(std::size_t tasks) const noexcept {
    constexpr int looks_between_yields = 1024;
    for (int look = 1; finished_.load(std::memory_order_acquire) != tasks; ++look) {
        pause_briefly();
        if (look % looks_between_yields == 0) {
            std::this_thread::yield(); // a member may need this core
        }
    }
}

} // namespace libsgemm::detail
