// SPDX-License-Identifier: Apache-2.0
#include "support/sub_devices.hpp"

#include "support/opencl_handles.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace sgemm_test {

namespace {

/// All parts of a device, of one compute unit each; none where it cannot be divided.
std::vector<cl_device_id> parts_of(cl_device_id whole) {
    constexpr std::array<cl_device_partition_property, 3> equally{CL_DEVICE_PARTITION_EQUALLY, 1,
                                                                  0};
    // Of a driver that divides nothing the call itself may be missing.
    cl_uint count = 0;
    check_status(
        clGetDeviceInfo(whole, CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof count, &count, nullptr),
        "clGetDeviceInfo");
    if (count < 2 || clCreateSubDevices(whole, equally.data(), 0, nullptr, &count) != CL_SUCCESS) {
        return {};
    }
    std::vector<cl_device_id> parts(count);
    check_status(clCreateSubDevices(whole, equally.data(), count, parts.data(), nullptr),
                 "clCreateSubDevices");
    return parts;
}

} // namespace

std::vector<cl_device_id> divide(cl_device_id whole, std::size_t most) {
    static auto& parts_by_device = *new std::map<cl_device_id, std::vector<cl_device_id>>;
    auto [found, is_new] = parts_by_device.try_emplace(whole);
    if (is_new) {
        found->second = parts_of(whole);
    }
    std::vector<cl_device_id> parts = found->second;
    parts.resize(std::min(most, parts.size()));
    return parts;
}

} // namespace sgemm_test
