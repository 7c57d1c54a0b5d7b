// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "context/core.hpp"
#include "cpu_threads/blocks.hpp"
#include "cpu_threads/cores.hpp"
#include "cpu_threads/thread_pool.hpp"
#include "device/handles.hpp"
#include "problem/problem.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace libsgemm::detail {

/// How threads share a problem.
struct ThreadShares {
    /// A block that one of them computes.
    struct One {
        validate::CheckedProblem checked;
        OperandOffsets begin; ///< of its matrices, from those of the problem
    };
    double seconds = 0;      ///< predicted
    std::vector<One> blocks; ///< none: the caller computes all of it alone
};

/// What a part of a problem is predicted to take; for ever where it has no plan, as where the
/// options ask for a kernel that the part is too small for.
double part_seconds(const Core& core, const Problem& part);

/// Threads that compute with the calling one, on a device that computes in whichever thread
/// enqueues: each has a queue of its own there, of which nothing is seen outside. They start with
/// the first problem that they share. All members may be called from any thread.
class CallerThreads {
public:
    /// `threads`: with the caller; they run where this thread may.
    CallerThreads(std::shared_ptr<const Core> core, std::size_t threads)
        : core_(std::move(core)), threads_(threads), cores_(Cores::of_this_thread()) {}

    /// The way that is predicted to end first; `problem` is resolved.
    ThreadShares share(const Problem& problem) const;

    /// Computes it, the caller's blocks in the call's queue, and returns the event of the last of
    /// these. The call's wait list is empty or complete. Throws ArgumentError. Nothing is done, and
    /// nothing returned, where nothing is to be multiplied or a block cannot be planned, where
    /// another thread has the pool or there is none, or where commands of the call's queue are not
    /// complete: the problem would not be behind them.
    std::optional<Event> try_run(const validate::CheckedProblem& whole, const ThreadShares& shared,
                                 const CallArguments& call);

    /// For other threads that need the cores.
    void rest() noexcept;

private:
    struct Prepared {
        validate::Matrices matrices;
        PlanMaker::Found plan;
    };

    std::vector<Prepared> prepare(const validate::CheckedProblem& whole, const ThreadShares& shared,
                                  const CallArguments& call) const;
    void start();
    Event run(ThreadPool& pool, const std::vector<Prepared>& blocks, double seconds,
              const CallArguments& call);
    Event compute(const Prepared& block, cl_command_queue queue, const CallArguments& call) const;

    std::shared_ptr<const Core> core_;
    std::size_t threads_;
    Cores cores_;
    std::once_flag started_;
    std::vector<device::QueueHandle> queues_; ///< of all members but the caller
    std::unique_ptr<ThreadPool> pool_;
    std::atomic<ThreadPool*> running_{nullptr}; ///< `pool_`, once it is there
    ThreadPool::Clock::time_point last_end_;    ///< of who holds the pool
};

} // namespace libsgemm::detail
