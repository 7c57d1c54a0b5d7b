// SPDX-License-Identifier: Apache-2.0
#include "context/call_runner.hpp"

#include "context/alignment.hpp"
#include "plan/describe.hpp"
#include "support/text.hpp"

#include <exception>
#include <string>
#include <utility>

namespace libsgemm::detail {

using validate::CallArguments;

Event CallRunner::run(const CompiledPlan& plan, const char* origin, const CallArguments& call) {
    CallArguments canonical = call;
    canonical.matrices = canonical_matrices(plan.problem, call.matrices);
    return run_canonical(plan, origin, canonical);
}

Event CallRunner::run_canonical(const CompiledPlan& plan, const char* origin,
                                const CallArguments& call) {
    const auto lock = call.has_queue_lock ? QueueLock() : lock_of(call.queue);
    Event done = log_.traces() ? run_traced(plan, origin, call)
                               : execute::execute(plan.value, plan.programs, call, pool_);
    kernels_enqueued_ += plan.value.steps.size();
    return done;
}

Event CallRunner::run_nothing(cl_command_queue queue, const std::vector<cl_event>& wait_list,
                              Completion completion) const {
    const auto lock = lock_of(queue);
    return execute::enqueue_nothing(queue, wait_list, completion);
}

/// None where the driver needs none.
QueueLock CallRunner::lock_of(cl_command_queue queue) const {
    return in_calling_thread_ ? QueueLock(queue) : QueueLock();
}

/// Says what is run, and what is known by now of the calls before.
Event CallRunner::run_traced(const CompiledPlan& plan, const char* origin,
                             const CallArguments& call) {
    trace_completed();
    const std::uint64_t number = ++calls_traced_;
    const bool timed = execute::CallTimes::are_told_by(call.queue);
    const std::uint64_t allocations = pool_.allocations();
    std::vector<device::EventHandle> events;
    Event done =
        execute::execute(plan.value, plan.programs, call, pool_, timed ? &events : nullptr);
    log_.trace([&] {
        std::string text = "call " + std::to_string(number) + ": " +
                           planning::problem_text(plan.problem.canonical) + ": " +
                           planning::summarize(plan.value) + "; " + origin;
        if (plan.value.workspace_bytes > 0) {
            text += ", workspace " +
                    support::format_bytes(static_cast<double>(plan.value.workspace_bytes)) +
                    (pool_.allocations() > allocations ? " allocated" : " from the pool");
        }
        text += "; programs so far: " + std::to_string(programs_.built()) + " built, " +
                std::to_string(programs_.loaded()) + " loaded from disk";
        return timed ? text : text + "; no times: the queue has no CL_QUEUE_PROFILING_ENABLE";
    });
    if (timed) {
        times_.add(number, plan.value, std::move(events));
    }
    return done;
}

void CallRunner::trace_completed() {
    for (const std::string& line : times_.take_completed()) {
        log_.trace([&] { return line; });
    }
}

CallRunner::~CallRunner() {
    if (!log_.traces()) {
        return;
    }
    try {
        trace_completed();
    } catch (const std::exception&) { // NOLINT(bugprone-empty-catch): out of memory, at the end
    }
}

} // namespace libsgemm::detail
