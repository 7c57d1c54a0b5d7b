// SPDX-License-Identifier: Apache-2.0
// How C is divided among launches that pack for each other.
#include "plan/family/emulated/launch_shares.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace libsgemm::planning {
namespace {

constexpr int units = 132;

validate::CanonicalProblem product(std::int64_t m, std::int64_t n, std::int64_t k) {
    validate::CanonicalProblem problem;
    problem.m = m;
    problem.n = n;
    problem.k = k;
    problem.a = {validate::Major::k, k, 0, 64};
    problem.b = {validate::Major::k, k, 0, 64};
    problem.c = {validate::Major::mn, m, 0, 64};
    return problem;
}

catalog::TileShape tile(int m, int n) {
    catalog::TileShape shape;
    shape.m = m;
    shape.n = n;
    return shape;
}

std::vector<std::int64_t> rows_of(std::int64_t m, std::int64_t n, int most, int strict_m = 128) {
    std::vector<std::int64_t> rows;
    std::int64_t next = 0;
    for (const Block& block : launch_shares(product(m, n, 64), tile(128, 256), tile(strict_m, 128),
                                            CanonicalOperand::a, most, units)) {
        EXPECT_EQ(block.m0, next);
        EXPECT_EQ(block.n0, 0);
        EXPECT_EQ(block.n, n);
        next += block.m;
        rows.push_back(block.m);
    }
    EXPECT_EQ(next, m);
    return rows;
}

using Rows = std::vector<std::int64_t>;

TEST(LaunchShares, AreWavesOfTilesEachTwiceTheOneBefore) {
    // 8 tiles side by side: 16 lines of them to a wave.
    EXPECT_EQ(rows_of(12288, 2048, 3), (Rows{2048, 4096, 6144}));
    EXPECT_EQ(rows_of(12288, 2048, 2), (Rows{4096, 8192}));
    EXPECT_EQ(rows_of(4096, 2048, 3), (Rows{2048, 2048}));
    EXPECT_EQ(rows_of(11008, 2048, 2), (Rows{4096, 6912}));
    EXPECT_EQ(rows_of(8192, 8192, 3), (Rows{2 * 512, 5 * 512, 9 * 512}));
    // One line has more tiles than there are units.
    EXPECT_EQ(rows_of(1000, 65536, 2), (Rows{384, 616}));
}

TEST(LaunchShares, CutAWaveWhereThereIsOne) {
    EXPECT_EQ(rows_of(1024, 2048, 3), (Rows{128, 256, 640}));
    EXPECT_EQ(rows_of(130, 20, 3), (Rows{128, 2}));
    EXPECT_EQ(rows_of(128, 20, 3), (Rows{128}));
    EXPECT_EQ(rows_of(5000, 2048, 1), (Rows{5000}));
}

TEST(LaunchShares, CutNoTileOfTheStrictKernel) {
    for (const int strict_m : {64, 96, 192, 256}) {
        const Rows rows = rows_of(7000, 2048, 3, strict_m);
        ASSERT_EQ(rows.size(), strict_m % 3 == 0 ? 2U : 3U); // three waves lie on its tiles' ends
        EXPECT_EQ(rows[0] % strict_m, 0);
        EXPECT_EQ((rows[0] + rows[1]) % strict_m, rows.size() == 3 ? 0 : 7000 % strict_m);
        EXPECT_EQ(rows[0] % 2048, 0);
    }
}

TEST(LaunchShares, AreColumnsWhereBIsShared) {
    const auto blocks = launch_shares(product(2048, 8192, 64), tile(128, 256), tile(64, 64),
                                      CanonicalOperand::b, 2, units);
    ASSERT_EQ(blocks.size(), 2U);
    EXPECT_EQ(blocks[0].n, 2048); // 16 tiles side by side: 8 columns of them
    EXPECT_EQ(blocks[1].n0, 2048);
    EXPECT_EQ(blocks[1].n, 6144);
    EXPECT_EQ(blocks[1].m, 2048);
}

TEST(LaunchShares, TakeTheLargerOperandThatRoundsOfRowsCanBeCopiedOf) {
    EXPECT_EQ(operand_to_share(product(200, 100, 64)), CanonicalOperand::a);
    EXPECT_EQ(operand_to_share(product(100, 200, 64)), CanonicalOperand::b);
    auto problem = product(200, 100, 64);
    problem.a.major = validate::Major::mn;
    EXPECT_EQ(operand_to_share(problem), CanonicalOperand::b);
    problem.b.ld = 66;
    EXPECT_EQ(operand_to_share(problem), std::nullopt);
    problem = product(200, 100, 64);
    problem.a.offset_alignment = 2;
    EXPECT_EQ(operand_to_share(problem), CanonicalOperand::b);
    EXPECT_EQ(operand_to_share(product(200, 100, 66)), std::nullopt);
    problem = product(200, 100, 64);
    problem.batch = 2;
    EXPECT_EQ(operand_to_share(problem), std::nullopt);
    problem = product(200, 100, 64);
    problem.a.packed.scheme = Precision::fp16x2;
    ASSERT_TRUE(problem.a.packed.has_parts());
    EXPECT_EQ(operand_to_share(problem), CanonicalOperand::b);
}

} // namespace
} // namespace libsgemm::planning
