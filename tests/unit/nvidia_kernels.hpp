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
inline libsgemm::DeviceTraits nvidia(int capability) {
    libsgemm::DeviceTraits device = fake_nvidia_device(capability);
    device.subgroup_size = 32;
    return device;
}

using Changes = std::initializer_list<std::pair<const char*, int>>;

inline libsgemm::catalog::Parameters changed(libsgemm::catalog::Parameters parameters,
                                             const Changes& changes) {
    for (const auto& [name, value] : changes) {
        parameters.set(name, value);
    }
    return parameters;
}

inline bool runs(const libsgemm::catalog::KernelEntry& kernel,
                 const libsgemm::catalog::Parameters& parameters,
                 const libsgemm::DeviceTraits& device) {
    const bool can = libsgemm::catalog::can_run(kernel, parameters, device);
    EXPECT_EQ(can, libsgemm::catalog::obstacles(kernel, parameters, device).empty());
    return can;
}

inline bool is_refused_for(const libsgemm::catalog::KernelEntry& kernel,
                           const libsgemm::catalog::Parameters& parameters,
                           const libsgemm::DeviceTraits& device, const std::string& reason) {
    const auto found = libsgemm::catalog::obstacles(kernel, parameters, device);
    return std::any_of(found.begin(), found.end(), [&](const std::string& text) {
        return text.find(reason) != std::string::npos;
    });
}

} // namespace sgemm_test
