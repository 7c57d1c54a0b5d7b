// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/device.hpp"

#include <string>

namespace sgemm_test {

/// Coefficients that leave no doubt about what pays, whatever the device.
struct SlowCosts {
    double launch_us = 1;
    double pass_us = 1;
};

/// The text of a device table, with rows of a built-in one, by which each compute unit does 2e9
/// multiplications in a second beside its launches: sharing pays early.
std::string slow_table(const libsgemm::DeviceTraits& device, const SlowCosts& costs);

} // namespace sgemm_test
