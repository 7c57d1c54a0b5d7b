// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/program_cache.hpp"
#include "context/compiled_plan.hpp"
#include "cpu_threads/locks/queue_lock.hpp"
#include "execute/call_times.hpp"
#include "execute/executor.hpp"
#include "execute/workspace_pool.hpp"
#include "problem/operands.hpp"
#include "sgemm/event.hpp"
#include "support/log.hpp"

#include <atomic>
#include <cstdint>
#include <vector>

namespace libsgemm::detail {

/// Enqueues compiled plans, and traces what it does where the log is asked to. All members may be
/// called from any thread.
class CallRunner {
public:
    /// All arguments outlive this object. `in_calling_thread`: the device is PoCL's that computes
    /// there.
    CallRunner(execute::WorkspacePool& pool, const compile::ProgramCache& programs,
               const support::Log& log, bool in_calling_thread)
        : pool_(pool), programs_(programs), log_(log), in_calling_thread_(in_calling_thread) {}
    /// Traces the times that are known by now.
    ~CallRunner();
    CallRunner(const CallRunner&) = delete;
    CallRunner& operator=(const CallRunner&) = delete;

    /// `origin`: where the plan comes from, for the trace. The matrices are the caller's.
    Event run(const CompiledPlan& plan, const char* origin, const validate::CallArguments& call);
    /// The same with the matrices in the places where the plan has them.
    Event run_canonical(const CompiledPlan& plan, const char* origin,
                        const validate::CallArguments& call);

    /// Of calls that have nothing to do: execute::enqueue_nothing().
    Event run_nothing(cl_command_queue queue, const std::vector<cl_event>& wait_list,
                      Completion completion) const;

    std::uint64_t kernels_enqueued() const { return kernels_enqueued_; }

private:
    QueueLock lock_of(cl_command_queue queue) const;
    Event run_traced(const CompiledPlan& plan, const char* origin,
                     const validate::CallArguments& call);
    void trace_completed();

    execute::WorkspacePool& pool_;
    const compile::ProgramCache& programs_;
    const support::Log& log_;
    bool in_calling_thread_;
    std::atomic<std::uint64_t> kernels_enqueued_{0};
    std::atomic<std::uint64_t> calls_traced_{0};
    execute::CallTimes times_; ///< of traced calls
};

} // namespace libsgemm::detail
