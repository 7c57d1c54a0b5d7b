// SPDX-License-Identifier: Apache-2.0
#include "support/sub_devices.hpp"

#include <algorithm>
#include <array>

namespace sgemm_test {

std::vector<Owned<cl_device_id>> divide(cl_device_id whole, std::size_t most) {
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
    std::vector<cl_device_id> handles(count);
    check_status(clCreateSubDevices(whole, equally.data(), count, handles.data(), nullptr),
                 "clCreateSubDevices");
    std::vector<Owned<cl_device_id>> parts(handles.begin(), handles.end());
    parts.resize(std::min(most, parts.size()));
    return parts;
}

} // namespace sgemm_test
