// SPDX-License-Identifier: Apache-2.0
#include "plan/family/packed/packed_cost.hpp"

#include "plan/cost_model.hpp"
#include "plan/wake_latency.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace libsgemm::planning {
namespace {

constexpr std::int64_t line = 16; // elements of a cache line, on all CPUs that have tables

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
    double near_bytes = 0;   ///< that are read without loss; zero: any
    double far = 1;          ///< factor to the efficiency from there on
    std::int64_t period = 0; ///< an `ld` that is a multiple of it crowds sets; zero: none does
    double collision = 1;    ///< what that costs, and each further factor of two
};

/// The time of a register tile of so many rows and columns as a share of a whole one's, at full
/// speed.
double tile_share(const PackedWork& work, const catalog::TileShape& tile,
                  const tables::MachineModel& machine, const DeviceTraits& device,
                  std::int64_t rows, std::int64_t columns) {
    const int lanes = std::max(1, std::min(work.vector_width, device.native_vector_width));
    const auto sums = [&](std::int64_t m, std::int64_t n) {
        return std::max(machine.fma_chains,
                        static_cast<double>(m) / lanes * static_cast<double>(n));
    };
    return sums(rows, columns) / sums(tile.panel_m, tile.panel_n);
}

/// How many vectors a panel of so many rows is computed with: 1, 2, 4 or all (VECTORS_FOR in
/// kernels/packed/register_tile.clh).
std::int64_t vectors_for(const PackedWork& work, const catalog::TileShape& tile,
                         std::int64_t rows) {
    const std::int64_t all = tile.panel_m / work.vector_width;
    if (rows == 0) {
        return 0;
    }
    for (const std::int64_t vectors : {1, 2, 4}) {
        if (rows <= vectors * work.vector_width) {
            return std::min(vectors, all);
        }
    }
    return all;
}

/// Rows behind the last panel that are computed by dot products along k, where they would cost it
/// more vectors (kernels/packed/few_rows.clh).
std::int64_t few_rows_of(const PackedWork& work, const catalog::TileShape& tile) {
    constexpr std::int64_t most = 4; // of that kernel header
    const std::int64_t few = work.m % work.vector_width;
    const std::int64_t rest = work.m % tile.panel_m;
    const bool k_major_b = work.apart_b == 0 && !work.pack_b;
    const bool has_few = k_major_b && work.n >= tile.panel_n && few > 0 && few <= most &&
                         work.k / work.split_k >= work.vector_width &&
                         vectors_for(work, tile, rest - few) < vectors_for(work, tile, rest);
    return has_few ? few : 0;
}

/// Blocks of a range of k.
double blocks_of(const PackedWork& work) {
    return work.depth > 0 ? std::ceil(static_cast<double>(work.k) /
                                      static_cast<double>(work.split_k) / work.depth)
                          : 1;
}

/// What a register tile takes: its steps along k, and to begin and store it.
struct TileSeconds {
    double steps = 0;
    double to_begin = 0;
    double all() const { return steps + to_begin; }
};

/// Panels along m, the last one by its vectors, with what few rows take as a share of a panel.
double panels_of(const PackedWork& work, const catalog::TileShape& tile,
                 const tables::KernelModel& kernel, const tables::MachineModel& machine,
                 const DeviceTraits& device, const TileSeconds& seconds) {
    const std::int64_t few = few_rows_of(work, tile);
    const std::int64_t rest = work.m % tile.panel_m;
    const std::int64_t rows = vectors_for(work, tile, rest - few) * work.vector_width;
    double last =
        static_cast<double>(few) * (kernel.few_rows_slowdown * seconds.steps / tile.panel_m +
                                    blocks_of(work) * tile.panel_n * kernel.lane_sum_seconds);
    if (rows > 0) {
        last += std::min(1.0, tile_share(work, tile, machine, device, rows, tile.panel_n)) *
                    seconds.steps +
                seconds.to_begin;
    }
    return static_cast<double>(work.m - rest) / tile.panel_m + last / seconds.all();
}

