// SPDX-License-Identifier: Apache-2.0
// Plans of FP32 emulation whose launches pack for each other.
#include "plan/pack_plan.hpp"
#include "support/define_of.hpp"
#include "unit/h200_plan_fixture.hpp"

#include <limits>

namespace libsgemm::planning {
namespace {

using sgemm_test::define_of;
using validate::CanonicalProblem;

class EmulatedSharesPlan : public H200PlanTest {
protected:
    /// A and B lie along k; A is the larger.
    static CanonicalProblem large() {
        CanonicalProblem result = problem(12288, 2048, 4096, Precision::fp16x2);
        result.a = {validate::Major::k, 4096, 0, 64};
        return result;
    }
    PlanValue plan_for(const CanonicalProblem& given, int shares) const {
        ExpertPlanOptions options;
        options.kernel = "emulated_fp16";
        options.split_k = 1;
        options.parameters = {{"units", 1},         {"tile_m", 128},        {"tile_n", 256},
                              {"pack_launches", 1}, {"strict_launches", 1}, {"shares", shares}};
        return rank(given, options).plans.front();
    }
    std::size_t steps_for_two(const CanonicalProblem& given) const {
        return plan_for(given, 2).steps.size();
    }
};

TEST_F(EmulatedSharesPlan, EachLaunchPacksWhatTheNextOneMultiplies) {
    const PlanValue plan = plan_for(large(), 3);
    ASSERT_EQ(plan.steps.size(), 5U) << plan.to_string();
    EXPECT_EQ(plan.steps[0].build.name, "emulated_scan_pack");
    std::int64_t rows = 0;
    for (const std::size_t i : {1U, 2U, 3U}) {
        const Step& step = plan.steps[i];
        EXPECT_EQ(step.kind, PassKind::main_kernel);
        EXPECT_EQ(define_of(step, "PACKS_NEXT"), "1");
        EXPECT_EQ(step.after, std::vector<int>{static_cast<int>(i) - 1});
        rows += step.arguments[0].value;
        EXPECT_EQ(step.arguments[1].value, 2048);
    }
    EXPECT_EQ(rows, 12288);
    // A wave of 132 units, 8 tiles side by side.
    EXPECT_EQ(plan.steps[1].arguments[0].value, 16 * 128);
    EXPECT_EQ(plan.steps[4].kind, PassKind::post_pass); // one for all
    // Each is packed once, whoever does it.
    const PlanValue whole = plan_for(large(), 1);
    EXPECT_EQ(whole.steps.size(), 3U);
    EXPECT_EQ(define_of(whole.steps[1], "PACKS_NEXT"), "none");
    EXPECT_LE(plan.workspace_bytes, whole.workspace_bytes + (1U << 16U));
}

/// Few columns are multiplied faster than many rows are packed.
TEST_F(EmulatedSharesPlan, WhatIsPackedBesideTakesItsTime) {
    const PlanValue plan = plan_for(large(), 3);
    EXPECT_EQ(std::get<MainWork>(plan.steps[1].work).packed_beside, 4096.0 * 4096);
    EXPECT_EQ(std::get<MainWork>(plan.steps[3].work).packed_beside, 0);
    CanonicalProblem narrow = large();
    narrow.m = 65536;
    narrow.n = 256;
    const Ranking ranking = rank(narrow);
    for (const PlanValue& other : ranking.plans) {
        EXPECT_LE(ranking.plans.front().predicted_seconds, other.predicted_seconds);
    }
    EXPECT_EQ(ranking.plans.front().to_string().find("shares=2"), std::string::npos);
}

/// Its work-groups begin a share where the launches do, and each share's words are its own.
TEST_F(EmulatedSharesPlan, OneStrictLaunchStandsBehindAllShares) {
    const PlanValue plan = plan_for(large(), 3);
    const auto& last = plan.steps.back().arguments;
    ASSERT_GE(last.size(), 11U);
    const auto from_end = [&](std::size_t i) { return last[last.size() - i].value; };
    EXPECT_EQ(from_end(1), std::numeric_limits<std::int32_t>::max()); // third_n
    EXPECT_EQ(from_end(2), std::numeric_limits<std::int32_t>::max()); // second_n
    EXPECT_EQ(from_end(3), 3 * from_end(4)); // third_m, 2048 + 4096 rows, second_m, 2048
    EXPECT_NE(from_end(5), from_end(6));     // words of A's shares
    EXPECT_NE(from_end(6), from_end(7));
    EXPECT_EQ(from_end(10), from_end(11)); // of B there is one
}

TEST_F(EmulatedSharesPlan, RowsThatAskForSharesAreTakenForNothingElse) {
    CanonicalProblem unshared = large();
    unshared.a.major = unshared.b.major = validate::Major::mn;
    for (const PlanValue& other : rank(unshared).plans) {
        EXPECT_EQ(other.to_string().find("shares=2"), std::string::npos);
    }
}

/// The other operand is divided, which one launch is left to scan.
TEST_F(EmulatedSharesPlan, OneOperandMayBePackedAlready) {
    CanonicalProblem given = large();
    given.b = rank_pack_plans(given, CanonicalOperand::b, {},
                              {device_, table_, catalog::kernel_catalog()})
                  .front()
                  .operand;
    const PlanValue plan = plan_for(given, 2);
    ASSERT_EQ(plan.steps.size(), 4U) << plan.to_string();
    EXPECT_LT(plan.steps[1].arguments[0].value, 12288);
    given.a = {validate::Major::mn, 12288, 0, 64};
    EXPECT_EQ(steps_for_two(given), 3U) << "only what is packed lies along k";
}

/// As if none were asked for.
TEST_F(EmulatedSharesPlan, WhereNothingCanBeSharedThereIsOneLaunch) {
    EXPECT_EQ(steps_for_two(large()), 4U);
    CanonicalProblem odd = large();
    odd.k = 4095;
    EXPECT_EQ(steps_for_two(odd), 3U);
    odd = large();
    odd.a.ld = 4098;
    odd.b.major = validate::Major::mn;
    EXPECT_EQ(steps_for_two(odd), 3U);
    odd.b = {validate::Major::k, 4096, 0, 64}; // columns of B then
    EXPECT_EQ(steps_for_two(odd), 4U);
    EXPECT_LT(plan_for(odd, 2).steps[1].arguments[1].value, 2048);
    odd.b.offset_alignment = 2;
    EXPECT_EQ(steps_for_two(odd), 3U);
    odd = large();
    odd.m = 128;
    odd.b.major = validate::Major::mn;
    EXPECT_EQ(steps_for_two(odd), 3U);
    odd = large();
    odd.batch = 2;
    odd.a.batch_stride = odd.b.batch_stride = odd.c.batch_stride = 12288 * 4096;
    EXPECT_EQ(steps_for_two(odd), 4U); // scan and pack are two
}

} // namespace
} // namespace libsgemm::planning
