// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_entry.hpp"
#include "plan/work.hpp"
#include "sgemm/device.hpp"
#include "tables/device_table.hpp"

namespace sgemm::planning {

/// Seconds of its launch: register tiles, shared out among compute units by whole work-groups.
double predict_packed(const PackedWork& work, const catalog::TileShape& tile,
                      const tables::KernelModel& kernel, const tables::MachineModel& machine,
                      const DeviceTraits& device);

} // namespace sgemm::planning