/// How much slower lines arrive of steps along k that are `ld` elements apart, if these crowd few
/// cache sets.
double crowding_of(std::int64_t ld, int panel, std::int64_t period, double collision) {
    // A step of a wider panel than a line takes several, and crowds sets earlier.
    for (std::int64_t width = line; width < panel; width *= 2) {
        period /= 2;
    }
    double crowding = 1;
    for (; ld > 0 && period > 0 && ld % period == 0; period *= 2) {
        crowding *= collision;
    }
    return crowding;
}

/// Fewer columns than a tile has are computed one by one (`lone`), each of them reads A again.
InPlace in_place_a(const PackedWork& work, const catalog::TileShape& tile,
                   const tables::KernelModel& kernel, bool lone) {
    return {.ld = work.pack_a ? 0 : work.apart_a,
            .mn = work.m,
            .k = work.k,
            .panel = tile.panel_m,
            .read_again = work.n > (lone ? 1 : tile.panel_n),
            .near_bytes = kernel.in_place_bytes,
            .far = kernel.far_in_place,
            .period = kernel.in_place_period,
            .collision = kernel.in_place_collision};
}

InPlace in_place_b(const PackedWork& work, const catalog::TileShape& tile,
                   const tables::KernelModel& kernel) {
    return {.ld = work.apart_b,
            .mn = work.n,
            .k = work.k,
            .panel = tile.panel_n,
            .read_again = work.m > tile.panel_m,
            .near_bytes =
                kernel.in_place_bytes_b > 0 ? kernel.in_place_bytes_b : kernel.in_place_bytes,
            .far = kernel.far_in_place,
            .period = kernel.in_place_period,
            .collision = kernel.in_place_collision};
}

/// What remains of the efficiency.
double factor_of(const InPlace& operand) {
    if (operand.ld == 0) {
        return 1;
    }
    double factor = 1;
    const double bytes = static_cast<double>(sizeof(float)) * static_cast<double>(operand.mn) *
                         static_cast<double>(operand.k);
    if (operand.near_bytes > 0) {
        const double doublings = std::log2(std::max(1.0, bytes / operand.near_bytes));
        factor = std::pow(operand.far, std::ceil(doublings));
    }
    return operand.read_again
               ? factor / crowding_of(operand.ld, operand.panel, operand.period, operand.collision)
               : factor;
}

/// What remains of it where vectors of A straddle cache lines: the loss grows with the square of
/// their share (ADR 31).
double straddling_factor(const PackedWork& work, const tables::KernelModel& kernel) {
    return std::pow(kernel.narrow_loads_a, work.straddling_a * work.straddling_a);
}

/// Of the columns of a tile, whose streams through B are `ld` elements apart, those of which more
/// share a set of the first-level cache than it has ways: each of their lines is gone before its
/// next element is read. Of those that fill a set a share counts, since A and C pass through it,
/// too.
double crowded_columns(std::int64_t ld, std::int64_t columns, const tables::MachineModel& machine) {
    if (ld == 0 || machine.cache_ways == 0) {
        return 0;
    }
    constexpr std::int64_t sets = 64; // of a way of 4 KiB: a page, in whatever CPU
    std::array<std::int64_t, sets> in_set{};
    for (std::int64_t j = 0; j < columns; ++j) {
        ++in_set[static_cast<std::size_t>(j * ld / line % sets)];
    }
    constexpr double full = 1.0 / 3; // between none and all: which it is A and C decide
    double crowded = 0;
    for (const std::int64_t here : in_set) {
        const double share = here > machine.cache_ways ? 1 : here == machine.cache_ways ? full : 0;
        crowded += share * static_cast<double>(here);
    }
    return crowded;
}

/// The work-groups of a launch in the order in which they begin: along m first, then along n, then
/// product by product.
struct DealtGroups {
    double along_m = 1;
    double along_n = 1;
    double count = 1;       ///< with all products and k ranges
    double panels = 1;      ///< of all groups along m: the last one may have fewer
    double panels_each = 1; ///< of the others
    /// Register tiles that the groups along n share, as equally as whole ones allow.
    double tiles_n = 1;
    /// Of each group, of each of its panels, of each of their register tiles, and of what it packs
    /// for all tiles that lie above each other.
    double group_seconds = 0;
    double panel_seconds = 0;
    double tile_seconds = 0;
    double columns_seconds = 0;

