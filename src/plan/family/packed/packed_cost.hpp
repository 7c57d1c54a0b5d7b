// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_entry.hpp"
#include "plan/work.hpp"
#include "sgemm/device.hpp"
#include "tables/device_table.hpp"

#include <cstdint>

namespace libsgemm::planning {

/// How many vectors of `width` elements (a power of two, 16 at most) straddle two cache lines, as a
/// share of the most that can: those of steps that are `ld` elements apart, from an offset on of
/// which `offset_alignment` is the largest power of two that divides it.
double straddling_share(std::int64_t ld, std::int64_t offset_alignment, int width);

/// Seconds of its launch: register tiles, shared out among compute units by whole work-groups.
double predict_packed(const PackedWork& work, const catalog::TileShape& tile,
                      const tables::KernelModel& kernel, const tables::MachineModel& machine,
                      const DeviceTraits& device);

} // namespace libsgemm::planning
