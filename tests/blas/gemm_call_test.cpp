// SPDX-License-Identifier: Apache-2.0
#include "doors/blas/gemm_call.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace sgemm_test {
namespace {

using libsgemm::blas::GemmCall;

GemmCall call_of(std::int64_t m, std::int64_t n, std::int64_t k) {
    GemmCall call;
    call.m = m;
    call.n = n;
    call.k = k;
    call.beta = 1;
    return call;
}

TEST(GemmCall, ChangesNothingAsTheReferenceSays) {
    EXPECT_TRUE(changes_nothing(call_of(0, 1, 1)));
    EXPECT_TRUE(changes_nothing(call_of(1, 0, 1)));
    EXPECT_TRUE(changes_nothing(call_of(1, 1, 0)));
    GemmCall call = call_of(1, 1, 1);
    EXPECT_FALSE(changes_nothing(call));
    call.alpha = 0;
    EXPECT_TRUE(changes_nothing(call));
    call.beta = 0;
    EXPECT_FALSE(changes_nothing(call));
    call.alpha = std::numeric_limits<float>::quiet_NaN();
    call.beta = 1;
    EXPECT_FALSE(changes_nothing(call));
}

TEST(GemmCall, SquareEquivalentOfASquareIsItsSize) {
    EXPECT_DOUBLE_EQ(square_equivalent(call_of(700, 700, 700)), 700);
    EXPECT_EQ(square_equivalent(call_of(0, 0, 0)), 0);
}

/// However large, what moves much for little arithmetic is small.
TEST(GemmCall, SquareEquivalentOfThinProblemsIsSmall) {
    EXPECT_LT(square_equivalent(call_of(100'000, 100'000, 1)), 3);
    EXPECT_LT(square_equivalent(call_of(100'000, 1, 100'000)), 5);
    EXPECT_GT(square_equivalent(call_of(1000, 1000, 100'000)), 1000);
    EXPECT_GT(square_equivalent(call_of(std::int64_t{1} << 40, 1 << 30, 1 << 30)),
              1e9); // no overflow
}

TEST(GemmCall, LimitsOfLeadingDimensionsFollowTheTransposes) {
    GemmCall call = call_of(3, 4, 5);
    call.lda = 3, call.ldb = 5, call.ldc = 3;
    EXPECT_EQ(first_wrong_argument(call), 0);
    call.transpose_a = true;
    EXPECT_EQ(first_wrong_argument(call), 8);
    call.lda = 5;
    call.transpose_b = true;
    call.ldb = 4;
    EXPECT_EQ(first_wrong_argument(call), 0);
    call.ldb = 3;
    EXPECT_EQ(first_wrong_argument(call), 10);
    GemmCall empty = call_of(0, 0, 0);
    EXPECT_EQ(first_wrong_argument(empty), 0);
    empty.ldc = 0;
    EXPECT_EQ(first_wrong_argument(empty), 13);
}

} // namespace
} // namespace sgemm_test
