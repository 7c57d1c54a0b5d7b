// SPDX-License-Identifier: Apache-2.0
#include "plan/cost_model.hpp"

#include <algorithm>
#include <cmath>

namespace sgemm::planning {
namespace {

/// Time of all work-groups in units of one work-group's time on a full device. A last wave that leaves
/// compute units with fewer work-groups takes less, down to a lone group's time.
double waves(double groups, const tables::KernelModel& kernel, double units) {
    const double slots = units * kernel.groups_per_unit;
    const double full = std::floor(groups / slots);
    const double rest = groups - full * slots;
    if (rest <= 0) {
        return full;
    }
    const double per_unit = std::ceil(rest / units);
    return full + std::max(per_unit / kernel.groups_per_unit, 1 / kernel.lone_group_speedup);
}

/// Share of the work-groups whose tile reaches past C.
double edge_share(const MainWork& work, const catalog::TileShape& tile) {
    const auto whole = [](std::int64_t extent, int length) {
        const double tiles = std::ceil(static_cast<double>(extent) / length);
        return extent % length == 0 ? 1.0 : (tiles - 1) / tiles;
    };
    return 1 - whole(work.m, tile.m) * whole(work.n, tile.n);
}

/// Share of the machine's peak that the kernel reaches on this work.
double efficiency_of(const MainWork& work, const tables::KernelModel& kernel,
                     double operand_bytes) {
    const bool uncached = kernel.cached_bytes > 0 && operand_bytes > kernel.cached_bytes;
    return kernel.efficiency * (uncached ? kernel.uncached_factor : 1) *
           (work.narrow_loads ? kernel.narrow_loads : 1) * (work.a_k_major ? kernel.k_major_a : 1) *
           (work.b_k_major ? kernel.k_major_b : 1);
}

} // namespace

double unit_peak(const tables::MachineModel& machine, const DeviceTraits& device) {
    constexpr double unknown_clock_mhz = 1000;
    const double mhz =
        device.clock_mhz > 0 ? static_cast<double>(device.clock_mhz) : unknown_clock_mhz;
    return machine.flops_per_cycle_per_unit * mhz * 1e6;
}

double predict_pass(double bytes, double bandwidth, const tables::MachineModel& machine) {
    return machine.launch_seconds + bytes / bandwidth;
}

double predict_main(const MainWork& work, const catalog::TileShape& tile,
                    const tables::KernelModel& kernel, const tables::MachineModel& machine,
                    const DeviceTraits& device) {
    const auto m = static_cast<double>(work.m);
    const auto n = static_cast<double>(work.n);
    const auto k = static_cast<double>(work.k);
    const auto batch = static_cast<double>(work.batch);
    const auto units = static_cast<double>(device.compute_units);

    const double groups = std::ceil(m / tile.m) * std::ceil(n / tile.n) * batch;
    const double operand_bytes = sizeof(float) * batch * (m * k + k * n);
    const double efficiency = efficiency_of(work, kernel, operand_bytes);

    const double group_flops = 2.0 * tile.m * tile.n * k;
    const double slot_rate = efficiency * unit_peak(machine, device) / kernel.groups_per_unit;
    const double group_seconds = kernel.group_seconds + group_flops / slot_rate;
    const double guards =
        work.guarded ? 1 + (kernel.guarded_slowdown - 1) * edge_share(work, tile) : 1;
    const double collisions = work.ld_collides ? machine.ld_slowdown : 1;
    const double compute = waves(groups, kernel, units) * group_seconds * guards * collisions;
    const double memory = (operand_bytes + sizeof(float) * batch * m * n) / machine.bandwidth;
    return machine.launch_seconds + std::max(compute, memory);
}

} // namespace sgemm::planning