    double seconds_of(double groups, double some_panels, double shares, double tiles) const {
        return groups * (group_seconds + tiles / std::max(1.0, shares) * columns_seconds) +
               some_panels * (shares * panel_seconds + tiles * tile_seconds);
    }

    /// Compute time of the first so many, one after the other.
    double seconds_of_first(double groups) const {
        const double least = std::floor(tiles_n / along_n);
        const double longer = tiles_n - least * along_n; // shares that take one tile more
        const double shares = std::floor(groups / along_m);
        const double products = std::floor(shares / along_n);
        const double more_shares = shares - products * along_n;
        const double tiles =
            products * tiles_n + more_shares * least + std::min(more_shares, longer);
        const double rest = groups - shares * along_m;
        const double tiles_of_next = least + (more_shares < longer ? 1 : 0);
        return seconds_of(shares * along_m, panels, shares, tiles) +
               seconds_of(rest, rest * panels_each, 1, tiles_of_next);
    }

    /// Until the last unit ends, if all but one begin about `wake` seconds late, on average, less
    /// what a launch loses whose groups even out. An idle unit takes its share of what nobody has
    /// begun yet, rounded up (PoCL 3.1): of 9 groups the first of two takes 5. The others even out
    /// among themselves what it leaves, by whole groups.
    double seconds_if_late(double units, double wake) const {
        const double alone = seconds_of_first(count);
        const double first = std::ceil(count / units);
        if (first >= count) {
            return alone;
        }
        const double of_first = seconds_of_first(first);
        const double others = count - first;
        const double each = (alone - of_first) / others;
        return average_over_wake_latency(wake, [&](double late) {
            const double by_others = late + std::ceil(others / (units - 1)) * each;
            const double with_help = evened_out(alone, late, units) + each / 2; // by whole groups
            const double last = std::max(late + each, std::min(by_others, with_help));
            // Or the first has done it all before they begin.
            const double seconds = std::min(alone, std::max(of_first, last));
            return without_common_loss(seconds, alone, late, units);
        });
    }
};

/// Bytes, as many as are read and written in the time in which this launch reads and writes.
/// Whoever computes other rows reads B again. Where C has few columns, all the time goes into
/// reading A: steps that are prefetched push each other out of the same sets, whether they are
/// packed or not.
double traffic_of(const PackedWork& work, const catalog::TileShape& tile,
                  const tables::KernelModel& kernel, const tables::MachineModel& machine) {
    constexpr std::int64_t few_columns = 4; // fewer than hide the time of A's lines
    const auto m = static_cast<double>(work.m);
    const auto n = static_cast<double>(work.n);
    const auto k = static_cast<double>(work.k);
    const double crowding =
        work.n <= few_columns
            ? std::min(kernel.in_place_collision_most,
                       crowding_of(work.apart_a, tile.panel_m, kernel.in_place_period,
                                   kernel.in_place_collision))
            : 1;
    const double b_again = count(work.m, tile.m);
    // Groups of other columns, which begin behind all groups along m, read A again, from a cache if
    // it is in one.
    const double bytes_a = sizeof(float) * m * k;
    const bool of_core = !work.pack_a && machine.core_cache_bytes > 0;
    const bool far = of_core ? bytes_a / work.split_k > machine.core_cache_bytes
                             : kernel.cached_bytes > 0 &&
                                   static_cast<double>(work.batch) * bytes_a > kernel.cached_bytes;
    const double a_again = far ? static_cast<double>(work.groups_n) : 1;
    // Written by the first block of k, read and written by each of the others.
    const double c_again = 2 * blocks_of(work) - 1;
    return sizeof(float) * static_cast<double>(work.batch) *
           (a_again * crowding * m * k + b_again * k * n +
            c_again * static_cast<double>(work.split_k) * m * n);
}

} // namespace

