// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_entry.hpp"
#include "tables/device_table.hpp"

#include <cstdint>
#include <string>

namespace libsgemm::planning {

using catalog::Parts;
using catalog::Variant;

/// One thing to consider: a kernel with all its parameters and how its needs are met.
struct Candidate {
    const catalog::KernelEntry* kernel = nullptr;
    catalog::Parameters parameters;
    tables::KernelModel model;
    int row = -1; ///< of the table; negative: in none
    Variant variant;

    /// Whether work-groups sum the rows and columns behind the last whole tiles apart (kernels/nvidia/rim.clh).
    bool has_rim() const { return kernel->streams && variant.edges == EdgeStrategy::extension; }
    /// Rows or columns that are in tiles: all, but for a rim.
    std::int64_t in_tiles(std::int64_t extent, int tile) const {
        return has_rim() ? extent / tile * tile : extent;
    }
    /// Whether a fused reduction is possible at all.
    bool can_fuse_reduction(const DeviceTraits& device) const {
        return kernel->sums_in_launch != nullptr && kernel->sums_in_launch(device, parameters) &&
               variant.edges != EdgeStrategy::extension;
    }

    /// "tiled (tile_m=64 ...), guarded, k in 4 slices"
    std::string to_string() const;
};

} // namespace libsgemm::planning
