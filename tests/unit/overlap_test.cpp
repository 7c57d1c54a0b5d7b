// SPDX-License-Identifier: Apache-2.0
#include "problem/overlap.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <ostream>
#include <random>
#include <set>

namespace libsgemm::validate {

std::ostream& operator<<(std::ostream& out, const Stored& s) {
    return out << s.lines << " lines of " << s.line << ", ld " << s.ld << ", batch " << s.batch
               << " stride " << s.batch_stride;
}

namespace {

std::multiset<std::int64_t> elements(const Stored& stored, std::int64_t offset) {
    std::multiset<std::int64_t> result;
    for (std::int64_t matrix = 0; matrix < stored.batch; ++matrix) {
        for (std::int64_t line = 0; line < stored.lines; ++line) {
            for (std::int64_t i = 0; i < stored.line; ++i) {
                result.insert(offset + matrix * stored.batch_stride + line * stored.ld + i);
            }
        }
    }
    return result;
}

bool share_an_element(const Stored& x, std::int64_t x_offset, const Stored& y,
                      std::int64_t y_offset) {
    const auto of_x = elements(x, x_offset);
    const auto of_y = elements(y, y_offset);
    return std::any_of(of_x.begin(), of_x.end(),
                       [&](std::int64_t element) { return of_y.count(element) > 0; });
}

bool repeats_an_element(const Stored& stored) {
    const auto all = elements(stored, 0);
    return std::adjacent_find(all.begin(), all.end()) != all.end();
}

Stored random_stored(std::mt19937_64& engine, std::int64_t common_ld) {
    const auto up_to = [&](std::int64_t most) {
        return static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(most + 1));
    };
    Stored stored;
    stored.line = up_to(5);
    stored.lines = up_to(5);
    stored.ld = common_ld > 0 ? std::max(common_ld, stored.line)
                              : std::max<std::int64_t>(1, stored.line) + up_to(4);
    stored.batch = up_to(3);
    stored.batch_stride = stored.batch > 1 ? up_to(30) : 0;
    return stored;
}

TEST(Overlap, AgreesWithElementByElementComparison) {
    std::mt19937_64 engine(1);
    int overlapping = 0;
    constexpr int trials = 30000;
    for (int i = 0; i < trials; ++i) {
        const std::int64_t common_ld = i % 2 == 0 ? 0 : 9;
        const Stored x = random_stored(engine, common_ld);
        const Stored y = random_stored(engine, common_ld);
        const auto x_offset = static_cast<std::int64_t>(engine() % 60);
        const auto y_offset = static_cast<std::int64_t>(engine() % 60);
        const bool expected = share_an_element(x, x_offset, y, y_offset);
        overlapping += expected ? 1 : 0;
        ASSERT_EQ(overlaps(x, x_offset, y, y_offset), expected)
            << x << " at " << x_offset << " and " << y << " at " << y_offset;
        ASSERT_EQ(overlaps(y, y_offset, x, x_offset), expected);
    }
    EXPECT_GT(overlapping, trials / 10);
    EXPECT_LT(overlapping, trials * 9 / 10);
}

TEST(Overlap, OfABatchWithItselfAgreesWithElementByElementComparison) {
    std::mt19937_64 engine(2);
    for (int i = 0; i < 30000; ++i) {
        const Stored x = random_stored(engine, i % 2 == 0 ? 0 : 9);
        ASSERT_EQ(overlaps_itself(x), repeats_an_element(x)) << x;
    }
}

TEST(Overlap, BlocksSideBySideInOneLargeMatrixDoNotOverlap) {
    const std::int64_t ld = 100000;
    const Stored left{50000, 100000, ld, 1, 0};
    EXPECT_FALSE(overlaps(left, 0, left, 50000));
    EXPECT_TRUE(overlaps(left, 0, left, 49999));
}

TEST(Overlap, LongBatchesAgreeWithElementByElementComparison) {
    std::mt19937_64 engine(3);
    int overlapping = 0;
    constexpr int trials = 5000;
    for (int i = 0; i < trials; ++i) {
        Stored x = random_stored(engine, i % 2 == 0 ? 0 : 12);
        Stored y = random_stored(engine, i % 3 == 0 ? 0 : 12);
        x.batch = 1 + static_cast<std::int64_t>(engine() % 40);
        y.batch = 1 + static_cast<std::int64_t>(engine() % 40);
        x.batch_stride = static_cast<std::int64_t>(engine() % 25);
        y.batch_stride = i % 4 == 0 ? x.batch_stride : static_cast<std::int64_t>(engine() % 25);
        const auto x_offset = static_cast<std::int64_t>(engine() % 300);
        const auto y_offset = static_cast<std::int64_t>(engine() % 300);
        const bool expected = share_an_element(x, x_offset, y, y_offset);
        overlapping += expected ? 1 : 0;
        ASSERT_EQ(overlaps(x, x_offset, y, y_offset), expected)
            << x << " at " << x_offset << " and " << y << " at " << y_offset;
        ASSERT_EQ(overlaps(y, y_offset, x, x_offset), expected);
    }
    EXPECT_GT(overlapping, trials / 10);
    EXPECT_LT(overlapping, trials * 9 / 10);
}

/// Rows of huge matrices, given to the batches of A and of C alternately: each matrix of one
/// reaches across all matrices of the other. One by one that would be 10^12 pairs.
TEST(Overlap, HugeInterleavedBatchesAreDecidedAtOnce) {
    constexpr std::int64_t batch = 1000000;
    constexpr std::int64_t ld = 8 * batch;
    const Stored a{4, 100, ld, batch, 8}; // rows 0 to 3 of every 8
    const Stored c{4, 200, ld, batch, 8}; // rows 4 to 7
    EXPECT_FALSE(overlaps(a, 0, c, 4));
    EXPECT_FALSE(overlaps(c, 4, a, 0));
    EXPECT_FALSE(overlaps_itself(a));
    const Stored wide{5, 200, ld, batch, 8};
    EXPECT_TRUE(overlaps(a, 0, wide, 4));
    const Stored other_stride{4, 200, ld, batch / 2, 16};
    EXPECT_FALSE(overlaps(a, 0, other_stride, 4));
}

TEST(Overlap, MatricesSideBySideInLongBatchesDoNotOverlap) {
    constexpr std::int64_t batch = 100000000;
    const Stored a{10, 10, 10, batch, 210};
    const Stored c{10, 10, 11, batch, 210}; // after each matrix of the other
    EXPECT_FALSE(overlaps(a, 0, c, 100));
    EXPECT_TRUE(overlaps(a, 0, c, 99));
}

/// Strides without a common period: one by one that would be 10^12 pairs.
TEST(Overlap, HugeBatchesOfOddStridesAreDecided) {
    constexpr std::int64_t batch = 1000000;
    const Stored a{1, 1000, 1000003, batch, 2};
    const Stored c{1, 1000, 1000033, batch, 6};
    EXPECT_TRUE(overlaps(a, 0, c, 1))
        << "2 * 501 + 999 * 1000003 = 1 + 6 * 167... as a search found";
    const Stored even{1, 1000, 1000004, batch, 2};
    const Stored odd{1, 1000, 1000036, batch, 6};
    EXPECT_FALSE(overlaps(even, 0, odd, 1));
    EXPECT_TRUE(overlaps(even, 0, odd, 2));
}

/// Row vectors of 2^21 products, interleaved: matrix number i holds elements i and 2^21 + i.
TEST(Overlap, MillionsOfInterleavedMatricesAreDecided) {
    constexpr std::int64_t count = std::int64_t{1} << 21U;
    EXPECT_FALSE(overlaps_itself({1, 2, count, count, 1}));
    EXPECT_TRUE(overlaps_itself({1, 2, count, count + 1, 1})) << "the last one begins in the first";
    EXPECT_TRUE(overlaps_itself({1, 2, count - 1, count, 1}));
    EXPECT_TRUE(overlaps_itself({2, 2, count, count, 1}));
    const Stored c{1, 2, 3 * count, count, 3};
    const Stored a{1, 1000, 3 * count, count, 3};
    EXPECT_FALSE(overlaps(c, 0, a, 1));
    EXPECT_FALSE(overlaps(c, 2, a, 1));
    EXPECT_TRUE(overlaps(c, 0, a, 3));
}

/// Single elements at multiples of a factor lie as they would without it.
TEST(Overlap, OfFarApartElementsIsThatOfCloseOnes) {
    std::mt19937_64 engine(4);
    constexpr std::int64_t factor = (std::int64_t{1} << 40U) + 7;
    const auto scaled = [](Stored stored) {
        stored.ld *= factor;
        stored.batch_stride *= factor;
        return stored;
    };
    int overlapping = 0;
    constexpr int trials = 5000;
    for (int i = 0; i < trials; ++i) {
        Stored x = random_stored(engine, 0);
        Stored y = random_stored(engine, 0);
        x.line = y.line = 1;
        const auto offset = static_cast<std::int64_t>(engine() % 40);
        const bool expected = share_an_element(x, 0, y, offset);
        overlapping += expected ? 1 : 0;
        ASSERT_EQ(overlaps(scaled(x), 0, scaled(y), offset * factor), expected) << x << ' ' << y;
        ASSERT_EQ(overlaps_itself(scaled(x)), repeats_an_element(x)) << x;
    }
    EXPECT_GT(overlapping, trials / 20);
}

TEST(Overlap, InterleavedBatchesDoNotOverlap) {
    const Stored batch{3, 4, 12, 4, 3}; // four matrices, each three rows of one twelve-row matrix
    EXPECT_FALSE(overlaps_itself(batch));
}

} // namespace
} // namespace libsgemm::validate
