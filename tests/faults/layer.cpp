// SPDX-License-Identifier: Apache-2.0
#include "faults/layer.hpp"

#include "cpu_threads/locks/launch_gate.hpp"
#include "sgemm/opencl.hpp"
#include "support/next_definition.hpp"

#include <cstring>
#include <map>
#include <mutex>
#include <set>

namespace sgemm_test {
namespace {

std::mutex mutex;
std::string failing; ///< entry point; empty: none
int calls_left = 0;
bool has_failed = false;
std::uint64_t kernels = 0;
std::uint64_t ungated_kernels = 0;
std::map<cl_command_queue, std::uint64_t> commands;
std::uint64_t waits_unflushed = 0;
std::set<cl_command_queue> unflushed_queues;
std::set<cl_event> waited_for;
cl_event failed_event = nullptr;
Balance counted;

/// Whether this call is the one to fail.
bool fails(const char* entry_point) {
    const std::lock_guard lock(mutex);
    if (InsideOpenCl::is_so() || failing != entry_point || --calls_left != 0) {
        return false;
    }
    has_failed = true;
    return true;
}

void count(const char* type, std::int64_t references) {
    if (!InsideOpenCl::is_so() && *type != '\0') {
        const std::lock_guard lock(mutex);
        counted[type] += references;
    }
}

void count_event(const cl_event* event) {
    if (event != nullptr && *event != nullptr) {
        count("event", 1);
    }
}

void count_kernel() {
    if (!InsideOpenCl::is_so()) {
        const std::lock_guard lock(mutex);
        ++kernels;
        ungated_kernels += libsgemm::detail::LaunchGate::is_held_by_this_thread() ? 0U : 1U;
    }
}

/// Null: a user event.
cl_command_queue queue_of(cl_event event) {
    static auto* const next = next_definition<decltype(clGetEventInfo)>("clGetEventInfo");
    cl_command_queue queue = nullptr;
    next(event, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, nullptr);
    return queue;
}

void count_command(cl_command_queue queue, cl_uint events, const cl_event* list) {
    if (InsideOpenCl::is_so()) {
        return;
    }
    const std::lock_guard lock(mutex);
    for (cl_uint i = 0; i < events; ++i) {
        cl_command_queue before = queue_of(list[i]);
        waits_unflushed += before != queue && unflushed_queues.contains(before) ? 1U : 0U;
        waited_for.insert(list[i]);
    }
    ++commands[queue];
    unflushed_queues.insert(queue);
}

void count_flush(cl_command_queue queue) {
    const std::lock_guard lock(mutex);
    unflushed_queues.erase(queue);
}

/// What clGetEventInfo() answered becomes a failure where a test says so.
void falsify(cl_event event, cl_uint which, void* value) {
    const std::lock_guard lock(mutex);
    if (!InsideOpenCl::is_so() && event == failed_event &&
        which == CL_EVENT_COMMAND_EXECUTION_STATUS && value != nullptr) {
        constexpr cl_int failed = -1;
        std::memcpy(value, &failed, sizeof failed);
    }
}

template <class Function, class... Arguments>
auto pass_on(Function* next, Arguments... arguments) {
    const InsideOpenCl inside;
    return next(arguments...);
}

constexpr cl_int failure = CL_OUT_OF_RESOURCES;

} // namespace

void fail_call(const std::string& entry_point, int n) {
    const std::lock_guard lock(mutex);
    failing = entry_point;
    calls_left = n;
    has_failed = false;
}

bool stop_failing() {
    const std::lock_guard lock(mutex);
    failing.clear();
    return has_failed;
}

Balance balance() {
    const std::lock_guard lock(mutex);
    Balance result = counted;
    std::erase_if(result, [](const auto& entry) { return entry.second == 0; });
    return result;
}

std::uint64_t kernels_enqueued() {
    const std::lock_guard lock(mutex);
    return kernels;
}

std::uint64_t kernels_outside_a_gate() {
    const std::lock_guard lock(mutex);
    return ungated_kernels;
}

std::uint64_t commands_in(cl_command_queue queue) {
    const std::lock_guard lock(mutex);
    return commands[queue];
}

bool has_unflushed_commands(cl_command_queue queue) {
    const std::lock_guard lock(mutex);
    return unflushed_queues.contains(queue);
}

std::uint64_t unflushed_waits() {
    const std::lock_guard lock(mutex);
    return waits_unflushed;
}

void forget_waits() {
    const std::lock_guard lock(mutex);
    waited_for.clear();
}

bool is_waited_for(cl_event event) {
    const std::lock_guard lock(mutex);
    return waited_for.contains(event);
}

void report_as_failed(cl_event event) {
    const std::lock_guard lock(mutex);
    failed_event = event;
}

} // namespace sgemm_test

