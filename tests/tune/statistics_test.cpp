// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/statistics.hpp"

#include <gtest/gtest.h>

namespace sgemm_test {
namespace {

using libsgemm::tune::median_in_turn;

TEST(MedianInTurn, WhatSlowedBothForAWhileCountsForNeither) {
    const std::vector<double> to_the_end{40, 44, 40, 20, 22, 20, 20, 21, 20};
    EXPECT_DOUBLE_EQ(median_in_turn(to_the_end, to_the_end), 21);
    EXPECT_NEAR(median_in_turn({50, 55, 50}, to_the_end), 1.25 * 21, 1e-9)
        << "left while all were slow";
    EXPECT_NEAR(median_in_turn({50, 55, 200}, to_the_end), 1.25 * 21, 1e-9) << "once by itself";
    EXPECT_EQ(median_in_turn({}, to_the_end), 0);
}

} // namespace
} // namespace sgemm_test
