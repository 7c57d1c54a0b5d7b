// SPDX-License-Identifier: Apache-2.0
#include "tune/search/prospects.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace sgemm_test {
namespace {

using namespace libsgemm::tune;

constexpr double infinity = std::numeric_limits<double>::infinity();

class Prospects : public ::testing::Test {
protected:
    Prospects() { task_.shapes = {"two", {first_, second_}}; }
    static std::string name(const libsgemm::judge::Shape& shape) {
        return libsgemm::judge::shape_name(shape);
    }
    Ratios ratios(double at_first, double at_second) const {
        return {{name(first_), at_first}, {name(second_), at_second}};
    }

    libsgemm::judge::Shape first_ = libsgemm::judge::make_shape("NN", 64, 64, 64);
    libsgemm::judge::Shape second_ = libsgemm::judge::make_shape("NT", 8, 512, 64);
    Task task_;
};

TEST_F(Prospects, AKernelThatIsFarBehindEverywhereHasNoneAfterAFairTrial) {
    EXPECT_FALSE(is_pruned(task_, 5, 6, ratios(3, 2.5), ratios(1, 1)));
    EXPECT_TRUE(is_pruned(task_, 6, 6, ratios(3, 2.5), ratios(1, 1)));
}

TEST_F(Prospects, OneShapeWhereItIsNearIsEnoughToGoOn) {
    EXPECT_FALSE(is_pruned(task_, 100, 6, ratios(3, 1.9), ratios(1, 1)));
    EXPECT_FALSE(is_pruned(task_, 100, 6, ratios(0.9, 0.9), ratios(0.5, 0.3)))
        << "not the reference counts but the best of all";
}

TEST_F(Prospects, WhatWasNotTriedAtAShapeIsNotKnown) {
    EXPECT_FALSE(is_pruned(task_, 100, 6, {{name(first_), 9}}, ratios(1, 1)));
    EXPECT_FALSE(is_pruned(task_, 100, 6, ratios(9, 9), {{name(first_), 1}}));
}

TEST_F(Prospects, WhereNothingRunsTwiceAsManyAreTried) {
    EXPECT_FALSE(is_pruned(task_, 11, 6, ratios(infinity, infinity), ratios(1, 1)));
    EXPECT_TRUE(is_pruned(task_, 12, 6, ratios(infinity, infinity), ratios(1, 1)));
    EXPECT_TRUE(is_pruned(task_, 12, 6, {}, ratios(1, 1)));
    EXPECT_FALSE(is_pruned(task_, 12, 6, ratios(3, infinity), ratios(2, 1)))
        << "the first one runs";
}

TEST_F(Prospects, FarBehindIsWhatLosesByMuchWhereverItRan) {
    EXPECT_TRUE(is_far_behind(ratios(9, 30), ratios(1, 2)));
    EXPECT_TRUE(is_far_behind(ratios(9, infinity), ratios(1, 2)));
    EXPECT_FALSE(is_far_behind(ratios(9, 7), ratios(1, 1)));
    EXPECT_FALSE(is_far_behind(ratios(infinity, infinity), ratios(1, 1))) << "it never ran";
    EXPECT_FALSE(is_far_behind({}, ratios(1, 1)));
    EXPECT_FALSE(is_far_behind(ratios(9, 9), {{name(first_), 1}})) << "nothing to compare with";
}

TEST_F(Prospects, EachDefeatShortensTheTrial) {
    EXPECT_EQ(fair_trial(0), 6U);
    EXPECT_EQ(fair_trial(1), 3U);
    EXPECT_EQ(fair_trial(5), 1U);
    EXPECT_EQ(fair_trial(1000), 1U);
}

} // namespace
} // namespace sgemm_test
