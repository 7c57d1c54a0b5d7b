// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "context/core.hpp"
#include "cpu_threads/problem_parts.hpp"
#include "device/handles.hpp"
#include "execute/thread_team.hpp"
#include "problem/problem.hpp"
#include "support/cores.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace libsgemm::detail {

/// What one thread computes of a problem.
struct PieceOfTeam {
    validate::CheckedProblem checked;
    Steps begin; ///< of its matrices, from those of the problem
};

/// How threads share a problem.
struct SharedByTeam {
    double seconds = 0;              ///< predicted
    std::vector<PieceOfTeam> pieces; ///< none: the caller computes all of it alone
};

/// Threads that compute with the calling one, on a device that computes in whichever thread
/// enqueues: each has a queue of its own there, of which nothing is seen outside. They start with
/// the first problem that they share. All members may be called from any thread.
class CallingTeam {
public:
    /// `threads`: with the caller; they run where this thread may.
    CallingTeam(std::shared_ptr<const Core> core, std::size_t threads)
        : core_(std::move(core)), threads_(threads), cores_(support::Cores::of_this_thread()) {}

    /// The way that is predicted to end first; `problem` is resolved.
    SharedByTeam share(const Problem& problem) const;

    /// Computes it, the caller's pieces in the call's queue, and returns the event of the last of
    /// these. The call's wait list is empty or complete. Throws ArgumentError. Nothing is done, and
    /// nothing returned, where nothing is to be multiplied or a piece cannot be planned, where
    /// another thread has the pool or there is none, or where commands of the call's queue are not
    /// complete: the problem would not be behind them.
    std::optional<Event> try_run(const validate::CheckedProblem& whole, const SharedByTeam& shared,
                                 const CallArguments& call);

    /// For other threads that need the cores.
    void rest() noexcept;

private:
    struct Prepared {
        validate::Matrices matrices;
        PlanMaker::Found plan;
    };

    std::vector<Prepared> prepare(const validate::CheckedProblem& whole, const SharedByTeam& shared,
                                  const CallArguments& call) const;
    void start();
    Event run(execute::ThreadTeam& team, const std::vector<Prepared>& pieces, double seconds,
              const CallArguments& call);
    Event compute(const Prepared& piece, cl_command_queue queue, const CallArguments& call) const;

    std::shared_ptr<const Core> core_;
    std::size_t threads_;
    support::Cores cores_;
    std::once_flag started_;
    std::vector<device::QueueHandle> queues_; ///< of all members but the caller
    std::unique_ptr<execute::ThreadTeam> team_;
    std::atomic<execute::ThreadTeam*> running_{nullptr}; ///< `team_`, once it is there
    execute::ThreadTeam::Clock::time_point last_end_;    ///< of who holds the pool
};

} // namespace libsgemm::detail