double straddling_share(std::int64_t ld, std::int64_t offset_alignment, int width) {
    if (width <= 1) {
        return 0;
    }
    const std::int64_t offset = offset_alignment % line; // an odd multiple of it, or of a line
    std::int64_t vectors = 0;
    std::int64_t straddling = 0;
    for (std::int64_t step = 0; step < line; ++step) {
        for (std::int64_t v = 0; v < line; v += width, ++vectors) {
            straddling += (offset + step * (ld % line) + v) % line + width > line ? 1 : 0;
        }
    }
    const double most = static_cast<double>(vectors) * (width - 1) / line; // for an odd `ld`
    return std::min(1.0, static_cast<double>(straddling) / most);
}

double predict_packed(const PackedWork& work, const catalog::TileShape& tile,
                      const tables::KernelModel& kernel, const tables::MachineModel& machine,
                      const DeviceTraits& device) {
    const auto m = static_cast<double>(work.m);
    const auto n = static_cast<double>(work.n);
    const auto k = static_cast<double>(work.k);
    const auto products = static_cast<double>(work.batch);
    const auto units = static_cast<double>(device.compute_units);
    const auto split_k = static_cast<double>(work.split_k);

    // Fewer columns than a tile has are computed one by one.
    const bool lone = work.n < tile.panel_n && !work.pack_b;
    const InPlace a = in_place_a(work, tile, kernel, lone);
    const InPlace b = in_place_b(work, tile, kernel);
    const double efficiency = kernel.efficiency * factor_of(a) * factor_of(b) *
                              straddling_factor(work, kernel) /
                              uncached_slowness(kernel, sizeof(float) * products * (m * k + k * n));
    const double rate = efficiency * unit_peak(machine, device);
    const double tile_flops = 2.0 * tile.panel_m * tile.panel_n * (k / split_k);
    const double lines = lone ? 0 : crowded_columns(work.streams_b_apart, tile.panel_n, machine);
    // Fewer rows of a last panel count as less of this, too, though they miss as often: 16 rows at
    // a time took less time.
    const double tile_seconds =
        std::max(tile_flops / rate, lines * (k / split_k) * machine.cache_line_seconds);
    const TileSeconds seconds{tile_seconds, blocks_of(work) * kernel.tile_seconds};

    DealtGroups groups;
    groups.along_m = count(work.m, tile.m);
    groups.along_n = static_cast<double>(work.groups_n);
    groups.count = groups.along_m * groups.along_n * products * split_k;
    groups.panels = lone ? count(work.m, tile.panel_m)
                         : panels_of(work, tile, kernel, machine, device, seconds);
    groups.panels_each = tile.equal_rows ? groups.panels / groups.along_m
                                         : static_cast<double>(tile.m) / tile.panel_m;
    groups.tiles_n = lone ? n : count(work.n, tile.panel_n);
    groups.group_seconds = kernel.group_seconds;
    groups.tile_seconds = (lone ? std::max(kernel.lone_column_share,
                                           tile_share(work, tile, machine, device, tile.panel_m, 1))
                                : 1) *
                          seconds.all();
    // Written to a cache, and from the second time on read from one.
    const double step_seconds =
        sizeof(float) / (2 * transpose_bandwidth_of(machine, device) / units);
    if (work.pack_a) {
        groups.panel_seconds =
            step_seconds * tile.panel_m * k / split_k / (work.a_k_major ? kernel.k_major_a : 1);
    }
    if (work.pack_b) {
        groups.columns_seconds =
            step_seconds * tile.panel_n * k / split_k / (work.b_k_major ? kernel.k_major_b : 1);
    }
    const double compute = groups.seconds_if_late(units, wake_seconds(machine, device));
    const double memory = traffic_of(work, tile, kernel, machine) /
                          bandwidth_of_groups(groups.count, machine, device);
    return launch_seconds(machine, device) + std::max(compute, memory) +
           kernel.memory_exposure * std::min(compute, memory);
}

} // namespace libsgemm::planning
