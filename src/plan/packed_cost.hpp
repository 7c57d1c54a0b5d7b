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
    bool a_in_place = false;
    bool b_in_place = false;
    int colliding =
        0; ///< operands in place, with k as the index of the leading dimension, of the bad period
};

/// Seconds of its launch: register tiles, shared out among compute units by whole work-groups.
double predict_packed(const PackedWork& work, const catalog::TileShape& tile,
                      const tables::KernelModel& kernel, const tables::MachineModel& machine,
                      const DeviceTraits& device);

} // namespace sgemm::planning
