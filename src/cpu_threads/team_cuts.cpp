// SPDX-License-Identifier: Apache-2.0
#include "cpu_threads/team_cuts.hpp"

#include "support/round.hpp"

#include <algorithm>

namespace libsgemm::detail {
namespace {

constexpr std::int64_t line = 16; ///< elements

std::vector<Range> ranges(std::int64_t extent, std::int64_t parts, std::int64_t step) {
    const std::int64_t most = support::round_up(support::ceil_div(extent, parts), step);
    std::vector<Range> result;
    for (std::int64_t first = 0; first < extent; first += most) {
        result.push_back({first, std::min(most, extent - first)});
    }
    return result;
}

} // namespace

std::vector<TeamGrid> team_grids(const TeamExtents& extents, std::size_t threads) {
    std::vector<TeamGrid> grids;
    for (auto pieces = static_cast<std::int64_t>(threads); pieces > 1; pieces /= 2) {
        if (extents.products >= pieces) {
            grids.push_back({pieces, 1, 1});
            continue;
        }
        for (std::int64_t rows = 1; rows <= pieces; ++rows) {
            const std::int64_t columns = pieces / rows;
            if (rows * columns == pieces && rows <= extents.rows && columns <= extents.columns) {
                grids.push_back({1, rows, columns});
            }
        }
    }
    return grids;
}

std::vector<TeamPiece> team_pieces(const TeamExtents& extents, const TeamGrid& grid) {
    std::vector<TeamPiece> pieces;
    for (const Range& products : ranges(extents.products, grid.products, 1)) {
        for (const Range& columns :
             ranges(extents.columns, grid.columns, extents.rows_lie_together ? 1 : line)) {
            for (const Range& rows :
                 ranges(extents.rows, grid.rows, extents.rows_lie_together ? line : 1)) {
                pieces.push_back({products, rows, columns});
            }
        }
    }
    return pieces;
}

} // namespace libsgemm::detail
