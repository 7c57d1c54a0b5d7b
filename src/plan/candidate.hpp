// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_entry.hpp"
#include "sgemm/plan.hpp"
#include "tables/device_table.hpp"

#include <cstdint>
#include <string>

namespace libsgemm::planning {

/// How a candidate meets sizes that are not multiples of its tile.
enum class EdgeTreatment : std::uint8_t {
    padded,   ///< passes copy operands to tile multiples and C back; nothing where the tiles fit
    guarded,  ///< the kernel keeps tiles at the edges within the operands
    shifted,  ///< the kernel moves tiles at the edges inward
    extended, ///< the kernel's last tiles take the rows and columns left over
};

/// Launches of the main kernel, one after the other, that share the work: remedies for leading
/// dimensions that collide in memory channels. 1: that extent is not divided.
struct Parts {
    int m = 1;
    int n = 1;
    int k = 1;

    int count() const { return m * n * k; }
    bool operator==(const Parts&) const = default;
};

/// One thing to consider: a kernel with all its parameters and how its needs are met.
struct Candidate {
    const catalog::KernelEntry* kernel = nullptr;
    catalog::Parameters parameters;
    tables::KernelModel model;
    int row = -1; ///< of the table; negative: in none
    PrePassStyle pre_passes = PrePassStyle::fused;
    EdgeTreatment edges = EdgeTreatment::padded;
    bool narrowed = false; ///< loads are narrower than the row says, as alignment asks
    int halvings_a = 0;    ///< how often
    int halvings_b = 0;
    int split_k = 1;            ///< slices of k in one launch, added by a pass ...
    bool sum_in_launch = false; ///< ... or by the last work-group of each tile
    Parts parts;
    bool relay_a = false; ///< A is copied even if it could be read in place
    bool relay_b = false;
    bool pack_a = false; ///< work-groups copy their rows of A; only where that is a choice
    bool turn_b = false; ///< a pass makes B k-major; only for such a kernel

    /// Whether work-groups sum the rows and columns behind the last whole tiles apart (kernels/nvidia/rim.clh).
    bool has_rim() const { return kernel->streams && edges == EdgeTreatment::extended; }
    /// Rows or columns that are in tiles: all, but for a rim.
    std::int64_t in_tiles(std::int64_t extent, int tile) const {
        return has_rim() ? extent / tile * tile : extent;
    }
    /// Whether `sum_in_launch` is possible at all.
    bool can_sum_in_launch(const DeviceTraits& device) const {
        return kernel->sums_in_launch != nullptr && kernel->sums_in_launch(device, parameters) &&
               edges != EdgeTreatment::extended;
    }

    /// "tiled (tile_m=64 ...), guarded, k in 4 slices"
    std::string to_string() const;
};

} // namespace libsgemm::planning
