// SPDX-License-Identifier: Apache-2.0
// Each of these counts and calls the one that would have been taken otherwise.
#include "counting/calls.hpp"

#include "sgemm/opencl.hpp"
#include "support/next_definition.hpp"

#include <cstdlib>
#include <new>

namespace sgemm_test {
namespace {

thread_local Calls counted;
thread_local std::uint64_t arguments_set = 0;

void* allocate(std::size_t bytes) {
    if (!InsideOpenCl::is_so()) { // what a driver allocates is its own affair
        ++counted.host_blocks;
    }
    void* const block = std::malloc(bytes == 0 ? 1 : bytes);
    if (block == nullptr) {
        throw std::bad_alloc();
    }
    return block;
}

} // namespace

Calls calls_so_far() noexcept {
    return counted;
}

std::uint64_t arguments_set_so_far() noexcept {
    return arguments_set;
}

Calls operator-(const Calls& after, const Calls& before) noexcept {
    return {after.kernels - before.kernels, after.transfers - before.transfers,
            after.objects - before.objects, after.builds - before.builds,
            after.waits - before.waits,     after.host_blocks - before.host_blocks};
}

} // namespace sgemm_test

void* operator new(std::size_t bytes) {
    return sgemm_test::allocate(bytes);
}
void* operator new[](std::size_t bytes) {
    return sgemm_test::allocate(bytes);
}
void operator delete(void* block) noexcept {
    std::free(block);
}
void operator delete[](void* block) noexcept {
    std::free(block);
}
void operator delete(void* block, std::size_t) noexcept {
    std::free(block);
}
void operator delete[](void* block, std::size_t) noexcept {
    std::free(block);
}

