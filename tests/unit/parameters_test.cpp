// SPDX-License-Identifier: Apache-2.0
#include "catalog/parameters.hpp"

#include <gtest/gtest.h>
#include <stdexcept>

namespace libsgemm::catalog {
namespace {

TEST(Parameters, PrintInOrderOfTheirNames) {
    Parameters parameters;
    EXPECT_TRUE(parameters.empty());
    EXPECT_EQ(parameters.to_string(), "");
    parameters.set("tile_m", 64);
    parameters.set("tile_k", 16);
    EXPECT_EQ(parameters.to_string(), "tile_k=16 tile_m=64");
}

TEST(Parameters, LookUpAndReplace) {
    Parameters parameters({{"tile_m", 32}});
    parameters.set("tile_m", 64);
    EXPECT_EQ(parameters["tile_m"], 64);
    EXPECT_EQ(parameters.get_or("tile_m", 1), 64);
    EXPECT_EQ(parameters.get_or("tile_n", 1), 1);
    EXPECT_TRUE(parameters.contains("tile_m"));
    EXPECT_FALSE(parameters.contains("tile_n"));
    EXPECT_THROW(parameters["tile_n"], std::out_of_range);
}

TEST(Parameters, CompareByContents) {
    Parameters parameters({{"tile_m", 32}});
    EXPECT_EQ(parameters, Parameters({{"tile_m", 32}}));
    EXPECT_NE(parameters, Parameters({{"tile_m", 64}}));
    EXPECT_NE(parameters, Parameters());
}

} // namespace
} // namespace libsgemm::catalog
