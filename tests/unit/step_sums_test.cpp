// SPDX-License-Identifier: Apache-2.0
#include "problem/step_sums.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <set>

namespace libsgemm::validate {
namespace {

constexpr std::int64_t any_number = std::numeric_limits<std::int64_t>::max();

std::set<std::int64_t> all_sums(const StepList& summands) {
    std::set<std::int64_t> sums{0};
    for (const Steps& steps : summands) {
        std::set<std::int64_t> more;
        for (const std::int64_t sum : sums) {
            for (std::int64_t i = 0; i < steps.count; ++i) {
                more.insert(sum + i * steps.step);
            }
        }
        sums = std::move(more);
    }
    return sums;
}

TEST(StepSums, AgreeWithTheListOfAllSums) {
    std::mt19937_64 engine(1);
    const auto up_to = [&](std::int64_t most) {
        return 1 + static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(most));
    };
    int found = 0;
    int asked = 0;
    for (int i = 0; i < 3000; ++i) {
        StepList summands;
        const std::int64_t common = up_to(3);
        for (std::int64_t j = up_to(4); j > 0; --j) {
            summands.push_back({common * up_to(60), up_to(9)});
        }
        const auto sums = all_sums(summands);
        for (int j = 0; j < 20; ++j) {
            const std::int64_t low = up_to(*sums.rbegin() + 20) - 10;
            const std::int64_t high = low + up_to(4) - 1;
            const auto first = sums.lower_bound(low);
            const bool expected = first != sums.end() && *first <= high;
            ASSERT_EQ(some_sum_is_within(summands, low, high, any_number), expected);
            found += expected ? 1 : 0;
            ++asked;
        }
    }
    EXPECT_GT(found, asked / 10);
    EXPECT_LT(found, asked * 9 / 10);
}

/// Fibonacci numbers take Euclid's algorithm the most steps.
TEST(StepSums, OfTwoAreExactHoweverLarge) {
    constexpr std::int64_t a = 1548008755920; // F(60)
    constexpr std::int64_t b = 2504730781961; // F(61)
    constexpr std::int64_t count = std::int64_t{1} << 20U;
    const StepList both{{a, count}, {b, count}};
    for (const std::int64_t i : {std::int64_t{0}, std::int64_t{1}, count / 3, count - 1}) {
        for (const std::int64_t j : {std::int64_t{0}, count / 5, count - 1}) {
            const std::int64_t sum = a * i + b * j;
            EXPECT_EQ(some_sum_is_within(both, sum, sum, 1), true);
            EXPECT_EQ(some_sum_is_within(both, sum - 1, sum - 1, 1), false)
                << "they have no common divisor: i and j are too small for another way";
            EXPECT_EQ(some_sum_is_within(both, sum - 5, sum, 1), true);
        }
    }
}

TEST(StepSums, SayWhereTheyDoNotKnow) {
    const StepList many{{1000000007, 100000}, {1000000009, 100000}, {1000000021, 100000}};
    EXPECT_EQ(some_sum_is_within(many, 1000000005, 1000000006, any_number), false);
    EXPECT_EQ(some_sum_is_within(many, 50000000000003, 50000000000003, 100), std::nullopt);
}

} // namespace
} // namespace libsgemm::validate
