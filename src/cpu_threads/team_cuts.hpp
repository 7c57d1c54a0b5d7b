// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace libsgemm::detail {

/// From `first` on, `count` of them.
struct Range {
    std::int64_t first = 0;
    std::int64_t count = 0;
    bool operator==(const Range&) const = default;
};

/// What one thread computes: so many products of a batch, rows and columns of C.
struct TeamPiece {
    Range products;
    Range rows;
    Range columns;
    bool operator==(const TeamPiece&) const = default;
};

/// Into how many parts each extent is cut.
struct TeamGrid {
    std::int64_t products = 1;
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    bool operator==(const TeamGrid&) const = default;
};

struct TeamExtents {
    std::int64_t products = 1;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    /// Rows, or columns, that lie side by side in memory are cut at multiples of a cache line.
    bool rows_lie_together = true;
};

/// The ways to cut a problem into as many pieces as there are threads, or a half, a quarter, ... as
/// many; at least two.
std::vector<TeamGrid> team_grids(const TeamExtents& extents, std::size_t threads);

/// The pieces of a grid that have anything to compute, the largest first; all but the last ones of
/// each extent are equal.
std::vector<TeamPiece> team_pieces(const TeamExtents& extents, const TeamGrid& grid);

} // namespace libsgemm::detail
