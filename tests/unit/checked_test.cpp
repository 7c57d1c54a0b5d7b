// SPDX-License-Identifier: Apache-2.0
#include "plan/workspace_layout.hpp"
#include "support/checked.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace sgemm {
namespace {

using support::checked_add;
using support::checked_multiply;
using support::checked_round_up;

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

TEST(Checked, CountsThatFit) {
    EXPECT_EQ(checked_add(2, 3), 5);
    EXPECT_EQ(checked_add(most - 1, 1), most);
    EXPECT_EQ(checked_multiply(6, 7), 42);
    EXPECT_EQ(checked_multiply(most, 1), most);
    EXPECT_EQ(checked_multiply(most, 0), 0);
    EXPECT_EQ(checked_multiply(0, most), 0);
    EXPECT_EQ(checked_round_up(17, 16), 32);
    EXPECT_EQ(checked_round_up(32, 16), 32);
    EXPECT_EQ(checked_round_up(0, 16), 0);
}

TEST(Checked, OverflowIsEmptyAndStaysEmpty) {
    EXPECT_FALSE(checked_add(most, 1));
    EXPECT_FALSE(checked_multiply(most / 2 + 1, 2));
    EXPECT_FALSE(checked_round_up(most, 2));
    EXPECT_FALSE(checked_add(checked_multiply(most, 2), 1));
    EXPECT_FALSE(checked_multiply(1, checked_add(most, 1)));
}

TEST(WorkspaceLayout, RegionsAreAlignedAndDisjoint) {
    planning::WorkspaceLayout layout;
    EXPECT_EQ(layout.reserve(100), 0);
    EXPECT_EQ(layout.reserve(64), 128);
    EXPECT_EQ(layout.reserve(1), 192);
    EXPECT_EQ(layout.bytes(), 256 * 4);
}

TEST(WorkspaceLayout, OverflowIsReported) {
    planning::WorkspaceLayout layout;
    EXPECT_TRUE(layout.reserve(most / 2));
    EXPECT_FALSE(layout.reserve(most / 2 + 2));
    EXPECT_FALSE(layout.bytes());
}

} // namespace
} // namespace sgemm
