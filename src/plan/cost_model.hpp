// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_entry.hpp"
#include "sgemm/device.hpp"
#include "tables/device_table.hpp"

#include <cstdint>

namespace sgemm::planning {

/// What a main kernel is launched on: padded extents where the kernel needs whole tiles, the depth of
/// one slice where k is split.
struct MainWork {
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    std::int64_t batch = 1;    ///< times the slices of k
    bool guarded = false;      ///< work-groups at the edges check bounds
    bool narrow_loads = false; ///< alignment asks for narrower loads than the parameters say
    bool a_k_major = false;    ///< as the kernel reads it
    bool b_k_major = false;
    bool ld_collides = false; ///< an operand is read with a leading dimension of the bad period
};

/// fp32 operations per second of one compute unit.
double unit_peak(const tables::MachineModel& machine, const DeviceTraits& device);

/// Seconds of a pass that reads and writes `bytes` at `bandwidth` bytes per second.
double predict_pass(double bytes, double bandwidth, const tables::MachineModel& machine);

/// Seconds of a main kernel: launch + max(compute in waves of work-groups, memory).
double predict_main(const MainWork& work, const catalog::TileShape& tile,
                    const tables::KernelModel& kernel, const tables::MachineModel& machine,
                    const DeviceTraits& device);

} // namespace sgemm::planning
