// SPDX-License-Identifier: Apache-2.0
#include "plan/family/tiled/tiled_obstacles.hpp"

#include "plan/plan_value.hpp"

namespace libsgemm::planning {
namespace {

using validate::CanonicalProblem;

class Finder {
public:
    Finder(const CanonicalProblem& problem, const Candidate& candidate, const WorkExtents& extents,
           const DeviceTraits& device)
        : problem_(problem), candidate_(candidate), extents_(extents), device_(device),
          tile_(candidate.kernel->tile(candidate.parameters)) {}

    std::string find() const;

private:
    std::string find_to_extension() const;
    std::string find_to_fused_reduction() const;
    std::string find_to_shift() const;

    const CanonicalProblem& problem_;
    const Candidate& candidate_;
    const WorkExtents& extents_;
    const DeviceTraits& device_;
    catalog::TileShape tile_;
};

std::string Finder::find_to_extension() const {
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
    const auto bytes = catalog::tiled_of(*candidate_.kernel)->extension_bytes;
    const std::int64_t more = bytes == nullptr ? -1 : bytes(candidate_.parameters, rows, columns);
    if (more < 0) {
        return "its tiles cannot be extended with these parameters";
    }
    if (tile_.local_memory_bytes + more > catalog::static_local_memory_bytes(device_)) {
        return "extended tiles need more local memory than the device has";
    }
    return {};
}

std::string Finder::find_to_fused_reduction() const {
    if (!candidate_.variant.fused_reduction) {
        return {};
    }
    if (!can_fuse_reduction(candidate_, device_)) {
        return "it has no fused reduction with these parameters and edges on this "
               "device";
    }
    if (extents_.m != problem_.m || extents_.n != problem_.n) {
        return "a padded product is not summed in the launch";
    }
    if (tiles_of(candidate_, extents_, tile_) > most_counters / problem_.batch) {
        return "more tiles than counters";
    }
    return {};
}

std::string Finder::find_to_shift() const {
    if (!catalog::tiled_of(*candidate_.kernel)->shifts) {
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

std::string Finder::find() const {
    if (std::string reason = find_to_fused_reduction(); !reason.empty()) {
        return reason;
    }
    switch (candidate_.variant.edges) {
    case EdgeStrategy::extension:
        return find_to_extension();
    case EdgeStrategy::pointer_shift:
        return find_to_shift();
    default:
        return {};
    }
}

} // namespace

std::string find_obstacle_to_tiles(const CanonicalProblem& problem, const Candidate& candidate,
                                   const WorkExtents& extents, const DeviceTraits& device) {
    return Finder(problem, candidate, extents, device).find();
}

} // namespace libsgemm::planning
