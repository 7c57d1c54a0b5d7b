// SPDX-License-Identifier: Apache-2.0
//
// The time of a main kernel, as docs/adr/0009 derives it. Every coefficient is a row's
// (KernelModel) or the machine's (MachineModel); at their defaults a term is not there.
#include "plan/cost_model.hpp"

#include "plan/wake_latency.hpp"

#include <algorithm>
#include <cmath>

namespace libsgemm::planning {
namespace {

/// Work-groups of a launch, and those that take longer than the others because of an edge.
struct Groups {
    double all = 0;
    double slow = 0;
};

Groups count_groups(const MainWork& work, const catalog::TileShape& tile) {
    const auto batch = static_cast<double>(work.batch);
    const double whole = std::floor(static_cast<double>(work.m) / tile.m) *
                         std::floor(static_cast<double>(work.n) / tile.n) * batch;
    if (work.edges == EdgeStrategy::extension) { // the last whole tiles take what is left over
        return {whole, 0};
    }
    const double all = std::ceil(static_cast<double>(work.m) / tile.m) *
                       std::ceil(static_cast<double>(work.n) / tile.n) * batch;
    return {all, work.edges == EdgeStrategy::guarded ? all - whole : 0};
}

/// Time of as many work-groups on each unit, in units of a full one's: what they compute side by
/// side or what a lone one waits for, whichever is longer, and a part of the other.
double shared_time(double groups_on_unit, const tables::KernelModel& kernel) {
    const double lone = 1 / kernel.lone_group_speedup;
    const double shared = groups_on_unit / kernel.groups_per_unit;
    const double both = std::max(shared, lone) + kernel.latency_exposure * std::min(shared, lone);
    return both / (1 + kernel.latency_exposure * lone);
}

/// Time of all work-groups in units of one work-group's time on a full device. A last wave that
/// leaves compute units with fewer work-groups takes less, down to a lone group's time. `groups`
/// need not be whole: a slow one counts for several.
double waves(double groups, const tables::KernelModel& kernel, double units) {
    const double slots = units * kernel.groups_per_unit;
    const double full = std::floor(groups / slots);
    const double rest = groups - full * slots;
    const double last = rest > 0 ? shared_time(std::ceil(rest / units), kernel) : 0;
    // Work-groups do not march in step: where there are several waves, units that are ahead take
    // groups from those that are behind.
    const double fluid = shared_time(groups / units, kernel);
    return full + last + kernel.wave_overlap * (fluid - full - last) * (full > 0 ? 1 : 0);
}

/// Share of the machine's peak that the kernel reaches on this work.
double efficiency_of(const MainWork& work, const tables::KernelModel& kernel,
                     double operand_bytes) {
    return kernel.efficiency / uncached_slowness(kernel, operand_bytes) *
           std::pow(kernel.narrow_loads_a, work.halvings_a) *
           std::pow(kernel.narrow_loads_b, work.halvings_b) *
           (work.a_k_major ? kernel.k_major_a : 1) * (work.b_k_major ? kernel.k_major_b : 1);
}

/// How much slower extended tiles are. Where all work-groups run at once, the extended ones are
/// what the others are waited for (1025 cubed in tiles of 128x64 on an H200: 124 us, 1024 cubed
/// 64).
double extension(const MainWork& work, const catalog::TileShape& tile,
                 const tables::KernelModel& kernel, double units) {
    if (work.edges != EdgeStrategy::extension || work.fringe) {
        return 1;
    }
    const bool at_once = kernel.extension_cost > 0 && count_groups(work, tile).all <= units;
    const double least = at_once ? kernel.extended_tile_slowdown : 1;
    return std::max(
        least, 1 + kernel.extension_cost * static_cast<double>(work.m % tile.m + work.n % tile.n) +
                   kernel.extension_narrow * std::max(work.halvings_a, work.halvings_b));
}

/// Seconds of a tile's products on a full device.
double products_time(const MainWork& work, const catalog::TileShape& tile,
                     const tables::KernelModel& kernel, double efficiency, double peak) {
    const auto k = static_cast<double>(work.k);
    double steps = std::ceil(k / tile.k);
    if (work.edges != EdgeStrategy::padding && work.k % tile.k != 0) {
        steps += kernel.k_tail_steps;
    }
    const double flops = 2.0 * tile.m * tile.n * tile.k * steps;
    const double shifting =
        work.edges == EdgeStrategy::pointer_shift ? kernel.shifting_slowdown : 1;
    return shifting * flops * kernel.groups_per_unit / (efficiency * peak);
}

/// Share of the register tiles that hold elements of C, of work-groups that compute so much of it:
/// a kernel whose work-items compute several tiles, one after the other, leaves out the rest.
double filled_share(std::int64_t m, std::int64_t n, const catalog::TileShape& tile) {
    if (tile.panel_m * tile.panel_n == 1) {
        return 1;
    }
    const auto share = [](std::int64_t extent, int tile_extent, int panel) {
        const double tiles = std::ceil(static_cast<double>(extent) / panel);
        return tiles * panel / (std::ceil(static_cast<double>(extent) / tile_extent) * tile_extent);
    };
    return share(m, tile.m, tile.panel_m) * share(n, tile.n, tile.panel_n);
}

/// Seconds of all work-groups side by side. `products`: a tile's.
double groups_time(const MainWork& work, const catalog::TileShape& tile,
                   const tables::KernelModel& kernel, double products, double units) {
    if (work.stream_tiles > 0) { // one to a unit, all with as much to do
        return kernel.group_seconds + work.stream_tiles * products / kernel.lone_group_speedup;
    }
    const Groups groups = count_groups(work, tile);
    const double slowdown = kernel.guarded_slowdown + kernel.guarded_narrow * work.halvings_a +
                            kernel.guarded_narrow_b * work.halvings_b;
    const double more = (slowdown - 1) * groups.slow;
    const double all = waves(groups.all + more, kernel, units);
    // What a slow one takes longer it takes when those beside it are done.
    const double beside = std::min(std::ceil(groups.all / units), kernel.groups_per_unit);
    const double slowest =
        groups.slow > 0 ? shared_time(beside, kernel) + (slowdown - 1) / kernel.lone_group_speedup
                        : 0;
    const double alone = 1 - kernel.contention * (1 - std::min(1.0, groups.all / units));
    return std::max(all, slowest) * (kernel.group_seconds + products) * alone;
}

double collision_slowdown(const MainWork& work, const tables::MachineModel& machine) {
    if (!work.ld_collides) {
        return 1;
    }
    return 1 + (machine.ld_slowdown - 1) * (work.k_in_parts ? machine.ld_split_share : 1);
}

/// Seconds between a tile's last products and its sums: left, counted, read again, added.
double sum_in_launch_time(double bytes, const tables::MachineModel& machine) {
    if (bytes == 0) {
        return 0;
    }
    // Where the bandwidth is unknown nobody compares: it is not offered, only asked for.
    return machine.sum_seconds + (machine.sum_bandwidth > 0 ? bytes / machine.sum_bandwidth : 0);
}

/// What few packers pack beside a main kernel (kernels/emulated/pack_beside.clh), where
/// nothing else is left to do.
double packing_beside_time(const MainWork& work, const tables::MachineModel& machine,
                           double units) {
    return sizeof(float) * work.packed_beside / (machine.pack_beside_bandwidth * units);
}

/// What rows reach beyond the machine's bandwidth they reach by all cores' caches (ADR 27).
double bandwidth_share_of(const tables::KernelModel& kernel, const tables::MachineModel& machine,
                          const DeviceTraits& device) {
    return launches_by_calling(machine, device) ? std::min(kernel.bandwidth_share, 1.0)
                                                : kernel.bandwidth_share;
}

/// Of the compute units that the table's bandwidths are of.
double share_of_units(const tables::MachineModel& machine, const DeviceTraits& device) {
    return machine.bandwidth_units > 0 ? static_cast<double>(device.compute_units) /
                                             static_cast<double>(machine.bandwidth_units)
                                       : 1;
}

} // namespace

double unit_peak(const tables::MachineModel& machine, const DeviceTraits& device) {
    constexpr double unknown_clock_mhz = 1000;
    const double mhz =
        device.clock_mhz > 0 ? static_cast<double>(device.clock_mhz) : unknown_clock_mhz;
    return machine.flops_per_cycle_per_unit * mhz * 1e6;
}

std::int64_t ld_period(const tables::MachineModel& machine, const catalog::KernelEntry& kernel) {
    const catalog::Tiled* tiled = catalog::tiled_of(kernel);
    return tiled != nullptr && tiled->reads_whole_lines ? 0 : machine.ld_period;
}

bool launches_by_calling(const tables::MachineModel& machine, const DeviceTraits& device) {
    return device.computes_in_calling_thread && machine.calling_thread_launch_seconds > 0;
}

double launch_seconds(const tables::MachineModel& machine, const DeviceTraits& device) {
    if (launches_by_calling(machine, device)) {
        return machine.calling_thread_launch_seconds;
    }
    return machine.launch_seconds +
           static_cast<double>(device.compute_units) * machine.launch_unit_seconds;
}

double wake_seconds(const tables::MachineModel& machine, const DeviceTraits& device) {
    return launches_by_calling(machine, device) ? 0 : machine.wake_seconds;
}

double bandwidth_of(const tables::MachineModel& machine, const DeviceTraits& device) {
    return machine.bandwidth * share_of_units(machine, device);
}

double bandwidth_of_groups(double groups, const tables::MachineModel& machine,
                           const DeviceTraits& device) {
    const double all = bandwidth_of(machine, device);
    const double busy = groups / static_cast<double>(device.compute_units);
    return machine.bandwidth_units > 0 ? std::min(all, std::max(machine.bandwidth, busy * all))
                                       : all;
}

double write_bandwidth_of(const tables::MachineModel& machine, const DeviceTraits& device) {
    return machine.write_bandwidth > 0 ? machine.write_bandwidth * share_of_units(machine, device)
                                       : bandwidth_of(machine, device);
}

double transpose_bandwidth_of(const tables::MachineModel& machine, const DeviceTraits& device) {
    return machine.transpose_bandwidth * share_of_units(machine, device);
}

double uncached_slowness(const tables::KernelModel& kernel, double operand_bytes) {
    if (kernel.cached_bytes == 0 || operand_bytes <= kernel.cached_bytes) {
        return 1;
    }
    const double uncached = 1 - kernel.cached_bytes / operand_bytes;
    return 1 + uncached * (1 / kernel.uncached_factor - 1);
}

double predict_pass(const PassWork& work, const tables::MachineModel& machine,
                    const DeviceTraits& device) {
    const double bandwidth =
        work.transposes ? transpose_bandwidth_of(machine, device) : bandwidth_of(machine, device);
    const double groups =
        work.groups / static_cast<double>(device.compute_units) * machine.pass_group_seconds;
    // Adding partial sums is a chain of loads where there are few groups; else their traffic
    // decides.
    const double chain = work.partial_sums * machine.partial_sum_seconds;
    // What a kernel has just left to be added is in the cache.
    const bool is_limited = machine.memory_bandwidth > 0 && work.partial_sums == 0;
    const double traffic = is_limited ? work.bytes / machine.memory_bandwidth : 0;
    return launch_seconds(machine, device) + machine.pass_seconds +
           std::max({groups + work.bytes / bandwidth, chain, traffic});
}

double predict_main(const MainWork& work, const catalog::TileShape& tile,
                    const tables::KernelModel& kernel, const tables::MachineModel& machine,
                    const DeviceTraits& device) {
    const auto m = static_cast<double>(work.m);
    const auto n = static_cast<double>(work.n);
    const auto k = static_cast<double>(work.k);
    const auto batch = static_cast<double>(work.batch);
    const auto units = static_cast<double>(device.compute_units);

    const double operand_bytes = sizeof(float) * batch * (m * k + k * n);
    const double efficiency = efficiency_of(work, kernel, operand_bytes);
    const double products =
        products_time(work, tile, kernel, efficiency, unit_peak(machine, device));
    // On average, but no less than the fullest one takes.
    const double average = filled_share(work.m, work.n, tile);
    const double fullest = tile.equal_rows || tile.equal_columns
                               ? average
                               : filled_share(std::min<std::int64_t>(work.m, tile.m),
                                              std::min<std::int64_t>(work.n, tile.n), tile);
    const double groups = std::max(
        groups_time(work, tile, kernel, average * products, units),
        average < fullest ? kernel.group_seconds + fullest * products / kernel.groups_per_unit : 0);
    const double awake =
        groups * extension(work, tile, kernel, units) * collision_slowdown(work, machine);
    const double busy = std::min(units, count_groups(work, tile).all);
    const double compute =
        awake + extra_of_late_units(busy * awake, busy, wake_seconds(machine, device));

    const double traffic = operand_bytes + sizeof(float) * batch * m * n;
    const double memory =
        traffic / (bandwidth_of_groups(count_groups(work, tile).all, machine, device) *
                   bandwidth_share_of(kernel, machine, device));
    return launch_seconds(machine, device) + kernel.start_seconds +
           std::max({compute, memory, packing_beside_time(work, machine, units)}) +
           kernel.memory_exposure * std::min(compute, memory) +
           sum_in_launch_time(work.summed_bytes, machine) +
           (work.fringe ? work.fringe->seconds : 0);
}

} // namespace libsgemm::planning
