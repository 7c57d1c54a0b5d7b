// SPDX-License-Identifier: Apache-2.0
//
// How a candidate's tiles lie on what its main kernel works on.
#pragma once

#include "plan/candidate.hpp"

#include <cstdint>

namespace libsgemm::planning {

/// What the main kernel works on: the problem's extents, or these rounded up to whole tiles.
struct WorkExtents {
    std::int64_t m = 0, n = 0, k = 0;
};

/// Length of the parts of an extent: multiples of `unit`, such as whole tiles, as equal as that
/// allows.
std::int64_t part_length(std::int64_t extent, std::int64_t parts, std::int64_t unit);

/// What extended tiles are built for where `rest` rows or columns are left over: few values, so few
/// builds; negative if it is too many.
int extension_of(std::int64_t rest);

/// Tiles along an extent: extended ones take what is left over.
std::int64_t tiles_along(const Candidate& candidate, std::int64_t extent, int tile);

/// Whether it multiplies parts of the operands' values, as only some tiled kernels do.
inline bool is_emulated(const Candidate& candidate) {
    return candidate.kernel->precision != Precision::strict;
}

/// Whether the last work-group of a tile may add the partial sums of split-K.
bool can_fuse_reduction(const Candidate& candidate, const DeviceTraits& device);

/// Tiles of one matrix of the result.
std::int64_t tiles_of(const Candidate& candidate, const WorkExtents& extents,
                      const catalog::TileShape& tile);

} // namespace libsgemm::planning
