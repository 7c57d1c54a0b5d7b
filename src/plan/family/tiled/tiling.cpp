// SPDX-License-Identifier: Apache-2.0
#include "plan/family/tiled/tiling.hpp"

#include "support/round.hpp"

#include <algorithm>
#include <array>

namespace libsgemm::planning {

std::int64_t part_length(std::int64_t extent, std::int64_t parts, std::int64_t unit) {
    return support::round_up(support::ceil_div(extent, parts), unit);
}

int extension_of(std::int64_t rest) {
    constexpr std::array built_for{0, 1, 2, 4, 8};
    const auto* found = std::lower_bound(built_for.begin(), built_for.end(), rest);
    return found == built_for.end() ? -1 : *found;
}

std::int64_t tiles_along(const Candidate& candidate, std::int64_t extent, int tile) {
    return candidate.variant.edges == EdgeStrategy::extension ? extent / tile
                                                              : support::ceil_div(extent, tile);
}

bool can_fuse_reduction(const Candidate& candidate, const DeviceTraits& device) {
    const auto can = catalog::tiled_of(*candidate.kernel)->sums_in_launch;
    return can != nullptr && can(device, candidate.parameters) &&
           candidate.variant.edges != EdgeStrategy::extension;
}

std::int64_t tiles_of(const Candidate& candidate, const WorkExtents& extents,
                      const catalog::TileShape& tile) {
    return tiles_along(candidate, extents.m, tile.m) * tiles_along(candidate, extents.n, tile.n);
}

} // namespace libsgemm::planning
