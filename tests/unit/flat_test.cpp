// SPDX-License-Identifier: Apache-2.0
// What the plans of the kernel `flat` derive from a problem, what it refuses, and when the H200's
// table takes it.
#include "support/define_of.hpp"
#include "support/main_step.hpp"
#include "unit/h200_plan_fixture.hpp"
#include "unit/nvidia_kernels.hpp"

#include <cmath>
#include <string>

namespace libsgemm::planning {
namespace {

using catalog::Parameters;
using sgemm_test::define_of;

const catalog::KernelEntry& flat() {
    return *catalog::kernel_catalog().find("flat");
}
Parameters held(const sgemm_test::Changes& changes = {}) {
    return sgemm_test::changed(flat().defaults(), changes);
}
Parameters flat_ring(const sgemm_test::Changes& changes = {}) {
    return sgemm_test::changed(held({{"stages", 2}, {"stage_a", 0}, {"step_n", 16}}), changes);
}

class FlatPlan : public H200PlanTest {
protected:
    Step step_of(const validate::CanonicalProblem& given, const Parameters& parameters) const {
        ExpertPlanOptions options;
        options.kernel = "flat";
        options.parameters = {parameters.begin(), parameters.end()};
        return sgemm_test::main_step(rank(given, options).plans.front());
    }
    Step step_of(std::int64_t k, const Parameters& parameters) const {
        return step_of(problem(300, 200, k, Precision::strict), parameters);
    }
    /// Of C with columns that begin anywhere.
    static validate::CanonicalProblem odd(std::int64_t m, std::int64_t n, std::int64_t k) {
        auto result = problem(m, n, k, Precision::strict);
        result.c.ld |= 1;
        return result;
    }
};

TEST_F(FlatPlan, AnAThatIsHeldComesInOneStepAsDeepAsK) {
    for (const int k : {1, 2, 7, 16, 63, 64}) {
        const Step step = step_of(k, held({{"most_k", 64}}));
        EXPECT_EQ(define_of(step, "CHUNK"), std::to_string(k));
        EXPECT_EQ(define_of(step, "EXACT_K"), "1");
    }
}

TEST_F(FlatPlan, TheRingHasTheFewestStepsOfUpTo16AsEqualAsTheyCanBe) {
    struct {
        int k, chunk;
        bool exact;
    } const cases[] = {{1, 1, true},   {16, 16, true},  {17, 9, false}, {22, 11, true},
                       {32, 16, true}, {33, 11, true},  {42, 14, true}, {43, 15, false},
                       {48, 16, true}, {49, 13, false}, {64, 16, true}};
    for (const auto& c : cases) {
        const Step step = step_of(c.k, flat_ring({{"most_k", 64}}));
        EXPECT_EQ(define_of(step, "CHUNK"), std::to_string(c.chunk)) << c.k;
        EXPECT_EQ(define_of(step, "EXACT_K"), c.exact ? "1" : "0") << c.k;
    }
}

TEST_F(FlatPlan, RowsThatBeginEarlierMayNeedOneMoreWorkGroup) {
    const auto groups_of = [&](std::int64_t m, int align) {
        const Step step =
            step_of(problem(m, 200, 5, Precision::strict), held({{"align_c", align}}));
        EXPECT_EQ(step.range.global[1] / step.range.local[1], 2U);
        return step.range.global[0] / step.range.local[0];
    };
    for (const int rest : {0, 1, 30, 57, 58, 63}) {
        const bool one_more = rest == 0 || rest > 57;
        EXPECT_EQ(groups_of(128 + rest, 1), rest == 0 ? 3U : one_more ? 4U : 3U) << rest;
        EXPECT_EQ(groups_of(128 + rest, 0), rest == 0 ? 2U : 3U) << rest;
    }
}

TEST_F(FlatPlan, OtherDepthsAreRejectedWithTheReason) {
    ExpertPlanOptions options;
    options.kernel = "flat";
    for (const int k : {9, 23}) {
        options.parameters = {{"least_k", 10}, {"most_k", 22}};
        try {
            rank(problem(300, 200, k, Precision::strict), options);
            FAIL() << "planned " << k;
        } catch (const UnsupportedError& error) {
            EXPECT_NE(std::string(error.what()).find("k is not one of 10 to 22"), std::string::npos)
                << error.what();
        }
    }
    const Ranking deep = rank(problem(300, 200, 65, Precision::strict));
    EXPECT_TRUE(std::ranges::any_of(deep.rejected, [](const Rejection& rejection) {
        return rejection.candidate.starts_with("flat") &&
               rejection.reason.find("k is not one of") != std::string::npos;
    }));
}

TEST_F(FlatPlan, ConstraintsSayWhatGoesTogether) {
    const DeviceTraits device = sgemm_test::nvidia(80);
    const auto refused = [&](const Parameters& parameters, const std::string& reason) {
        return sgemm_test::is_refused_for(flat(), parameters, device, reason);
    };
    EXPECT_TRUE(sgemm_test::runs(flat(), held({{"copy", 1}, {"stream", 1}}), device));
    EXPECT_TRUE(sgemm_test::runs(flat(), flat_ring(), device));
    EXPECT_TRUE(refused(held({{"tile_m", 96}}), "powers of two"));
    EXPECT_TRUE(refused(held({{"work_per_item_m", 4}}), "a warp stores 32"));
    EXPECT_TRUE(refused(held({{"step_n", 6}}), "vectors of 4"));
    EXPECT_TRUE(refused(flat_ring({{"step_n", 4}}), "A is not held"));
    EXPECT_TRUE(refused(flat_ring({{"stage_a", 1}}), "A is not held"));
    EXPECT_TRUE(refused(held({{"unroll_k", 4}}), "are unrolled"));
    EXPECT_TRUE(refused(held({{"work_per_item_n", 32}}), "multiple of 8"));
    EXPECT_TRUE(refused(held({{"least_k", 17}, {"most_k", 16}}), "at most most_k"));
    EXPECT_TRUE(
        refused(held({{"tile_m", 128}, {"work_per_item_m", 4}, {"most_k", 49}}), "192 elements"));
    EXPECT_TRUE(refused(held({{"max_registers", 128}}), "it would change nothing"));
    for (const char* name : {"copy", "stream"}) {
        EXPECT_FALSE(sgemm_test::runs(flat(), held({{name, 1}}), sgemm_test::fake_device()));
        EXPECT_FALSE(sgemm_test::runs(flat(), held({{name, 1}}), sgemm_test::nvidia(75)));
        EXPECT_TRUE(refused(held({{name, 2}}), name));
    }
}

TEST_F(FlatPlan, TimeIsOfWritingAndProductsBesideEachOther) {
    const PlanValue plan = rank(odd(5876, 6388, 7)).plans.front();
    ASSERT_EQ(plan.kernel, &flat());
    const double writing = 4.0 * 5876 * 6388 / 4.62e12;
    const double tiles = std::ceil(5876 / 64.0) * std::ceil(6388 / 128.0);
    const double peak = 256 * 1980e6 * static_cast<double>(device_.compute_units);
    const double products = 2.35 * tiles * 2 * 64 * 128 * 7 / peak;
    const double expected = 3.59e-6 + std::cbrt(std::pow(writing, 3) + std::pow(products, 3));
    EXPECT_NEAR(plan.predicted_seconds, expected, 0.01 * expected);
}

TEST_F(FlatPlan, TheTableTakesItForFewStepsAndAnyLeadingDimension) {
    struct {
        std::int64_t m, n, k;
        int tile_m, tile_n, step_n, stages, stage_a;
    } const cases[] = {
        {1141, 1420, 5, 64, 128, 4, 1, 0},   {8719, 8897, 1, 64, 128, 4, 1, 0},
        {4232, 3883, 12, 64, 128, 4, 1, 1},  {1254, 3626, 30, 64, 64, 8, 1, 1},
        {5597, 7131, 46, 128, 128, 4, 1, 1}, {2490, 6885, 52, 64, 128, 4, 1, 1},
        {4424, 2870, 36, 128, 64, 16, 2, 0},
    };
    for (const auto& c : cases) {
        const PlanValue plan = rank(odd(c.m, c.n, c.k)).plans.front();
        ASSERT_EQ(plan.kernel, &flat()) << c.m << 'x' << c.n << 'x' << c.k;
        for (const auto& [name, value] :
             {std::pair{"tile_m", c.tile_m}, std::pair{"tile_n", c.tile_n},
              std::pair{"step_n", c.step_n}, std::pair{"stages", c.stages},
              std::pair{"stage_a", c.stage_a}}) {
            EXPECT_EQ(plan.parameters[name], value) << name << ' ' << plan.to_string();
        }
    }
    EXPECT_NE(rank(odd(4424, 2870, 65)).plans.front().kernel, &flat());
}

} // namespace
} // namespace libsgemm::planning
