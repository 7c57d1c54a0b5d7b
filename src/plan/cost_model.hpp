// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_entry.hpp"
#include "plan/work.hpp"
#include "sgemm/device.hpp"
#include "tables/device_table.hpp"

namespace libsgemm::planning {

/// Seconds of a pass: launch + work-groups + traffic.
double predict_pass(const PassWork& work, const tables::MachineModel& machine,
                    const DeviceTraits& device);

/// fp32 operations per second of one compute unit.
double unit_peak(const tables::MachineModel& machine, const DeviceTraits& device);

/// Leading dimensions that are multiples of it make this kernel slower; zero: none does.
std::int64_t ld_period(const tables::MachineModel& machine, const catalog::KernelEntry& kernel);

/// Whether commands run in the calling thread, and the machine says what a launch takes there.
bool launches_by_calling(const tables::MachineModel& machine, const DeviceTraits& device);

/// How much later than the first the other compute units begin a launch: the median.
double wake_seconds(const tables::MachineModel& machine, const DeviceTraits& device);

/// Seconds of a launch behind another, whatever is in it.
double launch_seconds(const tables::MachineModel& machine, const DeviceTraits& device);

/// Bytes per second that the device's units read and write of what is not transposed, and of what
/// is, or is packed.
double bandwidth_of(const tables::MachineModel& machine, const DeviceTraits& device);
/// What a launch of so many work-groups has of it: fewer than there are compute units have less,
/// where a table says of how many its bandwidths are.
double bandwidth_of_groups(double groups, const tables::MachineModel& machine,
                           const DeviceTraits& device);
/// The same of what is written alone, in whole sectors.
double write_bandwidth_of(const tables::MachineModel& machine, const DeviceTraits& device);
double transpose_bandwidth_of(const tables::MachineModel& machine, const DeviceTraits& device);

/// How much slower products are whose operands, of so many bytes, do not stay in caches.
double uncached_slowness(const tables::KernelModel& kernel, double operand_bytes);

/// Seconds of a main kernel: launch + compute in waves of work-groups, beside the memory's time.
double predict_main(const MainWork& work, const catalog::TileShape& tile,
                    const tables::KernelModel& kernel, const tables::MachineModel& machine,
                    const DeviceTraits& device);

} // namespace libsgemm::planning
