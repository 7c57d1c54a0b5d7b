// SPDX-License-Identifier: Apache-2.0
#include "problem/batch_overlap.hpp"
#include "problem/overlap.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <ostream>
#include <random>

namespace libsgemm::validate {

std::ostream& operator<<(std::ostream& out, const Scattered& s) {
    out << s.one.lines << " lines of " << s.one.line << ", ld " << s.one.ld << ", at";
    for (const std::int64_t offset : s.offsets) {
        out << ' ' << offset;
    }
    return out;
}

namespace {

using Engine = std::mt19937_64;

std::int64_t up_to(Engine& engine, std::int64_t most) {
    return static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(most + 1));
}

Scattered random_matrices(Engine& engine, std::int64_t common_ld, std::int64_t most,
                          std::int64_t space) {
    Scattered matrices;
    matrices.one.line = 1 + up_to(engine, 4);
    matrices.one.lines = 1 + up_to(engine, 4);
    matrices.one.ld = common_ld > 0 ? common_ld : matrices.one.line + up_to(engine, 8);
    for (std::int64_t i = up_to(engine, most); i >= 0; --i) {
        matrices.offsets.push_back(up_to(engine, space));
    }
    std::sort(matrices.offsets.begin(), matrices.offsets.end());
    return matrices;
}

/// Pair by pair.
bool any_overlap(const Scattered& matrices) {
    for (std::size_t i = 0; i < matrices.offsets.size(); ++i) {
        for (std::size_t j = i + 1; j < matrices.offsets.size(); ++j) {
            if (overlaps(matrices.one, matrices.offsets[i], matrices.one, matrices.offsets[j])) {
                return true;
            }
        }
    }
    return false;
}

bool meets_any(const Stored& one, std::int64_t offset, const Scattered& others) {
    return std::any_of(others.offsets.begin(), others.offsets.end(), [&](std::int64_t other) {
        return overlaps(one, offset, others.one, other);
    });
}

bool any_encounter(const Scattered& c, const Scattered& others) {
    return std::any_of(c.offsets.begin(), c.offsets.end(),
                       [&](std::int64_t offset) { return meets_any(c.one, offset, others); });
}

TEST(BatchOverlap, WithinABatchAgreesWithPairs) {
    Engine engine(1);
    int found = 0;
    constexpr int trials = 30000;
    for (int i = 0; i < trials; ++i) {
        const Scattered c = random_matrices(engine, i % 2 == 0 ? 0 : 11, 5, 150);
        const auto overlap = find_overlap(c);
        ASSERT_EQ(overlap.has_value(), any_overlap(c)) << c;
        found += overlap.has_value() ? 1 : 0;
        if (overlap) {
            ASSERT_TRUE(std::binary_search(c.offsets.begin(), c.offsets.end(), *overlap)) << c;
        }
    }
    EXPECT_GT(found, trials / 10);
    EXPECT_LT(found, trials * 9 / 10);
}

TEST(BatchOverlap, WithOperandsAgreesWithPairs) {
    Engine engine(2);
    int found = 0;
    int tried = 0;
    for (int i = 0; i < 100000; ++i) {
        const std::int64_t ld = i % 3 == 0 ? 0 : 11;
        const Scattered c = random_matrices(engine, ld, 3, 300);
        const Scattered others = random_matrices(engine, ld, 3, 300); // may meet each other
        if (any_overlap(c)) {
            continue;
        }
        ++tried;
        const Encounter encounter = find_encounter(c, others);
        ASSERT_TRUE(encounter.is_decided);
        ASSERT_EQ(encounter.offset.has_value(), any_encounter(c, others)) << c << "; " << others;
        if (encounter.offset) {
            ++found;
            ASSERT_TRUE(meets_any(c.one, *encounter.offset, others)) << c << "; " << others;
        }
    }
    EXPECT_GT(found, tried / 10);
    EXPECT_LT(found, tried * 9 / 10);
}

/// Columns of one matrix of 10^5 columns: every two of 10^5 blocks reach into each other's extents.
TEST(BatchOverlap, ManyInterleavedBlocksAreDecided) {
    constexpr std::int64_t count = 100000;
    Scattered c{{4, 50, 8 * count, 1, 0}, {}};
    Scattered a = c;
    for (std::int64_t i = 0; i < count; ++i) {
        c.offsets.push_back(8 * i);
        a.offsets.push_back(8 * i + 4);
    }
    EXPECT_EQ(find_overlap(c), std::nullopt);
    EXPECT_TRUE(find_encounter(c, a).is_decided);
    EXPECT_EQ(find_encounter(c, a).offset, std::nullopt);
    a.offsets.back() -= 1;
    EXPECT_EQ(find_encounter(c, a).offset, c.offsets.back());
    c.offsets[7] += 5;
    EXPECT_EQ(find_overlap(c), c.offsets[8]);
}

TEST(BatchOverlap, MatricesSideBySideAreDecidedWhateverTheirLines) {
    constexpr std::int64_t lines = std::int64_t{1} << 40U;
    const Scattered c{{1, lines, 2, 1, 0}, {0, 10 * lines}};
    const Scattered a{{1, lines, 3, 1, 0}, {3 * lines, 20 * lines}};
    EXPECT_TRUE(find_encounter(c, a).is_decided);
    EXPECT_EQ(find_encounter(c, a).offset, std::nullopt);
}

TEST(BatchOverlap, FewPairsAreDecidedWhateverTheirLines) {
    constexpr std::int64_t lines = std::int64_t{1} << 40U;
    const Scattered c{{1, lines, 2, 1, 0}, {0}};
    EXPECT_EQ(find_encounter(c, {{1, 10, 3, 1, 0}, {1}}).offset, 0) << "4 is in both";
    const Encounter apart = find_encounter(c, {{1, 10, 6, 1, 0}, {1, 3}});
    EXPECT_TRUE(apart.is_decided);
    EXPECT_EQ(apart.offset, std::nullopt) << "all of one are even, of the other odd";
}

TEST(BatchOverlap, ManyPairsAreDecidedByTheirLines) {
    constexpr std::int64_t count = 1100; // all reach into all: more pairs than are compared
    Scattered c{{1, 2000, 4 * count, 1, 0}, {}};
    Scattered a{{1, 1000, 8 * count, 1, 0}, {}};
    for (std::int64_t i = 0; i < count; ++i) {
        c.offsets.push_back(2 * i);
        a.offsets.push_back(2 * i + 1);
    }
    EXPECT_TRUE(find_encounter(c, a).is_decided);
    EXPECT_EQ(find_encounter(c, a).offset, std::nullopt) << "even, and odd";
    a.offsets.back() += 1;
    EXPECT_EQ(find_encounter(c, a).offset, std::nullopt) << "behind the last of a line";
    a.offsets.back() = c.offsets.back();
    EXPECT_EQ(find_encounter(c, a).offset, c.offsets.back());
}

TEST(BatchOverlap, SaysWhereItDoesNotKnow) {
    Scattered c{{1, most_lines_compared, 2048, 1, 0}, {}};
    Scattered a{{1, 1024, 4096, 1, 0}, {}};
    for (std::int64_t i = 0; i < 1025; ++i) {
        c.offsets.push_back(i);
        a.offsets.push_back(1024 + i);
    }
    EXPECT_FALSE(find_encounter(c, a).is_decided) << "of different leading dimensions";
    a.one.ld = 2048;
    EXPECT_TRUE(find_encounter(c, a).is_decided);
}

} // namespace
} // namespace libsgemm::validate
