// SPDX-License-Identifier: Apache-2.0
// Which passes surround a kernel, and that their steps fit together.
#include "support/define_of.hpp"
#include "support/kernel_variants.hpp"
#include "unit/planner_fixture.hpp"

#include <algorithm>

namespace libsgemm::planning {
namespace {

using Passes = std::vector<std::string>;
using Kind = Argument::Kind;
using sgemm_test::define_of;

Passes passes_of(const PlanValue& plan) {
    Passes names;
    for (const Step& step : plan.steps) {
        names.push_back(step.build.name);
    }
    return names;
}

/// Plans of the kernel for whole tiles of 32 x 16 x 8.
class BuildPlan : public sgemm_test::PlannerTest {
protected:
    PlanValue plan(const Problem& problem, PrePassStyle style = PrePassStyle::automatic) const {
        ExpertPlanOptions options;
        options.kernel = "whole";
        options.pre_passes = style;
        return best(problem, options);
    }
};

TEST_F(BuildPlan, WholeTilesInNativeFormRunInPlace) {
    const PlanValue p = plan(native(64, 48, 24));
    EXPECT_EQ(passes_of(p), Passes{"whole"});
    EXPECT_EQ(p.workspace_bytes, 0U);
    EXPECT_EQ(p.strategy, "in place");
}

TEST_F(BuildPlan, OnlyWhatDoesNotFitIsPadded) {
    EXPECT_EQ(passes_of(plan(native(65, 48, 24))), (Passes{"pad", "whole", "unpad"}));
    EXPECT_EQ(passes_of(plan(native(64, 49, 24))), (Passes{"pad", "whole", "unpad"}));
    EXPECT_EQ(passes_of(plan(native(64, 48, 25))), (Passes{"pad", "pad", "whole"}));
    EXPECT_EQ(passes_of(plan(native(65, 49, 25))), (Passes{"pad", "pad", "whole", "unpad"}));
}

TEST_F(BuildPlan, OnlyWhatIsStoredOtherwiseIsTransposed) {
    Problem problem = native(64, 48, 24);
    problem.transpose_a = Transpose::yes;
    const PlanValue p = plan(problem);
    EXPECT_EQ(passes_of(p), (Passes{"transpose", "whole"}));
    EXPECT_EQ(p.strategy, "transposition");
    problem.transpose_b = Transpose::no;
    EXPECT_EQ(passes_of(plan(problem)), (Passes{"transpose", "transpose", "whole"}));
}

TEST_F(BuildPlan, PaddingAndTranspositionAreOnePassOrTwo) {
    Problem problem = native(65, 48, 24);
    problem.transpose_a = Transpose::yes;
    const Passes fused = {"pad_transpose", "whole", "unpad"};
    EXPECT_EQ(passes_of(plan(problem)), fused);
    EXPECT_EQ(passes_of(plan(problem, PrePassStyle::fused)), fused);
    EXPECT_EQ(passes_of(plan(problem, PrePassStyle::separate)),
              (Passes{"transpose", "pad", "whole", "unpad"}));
}

TEST_F(BuildPlan, MisalignedOperandsAreCopied) {
    Problem problem = native(64, 48, 24);
    problem.lda = 65;
    EXPECT_EQ(passes_of(plan(problem)), (Passes{"pad", "whole"}));
    problem.lda = 68;
    EXPECT_EQ(passes_of(plan(problem)), Passes{"whole"});
    problem.batch_count = 2;
    problem.batch_stride_a = 68 * 24 + 2;
    EXPECT_EQ(passes_of(plan(problem)), (Passes{"pad", "whole"}));

    auto offset = canonical(native(64, 48, 24));
    offset.b.offset_alignment = 2;
    ExpertPlanOptions options;
    options.kernel = "whole";
    EXPECT_EQ(passes_of(rank_plans(offset, options, context()).plans.front()),
              (Passes{"pad", "whole"}));
}

TEST_F(BuildPlan, ASharedOperandIsPreparedOnce) {
    Problem problem = native(65, 48, 24);
    problem.batch_count = 5;
    problem.batch_stride_a = 0;
    const PlanValue p = plan(problem);
    ASSERT_EQ(passes_of(p), (Passes{"pad", "whole", "unpad"}));
    EXPECT_EQ(p.steps[0].range.global[2], 1U);
    EXPECT_EQ(p.steps[1].range.global[2], 5U);
    EXPECT_EQ(p.steps[2].range.global[2], 5U);
}

TEST_F(BuildPlan, AnySizeKernelsNeverCopy) {
    ExpertPlanOptions options;
    options.kernel = "any";
    for (const sgemm_test::Form& form : sgemm_test::all_forms()) {
        Problem problem = native(65, 49, 25);
        problem.layout = form.layout;
        problem.transpose_a = form.a;
        problem.transpose_b = form.b;
        EXPECT_EQ(passes_of(best(problem, options)), Passes{"any"});
    }
}

TEST_F(BuildPlan, StorageReachesTheKernelAsDefines) {
    ExpertPlanOptions options;
    options.kernel = "any";
    Problem problem = native(8, 8, 8);
    problem.transpose_a = Transpose::yes;
    const PlanValue p = best(problem, options);
    EXPECT_EQ(define_of(p.steps[0], "A_K_MAJOR"), "1");
    EXPECT_EQ(define_of(p.steps[0], "B_K_MAJOR"), "0");
}

TEST_F(BuildPlan, OnlyTheLastStepTouchesCAndScalesByBeta) {
    for (const Problem& problem : {native(64, 48, 24), native(65, 49, 25)}) {
        const PlanValue p = plan(problem);
        for (std::size_t i = 0; i < p.steps.size(); ++i) {
            const auto& arguments = p.steps[i].arguments;
            const auto has = [&](Kind kind) {
                return std::any_of(arguments.begin(), arguments.end(),
                                   [&](const Argument& a) { return a.kind == kind; });
            };
            EXPECT_EQ(has(Kind::buffer_c), i + 1 == p.steps.size()) << p.steps[i].build.name;
            EXPECT_EQ(has(Kind::beta), i + 1 == p.steps.size()) << p.steps[i].build.name;
            EXPECT_EQ(has(Kind::alpha), p.steps[i].kind == PassKind::main_kernel);
        }
    }
}

TEST_F(BuildPlan, StepsFitTogetherForEveryForm) {
    for (const sgemm_test::Form& form : sgemm_test::all_forms()) {
        for (const PrePassStyle style : {PrePassStyle::fused, PrePassStyle::separate}) {
            Problem problem = native(65, 49, 25);
            problem.layout = form.layout;
            problem.transpose_a = form.a;
            problem.transpose_b = form.b;
            problem.batch_count = 2;
            const PlanValue p = plan(problem, style);
            double total = 0;
            for (std::size_t i = 0; i < p.steps.size(); ++i) {
                const Step& step = p.steps[i];
                for (const int before : step.after) {
                    EXPECT_GE(before, 0);
                    EXPECT_LT(before, static_cast<int>(i)) << step.purpose;
                }
                for (std::size_t d = 0; d < 3; ++d) {
                    EXPECT_GT(step.range.global[d], 0U);
                    EXPECT_EQ(step.range.global[d] % step.range.local[d], 0U) << step.purpose;
                }
                EXPECT_GT(step.predicted_seconds, 0) << step.purpose;
                EXPECT_FALSE(step.purpose.empty());
                total += step.predicted_seconds;
            }
            EXPECT_DOUBLE_EQ(p.predicted_seconds, total);
            const bool swapped = form.layout == Layout::row_major;
            const std::size_t m = swapped ? 64 : 96; // padded
            const std::size_t n = swapped ? 80 : 64;
            EXPECT_GE(p.workspace_bytes, 2 * 4 * (m * 32 + n * 32 + m * n)) << "A, B and C, twice";
        }
    }
}

TEST_F(BuildPlan, MainKernelWaitsForItsPassesAndTheUnPadForIt) {
    const PlanValue p = plan(native(65, 49, 25));
    ASSERT_EQ(p.steps.size(), 4U);
    EXPECT_TRUE(p.steps[0].after.empty());
    EXPECT_TRUE(p.steps[1].after.empty());
    EXPECT_EQ(p.steps[2].after, (std::vector<int>{0, 1}));
    EXPECT_EQ(p.steps[3].after, std::vector<int>{2});
}

TEST_F(BuildPlan, NdRangeCoversThePaddedProblem) {
    const PlanValue p = plan(native(65, 49, 25)); // 3 x 4 tiles
    const NdRange& range = p.steps[2].range;
    EXPECT_EQ(range.local, (std::array<std::size_t, 3>{8, 4, 1}));
    EXPECT_EQ(range.global, (std::array<std::size_t, 3>{3 * 8, 4 * 4, 1}));
}

} // namespace
} // namespace libsgemm::planning
