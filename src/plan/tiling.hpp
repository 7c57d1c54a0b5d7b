// SPDX-License-Identifier: Apache-2.0
//
// How a candidate's tiles lie on what its main kernel works on.
#pragma once

#include "plan/candidate.hpp"

#include <cstddef>
#include <cstdint>

namespace sgemm::planning {

/// What the main kernel works on: the problem's extents, or these rounded up to whole tiles.
struct WorkExtents {
    std::int64_t m = 0, n = 0, k = 0;
};

/// Length of the parts of an extent: whole tiles, as equal as that allows.
std::int64_t part_length(std::int64_t extent, int parts, int tile);

/// What extended tiles are built for where `rest` rows or columns are left over: few values, so few
/// builds; negative if it is too many.
int extension_of(std::int64_t rest);

/// Tiles along an extent: extended ones take what is left over.
std::int64_t tiles_along(const Candidate& candidate, std::int64_t extent, int tile);

} // namespace sgemm::planning
