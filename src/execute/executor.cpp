// SPDX-License-Identifier: Apache-2.0
#include "execute/executor.hpp"

#include "cpu_threads/locks/launch_gate.hpp"
#include "device/buffer_place.hpp"
#include "device/query.hpp"
#include "execute/numbers.hpp"

#include <optional>
#include <span>
#include <type_traits>
#include <utility>

namespace libsgemm::execute {
namespace {

using planning::Argument;
using planning::Step;
using validate::CallArguments;

template <class Value>
compile::KernelObject::Bytes bytes_of(const Value& value) {
    return std::as_bytes(std::span(&value, 1));
}

/// What PoCL's device that computes in the calling thread (3.1 to 7.1) takes from a buffer when it
/// becomes an argument; the rest it asks of the buffer at each launch.
struct BufferMeaning {
    cl_mem buffer = nullptr;
    device::BufferPlace place;
};
static_assert(std::has_unique_object_representations_v<BufferMeaning>);

/// The matrix whose memory an argument is; null for any other argument.
const Matrix* matrix_of(const Argument& argument, const validate::Matrices& matrices) {
    switch (argument.kind) {
    case Argument::Kind::buffer_a:
        return &matrices.a;
    case Argument::Kind::buffer_b:
        return &matrices.b;
    case Argument::Kind::buffer_c:
        return &matrices.c;
    default:
        return nullptr;
    }
}

/// The kernel's arguments: its memory, each set as it comes ...
class Arguments {
public:
    /// `remembers_buffers`: one that means the same as before need not be set again.
    Arguments(compile::KernelObject& kernel, const CallArguments& call,
              const WorkspacePool::Loan* loan, bool remembers_buffers)
        : kernel_(kernel), call_(call), loan_(loan), remembers_buffers_(remembers_buffers) {}

    void add(const Argument& argument) {
        switch (argument.kind) {
        case Argument::Kind::buffer_a:
        case Argument::Kind::buffer_b:
        case Argument::Kind::buffer_c:
            return add_matrix(*matrix_of(argument, call_.matrices));
        case Argument::Kind::workspace:
            return add_buffer(loan_ != nullptr ? loan_->buffer() : nullptr);
        case Argument::Kind::counters:
            return add_buffer(loan_ != nullptr ? loan_->counters() : nullptr);
        case Argument::Kind::offset_a:
            return add_offset(call_.matrices.a, argument);
        case Argument::Kind::offset_b:
            return add_offset(call_.matrices.b, argument);
        case Argument::Kind::offset_c:
            return add_offset(call_.matrices.c, argument);
        case Argument::Kind::integer:
            return numbers_.append(static_cast<cl_long>(argument.value));
        case Argument::Kind::alpha:
            return numbers_.append(cl_float{call_.alpha});
        case Argument::Kind::beta:
            return numbers_.append(cl_float{call_.beta});
        case Argument::Kind::one:
            return numbers_.append(cl_float{1});
        case Argument::Kind::zero:
            return numbers_.append(cl_float{0});
        }
    }
    /// ... and its numbers in one struct, the first argument.
    void set_numbers() {
        const compile::KernelObject::Bytes bytes(static_cast<const std::byte*>(numbers_.data()),
                                                 numbers_.size());
        kernel_.set_if_changed(0, bytes, bytes);
    }

private:
    void add_matrix(const Matrix& matrix) {
#ifdef CL_VERSION_2_0
        if (matrix.svm != nullptr) {
            return kernel_.set_pointer(index_++, matrix.svm);
        }
#endif
        add_buffer(matrix.buffer);
    }
    void add_buffer(cl_mem buffer) {
        if (remembers_buffers_ && buffer != nullptr) {
            const BufferMeaning meaning{buffer, device::place_of(buffer)};
            kernel_.set_if_changed(index_++, bytes_of(buffer), bytes_of(meaning));
        } else {
            kernel_.set(index_++, bytes_of(buffer));
        }
    }
    void add_offset(const Matrix& matrix, const Argument& argument) {
        numbers_.append(static_cast<cl_long>(matrix.offset + argument.value));
    }

