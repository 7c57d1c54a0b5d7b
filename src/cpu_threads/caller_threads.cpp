// SPDX-License-Identifier: Apache-2.0
#include "cpu_threads/caller_threads.hpp"

#include "cpu_threads/blocks.hpp"
#include "cpu_threads/locks/queue_lock.hpp"
#include "cpu_threads/locks/spin.hpp"
#include "device/query.hpp"
#include "execute/executor.hpp"
#include "sgemm/error.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <limits>
#include <string>
#include <utility>

namespace libsgemm::detail {
namespace {

// Times of the thread pool and of PoCL's locks (ADR 28). No coefficients of a device table: no CPU
// is known to need others.

/// What two threads that are awake take to begin together, and to see that both are done.
constexpr double meeting_of_two_seconds = 3e-6;
/// Each more waits for PoCL's locks as it enqueues.
constexpr double meeting_of_one_more_seconds = 6e-6;
/// Threads that sleep are woken for a problem whose blocks take so long: waking takes 8 us of the
/// caller's time, and they come some 40 us late.
constexpr double worth_waking_seconds = 40e-6;

/// Blocks are enqueued one after the other: two threads that wait for one of PoCL's locks at a
/// time, and find it taken at each call again, lose 8 us by sleeping.
constexpr std::chrono::microseconds apart{2};

double meeting_seconds(std::size_t threads) {
    return meeting_of_two_seconds + meeting_of_one_more_seconds * static_cast<double>(threads - 2);
}

void spin_until(ThreadPool::Clock::time_point time) {
    while (ThreadPool::Clock::now() < time) {
        pause_briefly();
    }
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

double part_seconds(const Core& core, const Problem& part) {
    try {
        return core.predicted_seconds(part);
    } catch (const UnsupportedError&) {
        return std::numeric_limits<double>::infinity();
    }
}

ThreadShares CallerThreads::share(const Problem& problem) const {
    ThreadShares best{core_->predicted_seconds(problem), {}};
    std::vector<Block> chosen;
    for (std::vector<Block>& blocks : ways_to_cut(problem, threads_)) {
        const double seconds = part_seconds(*core_, problem_of(problem, blocks.front())) +
                               meeting_seconds(blocks.size());
        if (seconds < best.seconds) {
            best.seconds = seconds;
            chosen = std::move(blocks);
        }
    }
    for (const Block& block : chosen) {
        best.blocks.push_back(
            {validate::check_problem(problem_of(problem, block)), begin_of(problem, block)});
    }
    return best;
}

std::optional<Event> CallerThreads::try_run(const validate::CheckedProblem& whole,
                                            const ThreadShares& shared, const CallArguments& call) {
    if (!validate::multiplies(whole, call.alpha)) {
        return std::nullopt;
    }
    std::call_once(started_, [this] { start(); });
    ThreadPool* const pool = running_.load(std::memory_order_acquire);
    if (pool == nullptr) {
        return std::nullopt;
    }
    const std::vector<Prepared> blocks = prepare(whole, shared, call);
    const ThreadPool::Hold hold(*pool);
    if (blocks.empty() || !hold) {
        return std::nullopt;
    }
    const QueueLock queue_lock(call.queue);
    if (!is_idle(call.queue)) {
        return std::nullopt;
    }
    return run(*pool, blocks, shared.seconds, call);
}

void CallerThreads::rest() noexcept {
    if (ThreadPool* const pool = running_.load(std::memory_order_acquire)) {
        pool->rest();
    }
}

/// All blocks before the first is computed, so that an error leaves C as it was; none where one of
/// them cannot be planned, as the whole might be.
std::vector<CallerThreads::Prepared> CallerThreads::prepare(const validate::CheckedProblem& whole,
                                                            const ThreadShares& shared,
                                                            const CallArguments& call) const {
    // The whole: an element of C may be one of A or B of another block.
    const validate::Alignments alignments =
        validate::check_matrices(whole, call.matrices, {true, call.beta != 0}, core_->context());
    std::vector<Prepared> prepared;
    try {
        for (const ThreadShares::One& block : shared.blocks) {
            const OperandOffsets& begin = block.begin;
            prepared.push_back(
                {moved(call.matrices, begin),
                 core_->prepare_part(
                     block.checked,
                     validate::alignments_behind(alignments, begin.a, begin.b, begin.c), true)});
        }
    } catch (const Error& error) {
        core_->log().info([&] {
            return "a block of a product cannot be planned, one thread computes all of it: " +
                   std::string(error.what());
        });
        prepared.clear();
    }
    return prepared;
}

/// Without threads or queues the caller computes alone.
void CallerThreads::start() {
    try {
        for (std::size_t member = 1; member < threads_; ++member) {
            queues_.push_back(make_queue(*core_));
        }
        pool_ = std::make_unique<ThreadPool>(threads_, cores_);
        running_.store(pool_.get(), std::memory_order_release);
    } catch (const std::exception& error) {
        core_->log().warning(
            [&] { return "no threads beside the calling one: " + std::string(error.what()); });
    }
}

/// The caller holds the pool, and its queue's lock.
Event CallerThreads::run(ThreadPool& pool, const std::vector<Prepared>& blocks, double seconds,
                         const CallArguments& call) {
    const bool is_long = seconds > worth_waking_seconds;
    const auto begin = ThreadPool::Clock::now();
    Event last;
    pool.run(
        blocks.size(),
        [&](std::size_t member, std::size_t task) {
            if (member == 0) {
                last = compute(blocks[task], call.queue, call);
            } else {
                spin_until(begin + static_cast<int>(task) * apart);
                compute(blocks[task], queues_[member - 1].get(), call);
            }
        },
        is_long);
    const auto now = ThreadPool::Clock::now();
    if (!is_long && now - last_end_ < ThreadPool::awake_for) {
        pool.wake(blocks.size() - 1); // calls follow each other: the next one finds them awake
    }
    last_end_ = now;
    return last;
}

/// In the thread that calls; returns when it is done.
Event CallerThreads::compute(const Prepared& block, cl_command_queue queue,
                             const CallArguments& call) const {
    // The caller has taken its queue's lock; of the others' queues nobody else knows.
    constexpr bool has_queue_lock = true;
    Event done = core_->run(block.plan, {queue, call.alpha, call.beta, block.matrices,
                                         call.wait_list, Completion::event, has_queue_lock});
    if (!device::is_complete(done.get())) {
        done.wait();
    }
    return done;
}

} // namespace libsgemm::detail