#define SGEMM_PASSED_ON(count, result, name, parameters, arguments)                                \
    extern "C" result CL_API_CALL name parameters {                                                \
        static auto* const next = sgemm_test::next_definition<decltype(name)>(#name);              \
        const sgemm_test::InsideOpenCl inside;                                                     \
        count;                                                                                     \
        return next arguments;                                                                     \
    }
#define SGEMM_COUNTED(counter, result, name, parameters, arguments)                                \
    SGEMM_PASSED_ON(++sgemm_test::counted.counter, result, name, parameters, arguments)
#define SGEMM_UNCOUNTED(result, name, parameters, arguments)                                       \
    SGEMM_PASSED_ON(, result, name, parameters, arguments)

// --- commands ------------------------------------------------------------------------------------

SGEMM_COUNTED(kernels, cl_int, clEnqueueNDRangeKernel,
              (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
               const std::size_t* offset, const std::size_t* global, const std::size_t* local,
               cl_uint count, const cl_event* list, cl_event* event),
              (queue, kernel, dimensions, offset, global, local, count, list, event))
SGEMM_COUNTED(transfers, cl_int, clEnqueueReadBuffer,
              (cl_command_queue queue, cl_mem buffer, cl_bool blocking, std::size_t offset,
               std::size_t size, void* to, cl_uint count, const cl_event* list, cl_event* event),
              (queue, buffer, blocking, offset, size, to, count, list, event))
SGEMM_COUNTED(transfers, cl_int, clEnqueueWriteBuffer,
              (cl_command_queue queue, cl_mem buffer, cl_bool blocking, std::size_t offset,
               std::size_t size, const void* from, cl_uint count, const cl_event* list,
               cl_event* event),
              (queue, buffer, blocking, offset, size, from, count, list, event))
SGEMM_COUNTED(transfers, cl_int, clEnqueueCopyBuffer,
              (cl_command_queue queue, cl_mem from, cl_mem to, std::size_t from_offset,
               std::size_t to_offset, std::size_t size, cl_uint count, const cl_event* list,
               cl_event* event),
              (queue, from, to, from_offset, to_offset, size, count, list, event))
SGEMM_COUNTED(transfers, cl_int, clEnqueueFillBuffer,
              (cl_command_queue queue, cl_mem buffer, const void* pattern, std::size_t pattern_size,
               std::size_t offset, std::size_t size, cl_uint count, const cl_event* list,
               cl_event* event),
              (queue, buffer, pattern, pattern_size, offset, size, count, list, event))
SGEMM_COUNTED(transfers, void*, clEnqueueMapBuffer,
              (cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags,
               std::size_t offset, std::size_t size, cl_uint count, const cl_event* list,
               cl_event* event, cl_int* status),
              (queue, buffer, blocking, flags, offset, size, count, list, event, status))
SGEMM_COUNTED(transfers, cl_int, clEnqueueMarkerWithWaitList,
              (cl_command_queue queue, cl_uint count, const cl_event* list, cl_event* event),
              (queue, count, list, event))
SGEMM_COUNTED(transfers, cl_int, clEnqueueBarrierWithWaitList,
              (cl_command_queue queue, cl_uint count, const cl_event* list, cl_event* event),
              (queue, count, list, event))

// --- objects -------------------------------------------------------------------------------------

SGEMM_COUNTED(objects, cl_mem, clCreateBuffer,
              (cl_context context, cl_mem_flags flags, std::size_t size, void* host,
               cl_int* status),
              (context, flags, size, host, status))
SGEMM_COUNTED(objects, cl_mem, clCreateSubBuffer,
              (cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type, const void* info,
               cl_int* status),
              (buffer, flags, type, info, status))
SGEMM_COUNTED(objects, cl_kernel, clCreateKernel,
              (cl_program program, const char* name, cl_int* status), (program, name, status))
SGEMM_COUNTED(objects, cl_program, clCreateProgramWithSource,
              (cl_context context, cl_uint count, const char** texts, const std::size_t* lengths,
               cl_int* status),
              (context, count, texts, lengths, status))
SGEMM_COUNTED(objects, cl_program, clCreateProgramWithBinary,
              (cl_context context, cl_uint count, const cl_device_id* devices,
               const std::size_t* lengths, const unsigned char** binaries, cl_int* states,
               cl_int* status),
              (context, count, devices, lengths, binaries, states, status))
SGEMM_COUNTED(objects, cl_command_queue, clCreateCommandQueue,
              (cl_context context, cl_device_id device, cl_command_queue_properties properties,
               cl_int* status),
              (context, device, properties, status))
SGEMM_COUNTED(builds, cl_int, clBuildProgram,
              (cl_program program, cl_uint count, const cl_device_id* devices, const char* options,
               void(CL_CALLBACK* notify)(cl_program, void*), void* data),
              (program, count, devices, options, notify, data))

// --- waiting -------------------------------------------------------------------------------------

SGEMM_COUNTED(waits, cl_int, clFinish, (cl_command_queue queue), (queue))
SGEMM_COUNTED(waits, cl_int, clWaitForEvents, (cl_uint count, const cl_event* list), (count, list))

// --- what a call may do as often as it likes -----------------------------------------------------

SGEMM_PASSED_ON(++sgemm_test::arguments_set, cl_int, clSetKernelArg,
                (cl_kernel kernel, cl_uint index, std::size_t size, const void* value),
                (kernel, index, size, value))
SGEMM_UNCOUNTED(cl_int, clGetMemObjectInfo,
                (cl_mem object, cl_mem_info which, std::size_t size, void* value,
                 std::size_t* actual),
                (object, which, size, value, actual))
SGEMM_UNCOUNTED(cl_int, clGetCommandQueueInfo,
                (cl_command_queue queue, cl_command_queue_info which, std::size_t size, void* value,
                 std::size_t* actual),
                (queue, which, size, value, actual))
SGEMM_UNCOUNTED(cl_int, clGetEventInfo,
                (cl_event event, cl_event_info which, std::size_t size, void* value,
                 std::size_t* actual),
                (event, which, size, value, actual))
SGEMM_UNCOUNTED(cl_int, clFlush, (cl_command_queue queue), (queue))
SGEMM_UNCOUNTED(cl_int, clReleaseEvent, (cl_event event), (event))
SGEMM_UNCOUNTED(cl_int, clRetainEvent, (cl_event event), (event))