    compile::KernelObject& kernel_;
    const CallArguments& call_;
    const WorkspacePool::Loan* loan_;
    bool remembers_buffers_;
    Numbers numbers_;
    cl_uint index_ = 1;
};

compile::Program::Pointers pointers_of(const Step& step, const validate::Matrices& matrices) {
    compile::Program::Pointers pointers = 0;
    for (std::size_t i = 0; i < step.arguments.size(); ++i) {
        const Matrix* const matrix = matrix_of(step.arguments[i], matrices);
        if (matrix != nullptr && matrix->svm != nullptr) {
            pointers |= compile::Program::Pointers{1} << i;
        }
    }
    return pointers;
}

device::EventHandle enqueue(const Step& step, const compile::Program& program,
                            const CallArguments& call, const WorkspacePool::Loan* loan,
                            const std::vector<cl_event>& wait_list, bool wants_event) {
    compile::Program::Lease kernel(program, pointers_of(step, call.matrices));
    const bool in_calling_thread = program.is_run_in_calling_thread();
    Arguments arguments(kernel.object(), call, loan, in_calling_thread);
    for (const Argument& argument : step.arguments) {
        arguments.add(argument);
    }
    arguments.set_numbers();
    std::optional<detail::LaunchGate> gate;
    if (in_calling_thread) {
        gate.emplace(detail::LaunchGate::Kernel{program.identity(), step.range.local},
                     step.range.global);
    }
    cl_event event = nullptr;
    device::check(clEnqueueNDRangeKernel(call.queue, kernel.get(), 3, nullptr,
                                         step.range.global.data(), step.range.local.data(),
                                         static_cast<cl_uint>(wait_list.size()),
                                         wait_list.empty() ? nullptr : wait_list.data(),
                                         wants_event ? &event : nullptr),
                  "clEnqueueNDRangeKernel");
    return device::EventHandle(event);
}

/// What a step waits for beside the order of the queue. In an in-order queue only the first step
/// needs a list: the rest follow it.
std::vector<cl_event> wait_list_of(const Step& step, std::size_t index, bool out_of_order,
                                   const std::vector<device::EventHandle>& events,
                                   const std::vector<cl_event>& before) {
    if (!out_of_order) {
        return index == 0 ? before : std::vector<cl_event>();
    }
    // A step that follows others inherits what they waited for, unless it has no predecessor.
    if (step.after.empty()) {
        return before;
    }
    std::vector<cl_event> list;
    for (const int predecessor : step.after) {
        list.push_back(events[static_cast<std::size_t>(predecessor)].get());
    }
    return list;
}

} // namespace

bool is_out_of_order(cl_command_queue queue) {
    const auto properties = device::get<cl_command_queue_properties>(
        clGetCommandQueueInfo, queue, CL_QUEUE_PROPERTIES, "clGetCommandQueueInfo");
    return (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
}

Event execute(const planning::PlanValue& plan,
              const std::vector<std::shared_ptr<const compile::Program>>& programs,
              const CallArguments& call, WorkspacePool& pool,
              std::vector<device::EventHandle>* step_events) {
    std::optional<WorkspacePool::Loan> loan;
    std::vector<cl_event> before = call.wait_list;
    // Only of interest where launches, of this call or of the next, have something to wait for.
    const bool has_order = plan.steps.size() > 1 || plan.workspace_bytes > 0;
    const bool out_of_order = has_order && is_out_of_order(call.queue);
    if (plan.workspace_bytes > 0) {
        loan.emplace(pool, WorkspacePool::Request{plan.workspace_bytes, plan.counts, call.queue,
                                                  !out_of_order, call.wait_list});
        if (loan->busy_until() != nullptr) {
            before.push_back(loan->busy_until());
        }
    }
    // In order only the last event is of interest, and one step needs no list at all.
    const bool keeps_all = out_of_order || step_events != nullptr;
    const bool wants_event = call.completion == Completion::event;
    const bool needs_event = wants_event || (loan && loan->needs_event());
    std::vector<device::EventHandle> events(keeps_all ? plan.steps.size() : 0);
    device::EventHandle last;
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        const bool is_last = i + 1 == plan.steps.size();
        last = enqueue(plan.steps[i], *programs[i], call, loan ? &*loan : nullptr,
                       wait_list_of(plan.steps[i], i, out_of_order, events, before),
                       (is_last && needs_event) || keeps_all);
        if (keeps_all) {
            events[i] = last;
        }
    }
    if (step_events != nullptr) {
        *step_events = events;
    }
    if (loan) {
        loan->finish(last);
    }
    return wants_event ? Event(last.release()) : Event();
}

Event enqueue_nothing(cl_command_queue queue, const std::vector<cl_event>& wait_list,
                      Completion completion) {
    const bool wants_event = completion == Completion::event;
    if (!wants_event && wait_list.empty()) {
        return {};
    }
    cl_event event = nullptr;
    // Without a list a marker waits for everything before it in the queue, which is more than
    // asked but not less.
    device::check(clEnqueueMarkerWithWaitList(queue, static_cast<cl_uint>(wait_list.size()),
                                              wait_list.empty() ? nullptr : wait_list.data(),
                                              wants_event ? &event : nullptr),
                  "clEnqueueMarkerWithWaitList");
    return Event(event);
}

} // namespace libsgemm::execute
