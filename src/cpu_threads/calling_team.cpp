// SPDX-License-Identifier: Apache-2.0
#include "cpu_threads/calling_team.hpp"

#include "cpu_threads/part_seconds.hpp"
#include "cpu_threads/team_cuts.hpp"
#include "device/query.hpp"
#include "execute/executor.hpp"
#include "execute/queue_turns.hpp"
#include "sgemm/error.hpp"
#include "support/spin.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <string>
#include <utility>

namespace libsgemm::detail {
namespace {

/// What it takes to begin together, and to see that all are done, by threads that are awake: they
/// wait for PoCL's locks as each of them enqueues (ADR 28).
double meeting_seconds(std::size_t threads) {
    constexpr double of_two = 3e-6;
    constexpr double of_each_more = 6e-6;
    return of_two + of_each_more * static_cast<double>(threads - 2);
}

/// Threads that sleep are woken for a problem whose pieces take so long: waking takes 8 us of the
/// caller's time, and they come some 40 us late.
constexpr double worth_waking_seconds = 40e-6;

/// Pieces are enqueued one after the other: two threads that wait for one of PoCL's locks at a
/// time, and find it taken at each call again, lose 8 us by sleeping.
constexpr std::chrono::microseconds apart{2};

void spin_until(execute::ThreadTeam::Clock::time_point time) {
    while (execute::ThreadTeam::Clock::now() < time) {
        support::pause_briefly();
    }
}

TeamExtents extents_of(const Problem& problem) {
    return {std::max<std::int64_t>(problem.batch_count, 1), problem.m, problem.n,
            problem.layout == Layout::column_major};
}

Problem problem_of(Problem problem, const TeamPiece& piece) {
    if (cuts_batch(problem)) {
        problem.batch_count = piece.products.count;
    }
    problem.m = piece.rows.count;
    problem.n = piece.columns.count;
    return problem;
}

Steps begin_of(const Problem& problem, const TeamPiece& piece) {
    const Steps products = product_steps(problem);
    const Steps rows = row_steps(problem);
    const Steps columns = column_steps(problem);
    const auto begin = [&](std::int64_t Steps::*operand) {
        return piece.products.first * (products.*operand) + piece.rows.first * (rows.*operand) +
               piece.columns.first * (columns.*operand);
    };
    return {begin(&Steps::a), begin(&Steps::b), begin(&Steps::c)};
}

validate::Matrices all_moved(const validate::Matrices& matrices, const Steps& begin) {
    return {moved(matrices.a, begin.a), moved(matrices.b, begin.b), moved(matrices.c, begin.c)};
}

/// Whether all commands of a queue are complete.
bool is_idle(cl_command_queue queue) {
    const Event behind = execute::enqueue_nothing(queue, {}, Completion::event);
    return device::is_complete(behind.get());
}

device::QueueHandle make_queue(const Core& core) {
    cl_int status = CL_SUCCESS;
    device::QueueHandle queue(clCreateCommandQueue(core.context(), core.device(), 0, &status));
    device::check(status, "clCreateCommandQueue");
    return queue;
}

} // namespace

SharedByTeam CallingTeam::share(const Problem& problem) const {
    SharedByTeam best{core_->predicted_seconds(problem), {}};
    const TeamExtents extents = extents_of(problem);
    std::vector<TeamPiece> chosen;
    for (const TeamGrid& grid : team_grids(extents, threads_)) {
        const auto pieces = team_pieces(extents, grid);
        if (pieces.size() < 2) {
            continue;
        }
        const double seconds = part_seconds(*core_, problem_of(problem, pieces.front())) +
                               meeting_seconds(pieces.size());
        if (seconds < best.seconds) {
            best.seconds = seconds;
            chosen = pieces;
        }
    }
    for (const TeamPiece& piece : chosen) {
        best.pieces.push_back(
            {validate::check_problem(problem_of(problem, piece)), begin_of(problem, piece)});
    }
    return best;
}

std::optional<Event> CallingTeam::try_run(const validate::CheckedProblem& whole,
                                          const SharedByTeam& shared, const CallArguments& call) {
    if (!validate::multiplies(whole, call.alpha)) {
        return std::nullopt;
    }
    std::call_once(started_, [this] { start(); });
    execute::ThreadTeam* const team = running_.load(std::memory_order_acquire);
    if (team == nullptr) {
        return std::nullopt;
    }
    const std::vector<Prepared> pieces = prepare(whole, shared, call);
    const execute::ThreadTeam::Turn team_turn(*team);
    if (pieces.empty() || !team_turn) {
        return std::nullopt;
    }
    const execute::QueueTurn queue_turn(call.queue);
    if (!is_idle(call.queue)) {
        return std::nullopt;
    }
    return run(*team, pieces, shared.seconds, call);
}

void CallingTeam::rest() noexcept {
    if (execute::ThreadTeam* const team = running_.load(std::memory_order_acquire)) {
        team->rest();
    }
}

/// All pieces before the first is computed, so that an error leaves C as it was; none where one of
/// them cannot be planned, as the whole might be.
std::vector<CallingTeam::Prepared> CallingTeam::prepare(const validate::CheckedProblem& whole,
                                                        const SharedByTeam& shared,
                                                        const CallArguments& call) const {
    // The whole: an element of C may be one of A or B of another piece.
    const validate::Alignments alignments =
        validate::check_matrices(whole, call.matrices, {true, call.beta != 0}, core_->context());
    std::vector<Prepared> prepared;
    try {
        for (const PieceOfTeam& piece : shared.pieces) {
            const Steps& begin = piece.begin;
            prepared.push_back(
                {all_moved(call.matrices, begin),
                 core_->prepare_part(
                     piece.checked,
                     validate::alignments_behind(alignments, begin.a, begin.b, begin.c), true)});
        }
    } catch (const Error& error) {
        core_->log().info([&] {
            return "a piece of a product cannot be planned, one thread computes all of it: " +
                   std::string(error.what());
        });
        prepared.clear();
    }
    return prepared;
}

/// Without threads or queues the caller computes alone.
void CallingTeam::start() {
    try {
        for (std::size_t member = 1; member < threads_; ++member) {
            queues_.push_back(make_queue(*core_));
        }
        team_ = std::make_unique<execute::ThreadTeam>(threads_, cores_);
        running_.store(team_.get(), std::memory_order_release);
    } catch (const std::exception& error) {
        core_->log().warning(
            [&] { return "no threads beside the calling one: " + std::string(error.what()); });
    }
}

/// The caller holds the pool, and its queue's lock.
Event CallingTeam::run(execute::ThreadTeam& team, const std::vector<Prepared>& pieces,
                       double seconds, const CallArguments& call) {
    const bool is_long = seconds > worth_waking_seconds;
    const auto begin = execute::ThreadTeam::Clock::now();
    Event last;
    team.run(
        pieces.size(),
        [&](std::size_t member, std::size_t task) {
            if (member == 0) {
                last = compute(pieces[task], call.queue, call);
            } else {
                spin_until(begin + static_cast<int>(task) * apart);
                compute(pieces[task], queues_[member - 1].get(), call);
            }
        },
        is_long);
    const auto now = execute::ThreadTeam::Clock::now();
    if (!is_long && now - last_end_ < execute::ThreadTeam::awake_for) {
        team.wake(pieces.size() - 1); // calls follow each other: the next one finds them awake
    }
    last_end_ = now;
    return last;
}

/// In the thread that calls; returns when it is done.
Event CallingTeam::compute(const Prepared& piece, cl_command_queue queue,
                           const CallArguments& call) const {
    // The caller has taken its queue's lock; of the others' queues nobody else knows.
    constexpr bool has_turn = true;
    Event done = core_->run(piece.plan, {queue, call.alpha, call.beta, piece.matrices,
                                         call.wait_list, Completion::event, has_turn});
    if (!device::is_complete(done.get())) {
        done.wait();
    }
    return done;
}

} // namespace libsgemm::detail
