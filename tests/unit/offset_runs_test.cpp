// SPDX-License-Identifier: Apache-2.0
#include "context/offset_runs.hpp"

#include <gtest/gtest.h>
#include <numeric>

namespace libsgemm::detail {
namespace {

using Offsets = std::vector<std::int64_t>;

Offsets steps(std::int64_t first, std::int64_t step, std::size_t count) {
    Offsets offsets(count);
    for (std::size_t i = 0; i < count; ++i) {
        offsets[i] = first + step * static_cast<std::int64_t>(i);
    }
    return offsets;
}

std::int64_t products(const std::vector<OffsetRun>& runs) {
    return std::accumulate(runs.begin(), runs.end(), std::int64_t{0},
                           [](std::int64_t sum, const OffsetRun& run) { return sum + run.count; });
}

TEST(OffsetRuns, EqualDistancesAreOneRun) {
    const auto runs = equidistant_runs(steps(5, 10, 7), steps(3, 0, 7), steps(0, 20, 7), 20);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs[0].count, 7);
    EXPECT_EQ(runs[0].stride_a, 10);
    EXPECT_EQ(runs[0].stride_b, 0);
    EXPECT_EQ(runs[0].stride_c, 20);
}

TEST(OffsetRuns, FewOrIrregularProductsStayAlone) {
    EXPECT_EQ(equidistant_runs(steps(0, 10, 3), steps(0, 10, 3), steps(0, 20, 3), 20).size(), 3U);
    EXPECT_EQ(equidistant_runs({0, 1, 5, 6, 20}, steps(0, 1, 5), steps(0, 9, 5), 9).size(), 5U);
    EXPECT_TRUE(equidistant_runs({}, {}, {}, 1).empty());
}

TEST(OffsetRuns, DescendingOrInterleavedOnesAreNoStridedBatch) {
    EXPECT_EQ(equidistant_runs(steps(90, -10, 6), steps(0, 1, 6), steps(0, 20, 6), 20).size(), 6U);
    EXPECT_EQ(equidistant_runs(steps(0, 1, 6), steps(0, 1, 6), steps(200, -20, 6), 20).size(), 6U);
    EXPECT_EQ(equidistant_runs(steps(0, 1, 6), steps(0, 1, 6), steps(0, 4, 6), 20).size(), 6U);
}

TEST(OffsetRuns, ARunEndsWhereADistanceChanges) {
    Offsets c = steps(0, 20, 5);
    for (const std::int64_t offset : steps(500, 30, 4)) {
        c.push_back(offset);
    }
    const auto runs = equidistant_runs({}, {}, c, 20); // A and B are not read
    ASSERT_EQ(runs.size(), 2U);
    EXPECT_EQ(runs[0].count, 5);
    EXPECT_EQ(runs[1].first, 5U);
    EXPECT_EQ(runs[1].stride_c, 30);
    EXPECT_EQ(products(runs), 9);
}

} // namespace
} // namespace libsgemm::detail
