// SPDX-License-Identifier: Apache-2.0
#include "format.hpp"

#include <gtest/gtest.h>

namespace libsgemm::bench {
namespace {

TEST(Format, KeepsThreeDigitsAndPicksUnits) {
    EXPECT_EQ(format_number(0.021449), "0.0214");
    EXPECT_EQ(format_number(51234.0), "51234");
    EXPECT_EQ(format_seconds(17.4e-6), "17.4 us");
    EXPECT_EQ(format_seconds(0.00231), "2.31 ms");
    EXPECT_EQ(format_seconds(45.0), "45 s");
    EXPECT_EQ(format_seconds(720.0), "12 min");
}

} // namespace
} // namespace libsgemm::bench
