// SPDX-License-Identifier: Apache-2.0
// What tests of kernels/nvidia's catalogue entries share.
#pragma once

#include "catalog/kernel_catalog.hpp"
#include "support/fake_device.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <initializer_list>
#include <string>
#include <utility>

namespace sgemm_test {

/// An NVIDIA device of that compute capability (10 * major + minor).
inline sgemm::DeviceTraits nvidia(int capability) {
    sgemm::DeviceTraits device = fake_nvidia_device(capability);
    device.subgroup_size = 32;
    return device;
}

using Changes = std::initializer_list<std::pair<const char*, int>>;

inline sgemm::catalog::Parameters changed(sgemm::catalog::Parameters parameters,
                                          const Changes& changes) {
    for (const auto& [name, value] : changes) {
        parameters.set(name, value);
    }
    return parameters;
}

inline bool runs(const sgemm::catalog::KernelEntry& kernel,
                 const sgemm::catalog::Parameters& parameters, const sgemm::DeviceTraits& device) {
    const bool can = sgemm::catalog::can_run(kernel, parameters, device);
    EXPECT_EQ(can, sgemm::catalog::obstacles(kernel, parameters, device).empty());
    return can;
}

inline bool is_refused_for(const sgemm::catalog::KernelEntry& kernel,
                           const sgemm::catalog::Parameters& parameters,
                           const sgemm::DeviceTraits& device, const std::string& reason) {
    const auto found = sgemm::catalog::obstacles(kernel, parameters, device);
    return std::any_of(found.begin(), found.end(), [&](const std::string& text) {
        return text.find(reason) != std::string::npos;
    });
}

} // namespace sgemm_test
