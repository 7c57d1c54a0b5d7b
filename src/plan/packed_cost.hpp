// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_entry.hpp"
#include "sgemm/device.hpp"
#include "tables/device_table.hpp"

#include <cstdint>

namespace sgemm::planning {

/// What a kernel over panels is launched on.
struct PackedWork {
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    std::int64_t batch = 1;
    int slices = 1; ///< of k
    /// Leading dimensions of operands that are read in place and not contiguous along k; zero: packed, or
    /// contiguous.
    std::int64_t apart_a = 0;
    std::int64_t apart_b = 0;
    bool a_unaligned = false; ///< read in place, its vectors straddle cache lines
};

/// Seconds of its launch: register tiles, shared out among compute units by whole work-groups.
double predict_packed(const PackedWork& work, const catalog::TileShape& tile,
                      const tables::KernelModel& kernel, const tables::MachineModel& machine,
                      const DeviceTraits& device);

} // namespace sgemm::planning
