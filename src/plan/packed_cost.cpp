// SPDX-License-Identifier: Apache-2.0
#include "plan/packed_cost.hpp"

#include "plan/cost_model.hpp"

#include <algorithm>
#include <cmath>

namespace sgemm::planning {
namespace {

double count(std::int64_t extent, int part) {
    return std::ceil(static_cast<double>(extent) / part);
}

/// An operand that a launch reads in place, with steps along k that are `ld` elements apart.
struct InPlace {
    std::int64_t ld = 0; ///< zero: it is not, or steps are contiguous
    std::int64_t mn = 0;
    std::int64_t k = 0;
    int panel = 1;
    bool read_again = false; ///< cache sets matter only to what is read again
};

/// Panels along m; the last one is computed with as many vectors as it needs, rounded up to a power of
/// two.
double panels_of(const PackedWork& work, const catalog::TileShape& tile) {
    const std::int64_t rest = work.m % tile.panel_m;
    const double whole = static_cast<double>(work.m - rest) / tile.panel_m;
    if (rest == 0) {
        return whole;
    }
    std::int64_t rows = work.vector_width;
    while (rows < rest) {
        rows *= 2;
    }
    return whole + std::min(1.0, static_cast<double>(rows) / tile.panel_m);
}

/// What remains of the efficiency.
double factor_of(const InPlace& operand, const tables::KernelModel& kernel) {
    if (operand.ld == 0) {
        return 1;
    }
    double factor = 1;
    const double bytes = static_cast<double>(sizeof(float)) * static_cast<double>(operand.mn) *
                         static_cast<double>(operand.k);
    if (kernel.in_place_bytes > 0) {
        const double doublings = std::log2(std::max(1.0, bytes / kernel.in_place_bytes));
        factor = std::pow(kernel.far_in_place, std::ceil(doublings));
    }
    constexpr int line =
        16; // elements; a step of a wider panel takes several, and crowds sets earlier
    std::int64_t period = kernel.in_place_period;
    for (int width = line; width < operand.panel; width *= 2) {
        period /= 2;
    }
    for (; operand.read_again && period > 0 && operand.ld % period == 0; period *= 2) {
        factor /= kernel.in_place_collision;
    }
    return factor;
}

} // namespace

double predict_packed(const PackedWork& work, const catalog::TileShape& tile,
                      const tables::KernelModel& kernel, const tables::MachineModel& machine,
                      const DeviceTraits& device) {
    const auto m = static_cast<double>(work.m);
    const auto n = static_cast<double>(work.n);
    const auto k = static_cast<double>(work.k);
    const auto products = static_cast<double>(work.batch);
    const auto units = static_cast<double>(device.compute_units);
    const auto slices = static_cast<double>(work.slices);
    const auto groups_n = static_cast<double>(work.groups_n);

    const InPlace a{work.apart_a, work.m, work.k, tile.panel_m, work.n > tile.panel_n};
    const InPlace b{work.apart_b, work.n, work.k, tile.panel_n, work.m > tile.panel_m};
    const double efficiency = kernel.efficiency * factor_of(a, kernel) * factor_of(b, kernel) *
                              (work.a_unaligned ? kernel.narrow_loads_a : 1);
    const double rate = efficiency * unit_peak(machine, device);
    const double tile_flops = 2.0 * tile.panel_m * tile.panel_n * (k / slices);
    const double blocks = work.depth > 0 ? std::ceil(k / slices / work.depth) : 1;
    // Fewer columns than a tile has are computed one by one, each at the price of a few.
    constexpr double lone_column = 0.5;
    const double tiles_n = work.n < tile.panel_n ? lone_column * n : count(work.n, tile.panel_n);
    const double tiles = panels_of(work, tile) * tiles_n * products * slices;
    constexpr double tile_seconds = 20e-9; // to begin a register tile and to store it
    const double groups = count(work.m, tile.m) * groups_n * products * slices;
    double all =
        groups * kernel.group_seconds + tiles * (blocks * tile_seconds + tile_flops / rate);
    if (work.pack_a) {
        // Written to a cache, and from the second time on read from one.
        const double bytes =
            sizeof(float) * panels_of(work, tile) * tile.panel_m * k * products * groups_n;
        const double pack_rate =
            2 * machine.transpose_bandwidth * (work.a_k_major ? kernel.k_major_a : 1);
        all += bytes * units / pack_rate;
    }
    // Whoever begins its last work-group late ends late: a quarter of one on average.
    const double group = all / groups;
    const double compute = std::max(group, all / units + 0.25 * group * (1 - 1 / units));
    // Whoever computes other rows reads B again.
    const double b_again = count(work.m, tile.m);
    const double memory =
        sizeof(float) * products * (m * k + b_again * k * n + slices * m * n) / machine.bandwidth;
    return machine.launch_seconds + std::max(compute, memory) +
           kernel.memory_exposure * std::min(compute, memory);
}

} // namespace sgemm::planning
