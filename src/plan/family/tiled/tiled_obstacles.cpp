// SPDX-License-Identifier: Apache-2.0
//
// Why a candidate's main kernel cannot compute a problem with its tiles laid on the extents.
#include "device/limits.hpp"
#include "plan/family/tiled/tiled_builder.hpp"

namespace libsgemm::planning {

std::string TiledBuilder::find_obstacle_to_extension() const {
    if (candidate_.variant.parts.m * candidate_.variant.parts.n > 1) {
        return "extended tiles and parts of m or n exclude each other";
    }
    if (extents_.m < tile_.m || extents_.n < tile_.n) {
        return "extended tiles need at least one whole tile";
    }
    const int rows = extension_of(extents_.m % tile_.m);
    const int columns = extension_of(extents_.n % tile_.n);
    if (rows < 0 || columns < 0) {
        return "more rows or columns are left over than extended tiles take";
    }
    const auto bytes = tiled().extension_bytes;
    const std::int64_t more = bytes == nullptr ? -1 : bytes(candidate_.parameters, rows, columns);
    if (more < 0) {
        return "its tiles cannot be extended with these parameters";
    }
    if (tile_.local_memory_bytes + more > device::compiler_limits(context_.device).local_memory) {
        return "extended tiles need more local memory than the device has";
    }
    return {};
}

std::string TiledBuilder::find_obstacle_to_fused_reduction() const {
    if (!candidate_.variant.fused_reduction) {
        return {};
    }
    if (!can_fuse_reduction(candidate_, context_.device)) {
        return "it has no fused reduction with these parameters and edges on this device";
    }
    if (extents_.m != problem_.m || extents_.n != problem_.n) {
        return "a padded product takes no fused reduction";
    }
    if (tiles_of(candidate_, extents_, tile_) > most_counters / problem_.batch) {
        return "more tiles than counters";
    }
    return {};
}

std::string TiledBuilder::find_obstacle_to_shift() const {
    if (!tiled().shifts) {
        return "it does not move tiles";
    }
    const auto last = [](std::int64_t extent, int parts, int tile) {
        const std::int64_t rest = extent % part_length(extent, parts, tile);
        return rest == 0 ? extent : rest;
    };
    if (last(extents_.m, candidate_.variant.parts.m, tile_.m) < tile_.m ||
        last(extents_.n, candidate_.variant.parts.n, tile_.n) < tile_.n) {
        return "a pointer shift needs at least one whole tile";
    }
    return {};
}

std::string TiledBuilder::find_obstacle_to_tiles() const {
    if (std::string reason = find_obstacle_to_fused_reduction(); !reason.empty()) {
        return reason;
    }
    switch (candidate_.variant.edges) {
    case EdgeStrategy::extension:
        return find_obstacle_to_extension();
    case EdgeStrategy::pointer_shift:
        return find_obstacle_to_shift();
    default:
        return {};
    }
}

} // namespace libsgemm::planning