using namespace sgemm_test; // NOLINT: only here, for the macros

/// A call that returns a status; where it succeeds `then` is done.
#define SGEMM_STATUS_CALL(name, parameters, arguments, then)                                       \
    extern "C" cl_int CL_API_CALL name parameters {                                                \
        static auto* const next = next_definition<decltype(name)>(#name);                          \
        if (fails(#name)) {                                                                        \
            return failure;                                                                        \
        }                                                                                          \
        const cl_int result = pass_on arguments;                                                   \
        if (result == CL_SUCCESS) {                                                                \
            then;                                                                                  \
        }                                                                                          \
        return result;                                                                             \
    }
/// A call that makes an object of a type ("": none that counts).
#define SGEMM_CREATE_CALL(type, result_type, name, parameters, arguments)                          \
    extern "C" result_type CL_API_CALL name parameters {                                           \
        static auto* const next = next_definition<decltype(name)>(#name);                          \
        if (fails(#name)) {                                                                        \
            if (errcode_ret != nullptr) {                                                          \
                *errcode_ret = failure;                                                            \
            }                                                                                      \
            return nullptr;                                                                        \
        }                                                                                          \
        result_type const object = pass_on arguments;                                              \
        if (object != nullptr) {                                                                   \
            count(type, 1);                                                                        \
        }                                                                                          \
        return object;                                                                             \
    }
#define SGEMM_REFERENCE_CALLS(type, handle, retain, release)                                       \
    SGEMM_STATUS_CALL(retain, (handle object), (next, object), count(type, 1))                     \
    SGEMM_STATUS_CALL(release, (handle object), (next, object), count(type, -1))
#define SGEMM_INFO_CALL(name, handle)                                                              \
    SGEMM_STATUS_CALL(                                                                             \
        name, (handle object, cl_uint which, std::size_t size, void* value, std::size_t* actual),  \
        (next, object, which, size, value, actual), )

SGEMM_REFERENCE_CALLS("context", cl_context, clRetainContext, clReleaseContext)
SGEMM_REFERENCE_CALLS("queue", cl_command_queue, clRetainCommandQueue, clReleaseCommandQueue)
SGEMM_REFERENCE_CALLS("program", cl_program, clRetainProgram, clReleaseProgram)
SGEMM_REFERENCE_CALLS("kernel", cl_kernel, clRetainKernel, clReleaseKernel)
SGEMM_REFERENCE_CALLS("memory object", cl_mem, clRetainMemObject, clReleaseMemObject)
SGEMM_REFERENCE_CALLS("event", cl_event, clRetainEvent, clReleaseEvent)

SGEMM_CREATE_CALL("memory object", cl_mem, clCreateBuffer,
                  (cl_context context, cl_mem_flags flags, std::size_t size, void* host,
                   cl_int* errcode_ret),
                  (next, context, flags, size, host, errcode_ret))
SGEMM_CREATE_CALL("memory object", cl_mem, clCreateSubBuffer,
                  (cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type, const void* info,
                   cl_int* errcode_ret),
                  (next, buffer, flags, type, info, errcode_ret))
SGEMM_CREATE_CALL("kernel", cl_kernel, clCreateKernel,
                  (cl_program program, const char* name, cl_int* errcode_ret),
                  (next, program, name, errcode_ret))
SGEMM_CREATE_CALL("program", cl_program, clCreateProgramWithSource,
                  (cl_context context, cl_uint texts, const char** text, const std::size_t* lengths,
                   cl_int* errcode_ret),
                  (next, context, texts, text, lengths, errcode_ret))
SGEMM_CREATE_CALL("program", cl_program, clCreateProgramWithBinary,
                  (cl_context context, cl_uint devices, const cl_device_id* device,
                   const std::size_t* lengths, const unsigned char** binaries, cl_int* states,
                   cl_int* errcode_ret),
                  (next, context, devices, device, lengths, binaries, states, errcode_ret))
SGEMM_CREATE_CALL("queue", cl_command_queue, clCreateCommandQueue,
                  (cl_context context, cl_device_id device, cl_command_queue_properties properties,
                   cl_int* errcode_ret),
                  (next, context, device, properties, errcode_ret))

SGEMM_STATUS_CALL(clBuildProgram,
                  (cl_program program, cl_uint devices, const cl_device_id* device,
                   const char* options, void(CL_CALLBACK* notify)(cl_program, void*), void* data),
                  (next, program, devices, device, options, notify, data), )
SGEMM_STATUS_CALL(clSetKernelArg,
                  (cl_kernel kernel, cl_uint index, std::size_t size, const void* value),
                  (next, kernel, index, size, value), )
SGEMM_STATUS_CALL(clEnqueueNDRangeKernel,
                  (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                   const std::size_t* offset, const std::size_t* global, const std::size_t* local,
                   cl_uint events, const cl_event* list, cl_event* event),
                  (next, queue, kernel, dimensions, offset, global, local, events, list, event),
                  (count_kernel(), count_command(queue, events, list), count_event(event)))
SGEMM_STATUS_CALL(clEnqueueMarkerWithWaitList,
                  (cl_command_queue queue, cl_uint events, const cl_event* list, cl_event* event),
                  (next, queue, events, list, event),
                  (count_command(queue, events, list), count_event(event)))
SGEMM_STATUS_CALL(clEnqueueFillBuffer,
                  (cl_command_queue queue, cl_mem buffer, const void* pattern,
                   std::size_t pattern_size, std::size_t offset, std::size_t size, cl_uint events,
                   const cl_event* list, cl_event* event),
                  (next, queue, buffer, pattern, pattern_size, offset, size, events, list, event),
                  count_event(event))
SGEMM_STATUS_CALL(clEnqueueReadBuffer,
                  (cl_command_queue queue, cl_mem buffer, cl_bool blocking, std::size_t offset,
                   std::size_t size, void* to, cl_uint events, const cl_event* list,
                   cl_event* event),
                  (next, queue, buffer, blocking, offset, size, to, events, list, event),
                  count_event(event))
SGEMM_STATUS_CALL(clEnqueueWriteBuffer,
                  (cl_command_queue queue, cl_mem buffer, cl_bool blocking, std::size_t offset,
                   std::size_t size, const void* from, cl_uint events, const cl_event* list,
                   cl_event* event),
                  (next, queue, buffer, blocking, offset, size, from, events, list, event),
                  count_event(event))
SGEMM_STATUS_CALL(clFlush, (cl_command_queue queue), (next, queue), count_flush(queue))
SGEMM_STATUS_CALL(clFinish, (cl_command_queue queue), (next, queue), count_flush(queue))
SGEMM_STATUS_CALL(clWaitForEvents, (cl_uint events, const cl_event* list), (next, events, list), )

SGEMM_INFO_CALL(clGetPlatformInfo, cl_platform_id)
SGEMM_INFO_CALL(clGetDeviceInfo, cl_device_id)
SGEMM_INFO_CALL(clGetContextInfo, cl_context)
SGEMM_INFO_CALL(clGetCommandQueueInfo, cl_command_queue)
SGEMM_INFO_CALL(clGetMemObjectInfo, cl_mem)
SGEMM_INFO_CALL(clGetProgramInfo, cl_program)
SGEMM_STATUS_CALL(clGetEventInfo,
                  (cl_event event, cl_uint which, std::size_t size, void* value,
                   std::size_t* actual),
                  (next, event, which, size, value, actual), falsify(event, which, value))
SGEMM_INFO_CALL(clGetEventProfilingInfo, cl_event)
SGEMM_STATUS_CALL(clGetProgramBuildInfo,
                  (cl_program program, cl_device_id device, cl_program_build_info which,
                   std::size_t size, void* value, std::size_t* actual),
                  (next, program, device, which, size, value, actual), )
SGEMM_STATUS_CALL(clGetKernelWorkGroupInfo,
                  (cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info which,
                   std::size_t size, void* value, std::size_t* actual),
                  (next, kernel, device, which, size, value, actual), )
