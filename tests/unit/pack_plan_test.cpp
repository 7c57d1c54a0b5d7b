// SPDX-License-Identifier: Apache-2.0
// What an operand that is packed once is packed to, and plans of products with it.
#include "context/plan_memo.hpp"
#include "plan/pack_plan.hpp"
#include "unit/h200_plan_fixture.hpp"

namespace libsgemm::planning {
namespace {

class PackPlans : public H200PlanTest {
protected:
    static validate::CanonicalProblem problem(std::int64_t size, Precision precision) {
        auto result = H200PlanTest::problem(size, size, size, precision);
        result.a.offset_alignment = result.b.offset_alignment = result.c.offset_alignment = 16;
        return result;
    }
    PlanningContext context() const { return {device_, table_, catalog::kernel_catalog()}; }
    std::vector<PackPlan> packings(const validate::CanonicalProblem& given,
                                   CanonicalOperand which) const {
        return rank_pack_plans(given, which, {}, context());
    }
    PlanValue best(const validate::CanonicalProblem& given) const {
        return rank(given).plans.front();
    }
};

TEST_F(PackPlans, StrictIsACopy) {
    const auto plans = packings(problem(2048, Precision::strict), CanonicalOperand::a);
    ASSERT_EQ(plans.size(), 1U);
    EXPECT_FALSE(plans[0].operand.packed.has_parts());
    EXPECT_EQ(plans[0].value.steps.size(), 1U);
    EXPECT_GE(plans[0].elements, 2048 * 2048);
    EXPECT_LE(plans[0].elements, 2048 * 2048 + 64 * 2048);
}

TEST_F(PackPlans, EachOperandPackedLeavesLessToDo) {
    for (const Precision precision :
         {Precision::emulated, Precision::fp16x2, Precision::tf32x3, Precision::bf16x3}) {
        auto given = problem(4096, precision);
        const PlanValue plain = best(given);
        const auto a = packings(given, CanonicalOperand::a);
        const auto b = packings(given, CanonicalOperand::b);
        ASSERT_EQ(a.front().operand.packed.scheme, plain.precision);
        ASSERT_EQ(b.front().operand.packed.scheme, plain.precision);
        EXPECT_EQ(a.front().value.steps.size(), 3U); // copy, scan or begin, pack
        EXPECT_EQ(a.front().value.steps.back().after.size(), 2U);

        given.a = a.front().operand;
        const PlanValue one = best(given);
        EXPECT_EQ(one.precision, plain.precision);
        // 4096 steps of k: one launch packs the other operand where it also scans; fp16 then has
        // two shares of it.
        EXPECT_EQ(one.steps.size(), one.precision == Precision::tf32x3 ? 3U : 4U);
        EXPECT_LT(one.predicted_seconds, plain.predicted_seconds);
        EXPECT_EQ(one.predicted_seconds, a.front().product_seconds);
        EXPECT_LT(static_cast<double>(one.workspace_bytes),
                  0.6 * static_cast<double>(plain.workspace_bytes));

        given.b = b.front().operand;
        const PlanValue both = best(given);
        EXPECT_EQ(both.precision, plain.precision);
        EXPECT_EQ(both.steps.size(), 2U);
        EXPECT_EQ(both.workspace_bytes, 0U);
        EXPECT_LT(both.predicted_seconds, one.predicted_seconds);
        EXPECT_EQ(both.bound_terms, 4096 + 4);
    }
}

/// Packed for chains of two blocks, of which the last is half empty; multiplied by chains of one as
/// well.
TEST_F(PackPlans, ChainsOfFewerBlocksTakeWhatIsPackedForLongerOnes) {
    const auto sized = [](std::int64_t n) {
        auto result = H200PlanTest::problem(8192, n, 129 * 16, Precision::tf32x3);
        result.a.offset_alignment = result.b.offset_alignment = result.c.offset_alignment = 16;
        return result;
    };
    const auto packed = packings(sized(8192), CanonicalOperand::a).front().operand;
    ASSERT_EQ(packed.packed.blocks, 130);
    // Whatever it is packed for.
    ASSERT_EQ(packings(sized(128), CanonicalOperand::a).front().operand.packed.blocks, 130);
    for (const std::int64_t n : {128, 8192}) {
        auto given = sized(n);
        const PlanValue plain = best(given);
        given.a = packed;
        const PlanValue plan = best(given);
        EXPECT_EQ(plan.precision, Precision::tf32x3);
        EXPECT_EQ(plan.parameters["promote"], n == 128 ? 1 : 2);
        EXPECT_EQ(plan.parameters["tile_n"], plain.parameters["tile_n"]);
        EXPECT_LT(plan.predicted_seconds, plain.predicted_seconds);
        given.b = packings(sized(n), CanonicalOperand::b).front().operand;
        EXPECT_EQ(best(given).precision, Precision::tf32x3);
    }
}

TEST_F(PackPlans, PartsOfDifferentSchemesAreLeftAlone) {
    auto given = problem(4096, Precision::emulated);
    given.a = packings(problem(4096, Precision::fp16x2), CanonicalOperand::a).front().operand;
    given.b = packings(problem(4096, Precision::tf32x3), CanonicalOperand::b).front().operand;
    ASSERT_NE(given.a.packed.scheme, given.b.packed.scheme);
    EXPECT_FALSE(catalog::is_of<catalog::Emulated>(*best(given).kernel)) << "reads their values";
}

TEST_F(PackPlans, PlansAreRememberedByForm) {
    const auto given = problem(4096, Precision::emulated);
    auto packed = given;
    packed.a = packings(given, CanonicalOperand::a).front().operand;
    detail::PlanMemo<int> memo;
    memo.insert({packed, true}, 1);
    EXPECT_TRUE(memo.find({packed, true}));
    auto copy = packed;
    copy.a.packed = {};
    EXPECT_FALSE(memo.find({copy, true}));
}

TEST_F(PackPlans, WhatIsTooLargeForABufferIsACopyOrNothing) {
    const auto given = problem(4096, Precision::fp16x2);
    device_.max_allocation_bytes = std::int64_t{4096} * 4096 * 4 + (std::int64_t{1} << 22U);
    const auto copies = packings(given, CanonicalOperand::b);
    ASSERT_EQ(copies.size(), 1U);
    EXPECT_FALSE(copies.front().operand.packed.has_parts());
    device_.max_allocation_bytes = 1 << 20U;
    EXPECT_TRUE(packings(given, CanonicalOperand::b).empty());
}

TEST_F(PackPlans, RowsFitTheTilesOfEitherSide) {
    auto given = problem(4096, Precision::fp16x2);
    given.m = 1000;
    const auto plans = packings(given, CanonicalOperand::a);
    ASSERT_TRUE(plans.front().operand.packed.has_parts());
    EXPECT_EQ(plans.front().operand.packed.padded, 1024);
    EXPECT_EQ(plans.front().operand.packed.blocks, 4096 / 32);
}

} // namespace
} // namespace libsgemm::planning
