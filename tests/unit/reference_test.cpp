// SPDX-License-Identifier: Apache-2.0
// The judges themselves: the reference against sums worked out by hand, and the bound.
#include "support/case.hpp"
#include "support/kernel_variants.hpp"
#include "support/reference.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace sgemm_test {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

Storage column_major(std::int64_t rows, std::int64_t columns) {
    return {rows, columns, 1, rows, 1, 0};
}

/// A = (1 2; 3 4), B = (5 6; 7 8), C = (1 0; 0 2).
struct Small {
    HostMatrix a{column_major(2, 2), 0, {1, 3, 2, 4}};
    HostMatrix b{column_major(2, 2), 0, {5, 7, 6, 8}};
    HostMatrix c{column_major(2, 2), 0, {1, 0, 0, 2}};
};

TEST(Reference, MultipliesByHand) {
    const Small s;
    const Reference r = reference_gemm(2.0F, s.a, s.b, -1.0F, s.c);
    EXPECT_EQ(r.at(0, 0, 0).value, 2 * 19 - 1);
    EXPECT_EQ(r.at(0, 0, 1).value, 2 * 22);
    EXPECT_EQ(r.at(0, 1, 0).value, 2 * 43);
    EXPECT_EQ(r.at(0, 1, 1).value, 2 * 50 - 2);
    EXPECT_EQ(r.at(0, 0, 0).magnitude, 2 * 19 + 1);
}

TEST(Reference, ZeroScalarsLeaveOperandsUnread) {
    const Small s;
    const HostMatrix poison(column_major(2, 2), 0, {nan, nan, infinity, nan});
    EXPECT_EQ(reference_gemm(0.0F, poison, poison, 3.0F, s.c).at(0, 1, 1).value, 6);
    EXPECT_EQ(reference_gemm(1.0F, s.a, s.b, 0.0F, poison).at(0, 0, 0).value, 19);
}

TEST(Reference, EveryFormReadsTheSameElements) {
    for (const Form& form : all_forms()) {
        Case c = plain_case(3, 4, 5);
        set_form(c, form);
        spread(c.problem, {1, 2, 3});
        const Storage a = storage_of(c.problem).a;
        const bool transposed = form.a == libsgemm::Transpose::yes;
        const bool row_major = form.layout == libsgemm::Layout::row_major;
        // op(A)(1, 2) is A(1, 2) or A(2, 1), and lies where the layout says.
        const std::int64_t row = transposed ? 2 : 1;
        const std::int64_t column = transposed ? 1 : 2;
        EXPECT_EQ(a.index(0, 1, 2),
                  row_major ? row * c.problem.lda + column : row + column * c.problem.lda);
        EXPECT_EQ(c.problem.lda, (transposed != row_major ? 5 : 3) + 1);
    }
}

TEST(Reference, TightStridesFollowEachOther) {
    Case c = plain_case(3, 4, 5);
    c.problem.batch_count = 2;
    EXPECT_EQ(storage_of(c.problem).a.span(), 2 * 15);
    EXPECT_EQ(storage_of(c.problem).b.index(1, 0, 0), 20);
    EXPECT_EQ(storage_of(c.problem).c.index(1, 2, 3), 12 + 11);
}

TEST(Bound, AcceptsRoundingAndNothingMore) {
    const Expected one{1.0, 1.0};
    const float unit = std::numeric_limits<float>::epsilon(); // 2^-23: two units of the bound
    EXPECT_TRUE(acceptable(1.0F, one, 1));
    EXPECT_TRUE(acceptable(1.0F + 2 * unit, one, 1));
    EXPECT_FALSE(acceptable(1.0F + 3 * unit, one, 1));
    EXPECT_TRUE(acceptable(1.0F + 3 * unit, one, 2));
    EXPECT_FALSE(acceptable(nan, one, 1));
}

TEST(Bound, NeedsTheSameSpecials) {
    EXPECT_TRUE(acceptable(nan, {std::numeric_limits<double>::quiet_NaN(), 0}, 1));
    EXPECT_FALSE(acceptable(1.0F, {std::numeric_limits<double>::quiet_NaN(), 0}, 1));
    const double endless = std::numeric_limits<double>::infinity();
    EXPECT_TRUE(acceptable(infinity, {endless, endless}, 1));
    EXPECT_FALSE(acceptable(-infinity, {endless, endless}, 1));
    EXPECT_FALSE(acceptable(infinity, {1.0, 1.0}, 1));
}

TEST(HostMatrices, GuardEverythingBesideElements) {
    const HostMatrix host({2, 2, 1, 3, 2, 7}, 4, Values::uniform, 1);
    ASSERT_EQ(host.image().size(), 4U + 7U + 5U);
    const std::vector<bool> mask = host.element_mask();
    EXPECT_EQ(std::count(mask.begin(), mask.end(), true), 8);
    for (std::size_t i = 0; i < mask.size(); ++i) {
        EXPECT_EQ(same_bits(host.image()[i], guard_value), !mask[i]) << i;
    }
}

TEST(HostMatrices, DependOnTheSeedAlone) {
    EXPECT_EQ(make_values(Values::uniform, 100, 3), make_values(Values::uniform, 100, 3));
    EXPECT_NE(make_values(Values::uniform, 100, 3), make_values(Values::uniform, 100, 4));
    for (const float value : make_values(Values::small_integers, 1000, 5)) {
        EXPECT_TRUE(value == static_cast<float>(static_cast<int>(value)) && value <= 8 &&
                    value >= -8);
    }
}

} // namespace
} // namespace sgemm_test
