// SPDX-License-Identifier: Apache-2.0
#include "plan/step_list.hpp"
#include "support/checked.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace libsgemm {
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

TEST(StepList, WorkspaceRegionsAreAlignedAndDisjoint) {
    planning::StepList steps;
    const planning::Place first = steps.reserve({10, 10}, 1, 1);
    const planning::Place second = steps.reserve({7, 9}, 4, 2);
    const planning::Place third = steps.reserve({1, 1}, 1, 1);
    EXPECT_EQ(first.offset.value, 0);
    EXPECT_EQ(first.ld, 10);
    EXPECT_EQ(second.offset.value, 128);
    EXPECT_EQ(second.ld, 8);
    EXPECT_EQ(second.batch_stride, 72);
    EXPECT_EQ(third.offset.value, 128 + 192);
    EXPECT_EQ(steps.bytes(), (128 + 192 + 64) * 4);
}

TEST(StepList, WorkspaceOverflowIsReported) {
    planning::StepList steps;
    steps.reserve({most / 2, 1}, 1, 1);
    EXPECT_TRUE(steps.bytes() == std::nullopt || *steps.bytes() > 0);
    steps.reserve({most / 2 + 2, 1}, 1, 1);
    EXPECT_FALSE(steps.bytes());
    steps.reserve({1, 1}, 1, 1);
    EXPECT_FALSE(steps.bytes());
}

TEST(StepList, StepsKnowWhatTheyFollow) {
    planning::StepList steps;
    const int first = steps.add({}, {-1});
    const int second = steps.add({}, {first, -1});
    EXPECT_EQ(steps.add({}, {first, second}), 2);
    const auto list = steps.take();
    EXPECT_TRUE(list[0].after.empty());
    EXPECT_EQ(list[1].after, (std::vector<int>{0}));
    EXPECT_EQ(list[2].after, (std::vector<int>{0, 1}));
}

} // namespace
} // namespace libsgemm
