// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_entry.hpp"
#include "plan/work.hpp"
#include "tables/device_table.hpp"

#include <cstdint>

namespace libsgemm::planning {

/// How persistent work-groups share a list of tiles (kernels/nvidia/tile_list.clh).
struct StreamShares {
    std::int64_t groups = 1; ///< work-groups of the launch
    std::int64_t whole = 0;  ///< tiles that are multiplied whole, from the first on
    std::int64_t cut = 0;    ///< tiles behind them, computed by stream-K
    int shift = 0;           ///< a unit is 2^shift steps
    std::int64_t units_per_tile = 1;
    std::int64_t share = 1; ///< units of each work-group

    /// Tiles' worth of steps of each work-group.
    double tiles_per_group(std::int64_t steps) const;
    std::int64_t units() const { return cut * units_per_tile; }
    /// ceil(2^32 / units_per_tile): multiplied by it, the upper half of a unit's index is its tile.
    std::int64_t reciprocal() const;
};

/// Shares of `tiles` tiles of `steps` steps each among at most `most_groups` work-groups. With
/// `deal_out` the last wave and the one before it are computed by stream-K, where there is an
/// incomplete one.
StreamShares share_stream(std::int64_t tiles, std::int64_t steps, std::int64_t most_groups,
                          bool deal_out);

/// The same for `batch` products of m x n x k in such tiles.
StreamShares share_stream(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch,
                          const catalog::TileShape& tile, std::int64_t most_groups, bool deal_out);

/// The work-groups that have a tile less than others if they are done before those are; else all.
Fringe share_fringe(const MainWork& work, const StreamShares& shares,
                    const catalog::TileShape& tile, const tables::MachineModel& machine,
                    const DeviceTraits& device);

} // namespace libsgemm::planning
