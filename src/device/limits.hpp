// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/device.hpp"

#include <cstdint>
#include <limits>

namespace libsgemm::device {

/// What the compiler for a device allows a work-group, in bytes.
struct CompilerLimits {
    /// In arrays that a kernel declares: more than the device reports, for those that are
    /// arguments, where more is known to run.
    std::int64_t local_memory = 0;
    /// In private variables of all work-items.
    std::int64_t private_memory = std::numeric_limits<std::int64_t>::max();
};

CompilerLimits compiler_limits(const DeviceTraits& device);

} // namespace libsgemm::device
