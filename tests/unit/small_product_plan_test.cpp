// SPDX-License-Identifier: Apache-2.0
// Whatever build of one architecture a plan has, there is a small problem that tries the very same.
#include "catalog/kernel_catalog.hpp"
#include "execute/small_product_plan.hpp"
#include "problem/problem.hpp"
#include "sgemm/error.hpp"
#include "support/fake_device.hpp"
#include "tables/device_table.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <string>

namespace libsgemm::execute {
namespace {

using planning::KernelBuild;
using planning::PlanValue;

/// An NVIDIA device of compute capability 9.0, by the table of the H200.
class SmallProductPlanTest : public ::testing::Test {
protected:
    planning::PlanningContext context() const {
        return {device_, table_, catalog::kernel_catalog()};
    }
    static std::string text_of(const KernelBuild& build) {
        std::string text = build.name;
        for (const auto& [macro, value] : build.defines) {
            text += " " + macro + "=" + value;
        }
        return text;
    }

    /// Looks for the self-tests of all builds of one architecture in a problem's plans.
    void look_at(const Problem& given, const ExpertPlanOptions& options = {}) {
        auto problem = validate::check_problem(given).canonical;
        problem.a.offset_alignment = problem.b.offset_alignment = problem.c.offset_alignment = 16;
        planning::Ranking ranking;
        try {
            ranking = planning::rank_plans(problem, options, context());
        } catch (const UnsupportedError&) {
            return;
        }
        for (const PlanValue& plan : ranking.plans) {
            for (const planning::Step& step : plan.steps) {
                if (step.build.architecture_specific && seen_.insert(text_of(step.build)).second) {
                    expect_small_product(plan, step.build);
                }
            }
        }
    }
    void expect_small_product(const PlanValue& plan, const KernelBuild& target) const {
        const auto small = plan_small_product(plan, target, context());
        ASSERT_TRUE(small.has_value()) << text_of(target);
        const auto launched =
            std::find_if(small->plan.steps.begin(), small->plan.steps.end(),
                         [&](const planning::Step& s) { return s.build.architecture_specific; });
        ASSERT_NE(launched, small->plan.steps.end());
        EXPECT_EQ(text_of(launched->build), text_of(target));
        EXPECT_EQ(launched->build.max_registers, target.max_registers);
        const auto& p = small->problem;
        EXPECT_LE(p.m * p.n * p.k, std::int64_t{1} << 27U) << "no small problem";
        EXPECT_EQ(small->plan.precision, plan.precision);
    }
    /// In all four forms.
    static std::vector<Problem> forms(std::int64_t m, std::int64_t n, std::int64_t k) {
        std::vector<Problem> problems;
        for (const Transpose a : {Transpose::no, Transpose::yes}) {
            for (const Transpose b : {Transpose::no, Transpose::yes}) {
                Problem problem;
                problem.m = m;
                problem.n = n;
                problem.k = k;
                problem.transpose_a = a;
                problem.transpose_b = b;
                problems.push_back(problem);
            }
        }
        return problems;
    }

    DeviceTraits device_ = sgemm_test::fake_h200();
    tables::DeviceTable table_ = tables::built_in_table(device_);
    std::set<std::string> seen_; ///< builds
};

TEST_F(SmallProductPlanTest, IsThereForEveryBuildOfTheTablesPlans) {
    for (const std::int64_t size : {64, 500, 1024, 4096, 4097, 4100}) {
        for (const std::int64_t k : {std::int64_t{64}, size, 8 * size + 1}) {
            for (const Problem& problem : forms(size, size, k)) {
                look_at(problem);
            }
        }
    }
    EXPECT_GT(seen_.size(), 20U);
}

TEST_F(SmallProductPlanTest, IsThereForEveryEdgeStrategyAndSplitK) {
    for (const EdgeStrategy edges : {EdgeStrategy::padding, EdgeStrategy::guarded}) {
        for (const int split_k : {0, 1, 2, 7}) {
            ExpertPlanOptions options;
            options.kernel =
                "persistent"; // of the strict ones it alone is built for one architecture
            options.edges = edges;
            options.split_k = split_k;
            options.parameters = {{"copy", 3},
                                  {"tile_n", 256},
                                  {"stages", 4},
                                  {"work_per_item_n", 16},
                                  {"math_registers", 216}};
            for (const auto& [m, n] : {std::pair{2048, 2048}, {2050, 2056}, {2049, 2112}}) {
                for (const Problem& problem : forms(m, n, 1000)) {
                    look_at(problem, options);
                }
            }
        }
    }
    EXPECT_GE(seen_.size(), 8U);
}

TEST_F(SmallProductPlanTest, IsThereForSchemes) {
    for (const Precision precision : {Precision::fp16x2, Precision::tf32x3, Precision::bf16x3}) {
        for (const std::int64_t size : {2048, 4096}) { // strict in the same launch, and behind it
            for (Problem problem : forms(size, 2000, size)) {
                problem.precision = precision;
                look_at(problem);
            }
        }
    }
    EXPECT_GE(seen_.size(), 6U);
}

} // namespace
} // namespace libsgemm::execute
