// SPDX-License-Identifier: Apache-2.0
#include "support/local_memory.hpp"

#include <algorithm>
#include <cstdint>

namespace sgemm_test {
namespace {

// Read back in another order, so that no compiler leaves the stores out.
constexpr const char* source = R"(
kernel void poison(local uint* words, uint count, global uint* sink) {
    for (uint i = 0; i < count; ++i)
        words[i] = 0x7fc00000u | (i & 0xffffu);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = 0;
    for (uint i = count; i > 0; --i)
        sum = sum * 3u + words[i - 1];
    sink[get_group_id(0)] = sum;
})";

} // namespace

LocalMemoryPoison::LocalMemoryPoison(cl_context context, const sgemm::DeviceHandle& device) {
    if (device.traits.name.find("Oclgrind") != std::string::npos) {
        return;
    }
    constexpr std::int64_t most = std::int64_t{256} * 1024;
    bytes_ = static_cast<std::size_t>(std::min(device.traits.local_memory_bytes, most));
    constexpr std::size_t groups_per_unit = 4;
    groups_ = groups_per_unit * static_cast<std::size_t>(device.traits.compute_units);
    cl_int status = CL_SUCCESS;
    sink_.reset(
        clCreateBuffer(context, CL_MEM_READ_WRITE, groups_ * sizeof(cl_uint), nullptr, &status));
    check_status(status, "clCreateBuffer");
    const char* text = source;
    program_.reset(clCreateProgramWithSource(context, 1, &text, nullptr, &status));
    check_status(status, "clCreateProgramWithSource");
    check_status(clBuildProgram(program_.get(), 1, &device.device, "", nullptr, nullptr),
                 "clBuildProgram");
    kernel_.reset(clCreateKernel(program_.get(), "poison", &status));
    check_status(status, "clCreateKernel");
    const auto count = static_cast<cl_uint>(bytes_ / sizeof(cl_uint));
    cl_mem sink = sink_.get();
    check_status(clSetKernelArg(kernel_.get(), 0, bytes_, nullptr), "clSetKernelArg");
    check_status(clSetKernelArg(kernel_.get(), 1, sizeof count, &count), "clSetKernelArg");
    check_status(clSetKernelArg(kernel_.get(), 2, sizeof sink, &sink), "clSetKernelArg");
}

void LocalMemoryPoison::apply(cl_command_queue queue) const {
    if (!kernel_) {
        return;
    }
    constexpr std::size_t one = 1;
    check_status(clEnqueueNDRangeKernel(queue, kernel_.get(), 1, nullptr, &groups_, &one, 0,
                                        nullptr, nullptr),
                 "clEnqueueNDRangeKernel");
}

} // namespace sgemm_test
