// SPDX-License-Identifier: Apache-2.0
#include "context/plan_memo.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <set>

namespace libsgemm::detail {
namespace {

PlanKey key(std::int64_t m) {
    PlanKey result;
    result.problem.m = m;
    return result;
}

TEST(PlanMemo, FindsWhatWasInserted) {
    PlanMemo<int> memo;
    EXPECT_FALSE(memo.find(key(1)));
    memo.insert(key(1), 10);
    memo.insert(key(2), 20);
    EXPECT_EQ(memo.find(key(1)), 10);
    memo.insert(key(1), 11);
    EXPECT_EQ(memo.find(key(1)), 11);
    EXPECT_EQ(memo.find(key(2)), 20);
}

TEST(PlanMemo, EveryFieldOfAProblemCounts) {
    const std::function<void(PlanKey&)> changes[] = {
        [](PlanKey& k) { k.problem.m = 9; },
        [](PlanKey& k) { k.problem.n = 9; },
        [](PlanKey& k) { k.problem.k = 9; },
        [](PlanKey& k) { k.problem.batch = 9; },
        [](PlanKey& k) { k.problem.a.ld = 9; },
        [](PlanKey& k) { k.problem.b.batch_stride = 9; },
        [](PlanKey& k) { k.problem.c.offset_alignment = 8; },
        [](PlanKey& k) { k.problem.a.major = validate::Major::k; },
        [](PlanKey& k) { k.problem.operands_swapped = true; },
        [](PlanKey& k) { k.multiplies = false; },
    };
    PlanMemo<int> memo;
    memo.insert(PlanKey(), 1);
    std::set<std::size_t> hashes = {PlanKeyHash()(PlanKey())};
    for (const auto& change : changes) {
        PlanKey changed;
        change(changed);
        EXPECT_FALSE(memo.find(changed));
        EXPECT_TRUE(hashes.insert(PlanKeyHash()(changed)).second) << "hashes collide";
    }
}

/// A plan that was made by what timing has meanwhile found better must not stay.
TEST(PlanMemo, TakesNoPlanOfBeforeAllWasForgotten) {
    PlanMemo<int> memo;
    const std::uint64_t before = memo.generation();
    memo.insert(key(1), 10, before);
    memo.forget_all();
    EXPECT_FALSE(memo.find(key(1)));
    memo.insert(key(1), 10, before);
    EXPECT_FALSE(memo.find(key(1)));
    memo.insert(key(1), 11, memo.generation());
    EXPECT_EQ(memo.find(key(1)), 11);
}

TEST(PlanMemo, IsBounded) {
    PlanMemo<int> memo;
    constexpr int many = 20000;
    for (int i = 0; i < many; ++i) {
        memo.insert(key(i), i);
    }
    int kept = 0;
    for (int i = 0; i < many; ++i) {
        kept += memo.find(key(i)) ? 1 : 0;
    }
    EXPECT_LT(kept, 10000);
    EXPECT_EQ(memo.find(key(many - 1)), many - 1);
}

} // namespace
} // namespace libsgemm::detail
