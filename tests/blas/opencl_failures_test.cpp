// SPDX-License-Identifier: Apache-2.0
// What becomes of a call when OpenCL fails. The functions below take the place of OpenCL's own.
#include "doors/blas/entry_points.hpp"
#include "sgemm/opencl.hpp"

#include <atomic>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace {

std::atomic<int> buffers_to_fail{0};
std::atomic<int> maps_to_fail{0};

template <class Function>
Function* original(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

} // namespace

extern "C" {
__attribute__((visibility("default"))) cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags,
                                                             size_t size, void* host,
                                                             cl_int* errcode_ret) {
    if (buffers_to_fail > 0) {
        --buffers_to_fail;
        *errcode_ret = CL_MEM_OBJECT_ALLOCATION_FAILURE;
        return nullptr;
    }
    return original<decltype(clCreateBuffer)>("clCreateBuffer")(context, flags, size, host,
                                                                errcode_ret);
}

__attribute__((visibility("default"))) void*
clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking_map, cl_map_flags flags,
                   size_t offset, size_t size, cl_uint num_events_in_wait_list,
                   const cl_event* list, cl_event* event, cl_int* errcode_ret) {
    if (maps_to_fail > 0) {
        --maps_to_fail;
        *errcode_ret = CL_INVALID_VALUE;
        return nullptr;
    }
    return original<decltype(clEnqueueMapBuffer)>("clEnqueueMapBuffer")(
        queue, buffer, blocking_map, flags, offset, size, num_events_in_wait_list, list, event,
        errcode_ret);
}
}

namespace sgemm_test {
namespace {

/// C += A B of matrices of ones; what C then holds in addition, and where it was computed.
struct Result {
    std::vector<float> c;
    std::string trace;
};

Result add_ones(int size) {
    const auto count = static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
    const std::vector<float> ones(count, 1.0F);
    Result result{std::vector<float>(count, 0.5F), {}};
    ::testing::internal::CaptureStderr();
    cblas_sgemm(102, 111, 111, size, size, size, 1.0F, ones.data(), size, ones.data(), size, 1.0F,
                result.c.data(), size);
    result.trace = ::testing::internal::GetCapturedStderr();
    return result;
}

void expect_added_once(const Result& result, int size) {
    for (const float value : result.c) {
        ASSERT_EQ(value, static_cast<float>(size) + 0.5F) << result.trace;
    }
}

/// Larger than what the lanes that are idle have room for, so that it needs buffers.
constexpr int needs_buffers = 350, needs_larger_ones = 400;

TEST(BlasFailures, AShortageOfMemoryIsTriedAgain) {
    buffers_to_fail = 1;
    const Result result = add_ones(needs_buffers);
    const bool used_the_device = buffers_to_fail == 0;
    buffers_to_fail = 0;
    expect_added_once(result, needs_buffers);
    if (used_the_device) {
        EXPECT_NE(result.trace.find("on the device"), std::string::npos) << result.trace;
    }
}

TEST(BlasFailures, ALastingShortageGoesToTheHost) {
    buffers_to_fail = 1000;
    const Result result = add_ones(needs_larger_ones);
    buffers_to_fail = 0;
    expect_added_once(result, needs_larger_ones);
    EXPECT_EQ(result.trace.find("on the device"), std::string::npos) << result.trace;
}

TEST(BlasFailures, AResultThatCannotBeReadIsNotAddedTwice) {
    maps_to_fail = 1;
    const Result result = add_ones(20);
    maps_to_fail = 0;
    expect_added_once(result, 20);
    EXPECT_EQ(result.trace.find("on the device"), std::string::npos) << result.trace;
}

} // namespace
} // namespace sgemm_test
