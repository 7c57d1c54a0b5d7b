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

    std::string find(EdgeStrategy edges) const;

private:
    std::string find_to_extension() const;
    std::string find_to_stream() const;
    std::string find_to_sum_in_launch() const;
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
    const catalog::KernelEntry& kernel = *candidate_.kernel;
    const std::int64_t more = kernel.extension_bytes == nullptr
                                  ? -1
                                  : kernel.extension_bytes(candidate_.parameters, rows, columns);
    if (more < 0) {
        return "its tiles cannot be extended with these parameters";
    }
    if (tile_.local_memory_bytes + more > catalog::static_local_memory_bytes(device_)) {
        return "extended tiles need more local memory than the device has";
    }
    return {};
}

std::string Finder::find_to_stream() const {
    if (!candidate_.kernel->streams) {
        return {};
    }
    // Of tiles and of steps: indices have 32 bits.
    constexpr std::int64_t most = std::int64_t{1} << 30U;
    if (extents_.m / tile_.m + 1 > most / (extents_.n / tile_.n + 1) / problem_.batch ||
        extents_.k / tile_.k + 1 > most) {
        return "more tiles or steps than its indices reach";
    }
    return {};
}

std::string Finder::find_to_sum_in_launch() const {
    if (!candidate_.variant.fused_reduction) {
        return {};
    }
    if (!candidate_.can_fuse_reduction(device_)) {
        return "it does not sum slices in its launch with these parameters and edges on this "
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
    if (!candidate_.kernel->shifts) {
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

std::string Finder::find(EdgeStrategy edges) const {
    if (edges == EdgeStrategy::padding && candidate_.kernel->edges == catalog::Edges::any_size) {
        return "it checks bounds itself and is never padded";
    }
    const bool selectable = candidate_.kernel->edges == catalog::Edges::selectable;
    if (!selectable && (edges == EdgeStrategy::guarded || edges == EdgeStrategy::pointer_shift ||
                        edges == EdgeStrategy::extension)) {
        return "its edges cannot be chosen";
    }
    if (std::string reason = find_to_stream(); !reason.empty()) {
        return reason;
    }
    if (std::string reason = find_to_sum_in_launch(); !reason.empty()) {
        return reason;
    }
    if (candidate_.variant.parts.count() > 1 && candidate_.variant.split_k > 1) {
        return "slices of k and parts exclude each other";
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

std::string find_obstacle(const CanonicalProblem& problem, const Candidate& candidate,
                          const WorkExtents& extents, EdgeStrategy edges,
                          const DeviceTraits& device) {
    return Finder(problem, candidate, extents, device).find(edges);
}

} // namespace libsgemm::planning
