// SPDX-License-Identifier: Apache-2.0
#include "support/local_memory.hpp"

#include "device/limits.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

namespace sgemm_test {
namespace {

// Read back in another order, so that no compiler leaves the stores out. An array, not an argument:
// NVIDIA's driver gives arguments less than 48 KiB.
constexpr std::size_t group_items = 32;
constexpr const char* source = R"(
kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void poison(global uint* sink) {
    local uint words[COUNT];
    for (uint i = get_local_id(0); i < COUNT; i += ITEMS)
        words[i] = 0x7fc00000u | (i & 0xffffu);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = 0;
    for (uint i = COUNT - 1 - get_local_id(0); i < COUNT; i -= ITEMS)
        sum = sum * 3u + words[i];
    sink[get_global_id(0)] = sum;
})";

} // namespace

LocalMemoryPoison::LocalMemoryPoison(cl_context context, const libsgemm::DeviceHandle& device) {
    if (device.traits.name.find("Oclgrind") != std::string::npos) {
        return;
    }
    constexpr std::int64_t most = std::int64_t{256} * 1024;
    const std::int64_t count =
        std::min(libsgemm::device::compiler_limits(device.traits).local_memory, most) / 4;
    const std::string options =
        "-DCOUNT=" + std::to_string(count) + " -DITEMS=" + std::to_string(group_items);
    constexpr std::size_t groups_per_unit = 4;
    items_ = groups_per_unit * static_cast<std::size_t>(device.traits.compute_units) * group_items;
    cl_int status = CL_SUCCESS;
    sink_.reset(
        clCreateBuffer(context, CL_MEM_READ_WRITE, items_ * sizeof(cl_uint), nullptr, &status));
    check_status(status, "clCreateBuffer");
    const char* text = source;
    program_.reset(clCreateProgramWithSource(context, 1, &text, nullptr, &status));
    check_status(status, "clCreateProgramWithSource");
    check_status(
        clBuildProgram(program_.get(), 1, &device.device, options.c_str(), nullptr, nullptr),
        "clBuildProgram");
    kernel_.reset(clCreateKernel(program_.get(), "poison", &status));
    check_status(status, "clCreateKernel");
    cl_mem sink = sink_.get();
    check_status(clSetKernelArg(kernel_.get(), 0, sizeof sink, &sink), "clSetKernelArg");
}

void LocalMemoryPoison::apply(cl_command_queue queue) const {
    if (!kernel_) {
        return;
    }
    check_status(clEnqueueNDRangeKernel(queue, kernel_.get(), 1, nullptr, &items_, &group_items, 0,
                                        nullptr, nullptr),
                 "clEnqueueNDRangeKernel");
}

} // namespace sgemm_test
