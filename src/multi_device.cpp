// SPDX-License-Identifier: Apache-2.0
#include "sgemm/multi_device.hpp"

#include "cpu_threads/device_group.hpp"
#include "sgemm/error.hpp"

namespace libsgemm {

MultiDevice::MultiDevice(cl_context context, const std::vector<cl_device_id>& devices,
                         const ContextOptions& options)
    : group_(std::make_shared<const detail::DeviceGroup>(context, devices, options)) {}
MultiDevice::MultiDevice(const MultiDevice&) noexcept = default;
MultiDevice::MultiDevice(MultiDevice&&) noexcept = default;
MultiDevice& MultiDevice::operator=(const MultiDevice&) noexcept = default;
MultiDevice& MultiDevice::operator=(MultiDevice&&) noexcept = default;
MultiDevice::~MultiDevice() = default;

const detail::DeviceGroup& MultiDevice::group() const {
    if (group_ == nullptr) {
        throw ArgumentError("devices", "moved from", "must hold a group of devices");
    }
    return *group_;
}

Event MultiDevice::gemm(const std::vector<cl_command_queue>& queues, const Problem& problem,
                        float alpha, const Matrix& a, const Matrix& b, float beta, const Matrix& c,
                        const std::vector<cl_event>& wait_list, Completion completion) const {
    return group().gemm(problem,
                        {queues, {nullptr, alpha, beta, {a, b, c}, wait_list, completion}});
}

std::vector<DeviceShare> MultiDevice::shares(const Problem& problem, std::int64_t offset_c) const {
    return group().shares(problem, offset_c);
}

ContextStatistics MultiDevice::statistics(std::size_t device) const {
    return group().statistics(device);
}

} // namespace libsgemm
