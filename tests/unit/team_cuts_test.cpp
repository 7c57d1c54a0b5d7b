// SPDX-License-Identifier: Apache-2.0
#include "cpu_threads/team_cuts.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace libsgemm::detail {
namespace {

/// Whether pieces cover each element of all products exactly once.
bool make_up_the_whole(const std::vector<TeamPiece>& pieces, const TeamExtents& extents) {
    std::vector<int> covered(
        static_cast<std::size_t>(extents.products * extents.rows * extents.columns));
    for (const TeamPiece& piece : pieces) {
        for (std::int64_t b = 0; b < piece.products.count; ++b) {
            for (std::int64_t j = 0; j < piece.columns.count; ++j) {
                for (std::int64_t i = 0; i < piece.rows.count; ++i) {
                    const std::int64_t at =
                        ((piece.products.first + b) * extents.columns + piece.columns.first + j) *
                            extents.rows +
                        piece.rows.first + i;
                    ++covered.at(static_cast<std::size_t>(at));
                }
            }
        }
    }
    return std::all_of(covered.begin(), covered.end(), [](int times) { return times == 1; });
}

TEST(TeamCuts, PiecesMakeUpTheWhole) {
    for (const std::int64_t rows : {1, 15, 16, 17, 100}) {
        for (const std::int64_t columns : {1, 5, 33, 64}) {
            for (const std::int64_t products : {1, 2, 3, 9}) {
                for (const bool rows_lie_together : {false, true}) {
                    const TeamExtents extents{products, rows, columns, rows_lie_together};
                    for (const std::size_t threads : {2U, 3U, 4U, 7U, 16U}) {
                        for (const TeamGrid& grid : team_grids(extents, threads)) {
                            const auto pieces = team_pieces(extents, grid);
                            EXPECT_TRUE(make_up_the_whole(pieces, extents));
                            EXPECT_LE(pieces.size(), threads);
                        }
                    }
                }
            }
        }
    }
}

TEST(TeamCuts, LinesOfCAreNotShared) {
    const TeamExtents extents{1, 100, 40, true};
    for (const TeamPiece& piece : team_pieces(extents, {1, 3, 2})) {
        EXPECT_EQ(piece.rows.first % 16, 0);
    }
    const TeamExtents turned{1, 40, 100, false};
    for (const TeamPiece& piece : team_pieces(turned, {1, 2, 3})) {
        EXPECT_EQ(piece.columns.first % 16, 0);
    }
}

TEST(TeamCuts, TheFirstPieceIsTheLargest) {
    const TeamExtents extents{1, 130, 77, true};
    for (const TeamGrid& grid : team_grids(extents, 6)) {
        const auto pieces = team_pieces(extents, grid);
        for (const TeamPiece& piece : pieces) {
            EXPECT_LE(piece.rows.count, pieces.front().rows.count);
            EXPECT_LE(piece.columns.count, pieces.front().columns.count);
        }
    }
}

TEST(TeamCuts, ThreadsShareProductsOfABatchIfThereAreEnough) {
    EXPECT_EQ(team_grids({5, 64, 64, true}, 4), (std::vector<TeamGrid>{{4, 1, 1}, {2, 1, 1}}));
    EXPECT_EQ(team_grids({1, 64, 64, true}, 2), (std::vector<TeamGrid>{{1, 1, 2}, {1, 2, 1}}));
}

TEST(TeamCuts, OneThreadOrOneElementIsNotCut) {
    EXPECT_TRUE(team_grids({1, 64, 64, true}, 1).empty());
    EXPECT_TRUE(team_grids({1, 1, 1, true}, 8).empty());
}

} // namespace
} // namespace libsgemm::detail
