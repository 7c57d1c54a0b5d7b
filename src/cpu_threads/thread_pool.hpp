// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu_threads/cores.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace libsgemm::detail {

/// Threads that compute with the thread that calls. Between calls each looks for work for a while
/// (`awake_for`), so that the next call need not wake it, and then sleeps. All members may be
/// called from any thread.
class ThreadPool {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::microseconds awake_for{200};

    /// A task, and the member that performs it: 0 is the caller.
    using Work = std::function<void(std::size_t member, std::size_t task)>;

    /// `members` with the caller, at least one; the others run on `cores`. Throws std::system_error
    /// where threads cannot be had.
    explicit ThreadPool(std::size_t members, Cores cores = Cores::of_this_thread());
    /// No call may be under way.
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    std::size_t members() const noexcept { return threads_.size() + 1; }

    /// Holds the pool for one caller at a time.
    class Hold {
    public:
        /// False: another thread, or a call below this one, holds it.
        explicit Hold(ThreadPool& pool) noexcept
            : pool_(pool), mine_(!pool.taken_.exchange(true)) {}
        ~Hold() {
            if (mine_) {
                pool_.taken_ = false;
            }
        }
        Hold(const Hold&) = delete;
        Hold& operator=(const Hold&) = delete;
        explicit operator bool() const noexcept { return mine_; }

    private:
        ThreadPool& pool_;
        bool mine_;
    };

    /// Performs tasks 0 to tasks - 1 (at most `most_tasks`), each once: the caller the first one,
    /// and then whoever comes first the next. Returns when all are done; throws then what the first
    /// task that failed has thrown. Members that sleep come only where `wakes`, which takes some
    /// microseconds. The caller holds the pool.
    static constexpr std::size_t most_tasks = 0xffff;
    void run(std::size_t tasks, const Work& work, bool wakes);

    /// Sees to it that so many others are awake, if there are: for a call that is expected soon.
    /// The caller holds the pool.
    void wake(std::size_t wanted);
    /// Sends who looks for work to sleep: other threads need the cores.
    void rest() noexcept { resting_.store(true, std::memory_order_relaxed); }
    /// Whether any member sleeps, or is about to.
    bool sleeps() const noexcept { return sleeping_.load() > 0; }

private:
    void stop() noexcept;
    void serve(std::size_t member);
    bool wait_for_work();
    bool looks_for_work();
    bool has_work() const noexcept;
    void keep_off_this_core() noexcept;
    std::optional<std::size_t> claim() noexcept;
    void perform(std::size_t member, std::size_t task) noexcept;
    void wait_until_done(std::size_t tasks) const noexcept;

    /// Of the run under way: its number, how many tasks it has and which is next. One word, so that
    /// nobody claims a task of another run than the one it has seen.
    std::atomic<std::uint64_t> run_{0};
    std::atomic<std::size_t> finished_{0};
    const Work* work_ = nullptr; ///< read by who has claimed a task of this run
    std::atomic<bool> resting_{false};
    std::atomic<bool> stopping_{false};
    std::atomic<std::size_t> sleeping_{0};
    std::uint64_t wakes_ = 0; ///< under sleep_
    Cores cores_;
    int kept_off_ = -1; ///< the core that the other members may not run on; of who holds the pool
    std::mutex sleep_;
    std::condition_variable woken_;
    std::mutex failure_mutex_;
    std::exception_ptr failure_;
    std::atomic<bool> taken_{false};
    std::vector<std::thread> threads_;
};

} // namespace libsgemm::detail
