// SPDX-License-Identifier: Apache-2.0
// Which candidates there are, in which order, and why others are not.
#include "plan/describe.hpp"
#include "sgemm/error.hpp"
#include "unit/planner_fixture.hpp"

#include <algorithm>

namespace libsgemm::planning {
namespace {

class Planner : public sgemm_test::PlannerTest {
protected:
    static std::vector<std::string> names(const Ranking& ranking) {
        std::vector<std::string> result;
        for (const PlanValue& plan : ranking.plans) {
            result.emplace_back(plan.kernel->name);
        }
        return result;
    }
    static std::string reason(const Ranking& ranking, const std::string& candidate) {
        const auto found =
            std::find_if(ranking.rejected.begin(), ranking.rejected.end(), [&](const Rejection& r) {
                return r.candidate.find(candidate) != std::string::npos;
            });
        return found == ranking.rejected.end() ? "" : found->reason;
    }
};

using Names = std::vector<std::string>;

TEST_F(Planner, RanksByPredictedTime) {
    const Ranking ranking = rank(native(512, 512, 512));
    EXPECT_EQ(names(ranking), (Names{"whole", "any"}));
    EXPECT_LT(ranking.plans[0].predicted_seconds, ranking.plans[1].predicted_seconds);
    EXPECT_TRUE(ranking.rejected.empty());
}

TEST_F(Planner, CountsThePasses) {
    // So little to multiply that three copies cost more than a slow kernel.
    table_.machine.launch_seconds = 1e-3;
    EXPECT_EQ(best(native(31, 15, 7)).kernel->name, "any");
}

TEST_F(Planner, TableOrderDoesNotMatter) {
    const PlanValue before = best(native(512, 512, 512));
    std::reverse(table_.rows.begin(), table_.rows.end());
    EXPECT_EQ(best(native(512, 512, 512)).kernel->name, before.kernel->name);
}

TEST_F(Planner, EqualArgumentsGiveEqualPlans) {
    const std::string once = describe_ranking(rank(native(100, 200, 300)));
    EXPECT_EQ(describe_ranking(rank(native(100, 200, 300))), once);
}

TEST_F(Planner, NaiveKernelEndsTheChainWithoutARow) {
    table_.rows.pop_back();
    EXPECT_EQ(names(rank(native(64, 64, 64))), (Names{"whole", "any"}));
    table_.rows.clear();
    EXPECT_EQ(names(rank(native(64, 64, 64))), Names{"any"});
}

TEST_F(Planner, RowsOfOneKernelAreSeparateCandidates) {
    add_row("whole", 0.25);
    table_.rows.back().parameters.set("tile_k", 16);
    EXPECT_EQ(rank(native(64, 64, 64)).plans.size(), 3U);
    EXPECT_EQ(best(native(64, 64, 64)).parameters["tile_k"], 8);
}

TEST_F(Planner, RowsForUnknownKernelsAreRejectedNotFatal) {
    add_row("from another version", 1);
    const Ranking ranking = rank(native(64, 64, 64));
    EXPECT_EQ(ranking.plans.size(), 2U);
    EXPECT_NE(reason(ranking, "from another version").find("test.toml"), std::string::npos);
}

TEST_F(Planner, RowsThatBreakAConstraintAreRejectedWithItsReason) {
    table_.rows[0].parameters.set("tile_k", 7);
    const Ranking ranking = rank(native(64, 64, 64));
    EXPECT_EQ(names(ranking), Names{"any"});
    EXPECT_NE(reason(ranking, "whole").find("tile_k must be even"), std::string::npos);
}

TEST_F(Planner, DeviceLimitsRejectWithReasons) {
    table_.rows[0].parameters.set("tile_k", 1024); // 192 KiB of local memory
    Ranking ranking = rank(native(64, 64, 64));
    EXPECT_EQ(names(ranking), Names{"any"});
    EXPECT_NE(reason(ranking, "whole").find("local memory"), std::string::npos);
    table_.rows[0].parameters.set("tile_k", 8);
    device_.max_work_item_sizes[1] = 3;
    table_.rows.pop_back();
    device_.max_work_item_sizes[0] = 1024;
    EXPECT_THROW(rank(native(64, 64, 64)), UnsupportedError); // not even 8 x 8 work-items
}

TEST_F(Planner, WorkspaceLimitsReject) {
    max_workspace_bytes_ = 1000;
    const Ranking ranking = rank(native(65, 64, 64));
    EXPECT_EQ(names(ranking), Names{"any"});
    EXPECT_NE(reason(ranking, "whole").find("workspace"), std::string::npos);
    EXPECT_EQ(names(rank(native(64, 64, 64))), (Names{"whole", "any"})) << "needs none";
    max_workspace_bytes_ = static_cast<std::size_t>(-1);
    device_.max_allocation_bytes = 1000;
    EXPECT_EQ(names(rank(native(65, 64, 64))), Names{"any"});
}

TEST_F(Planner, HugeProblemsDoNotOverflow) {
    // Padded copies of such matrices have no size in 63 bits.
    const std::int64_t huge = (std::int64_t{1} << 60) + 1;
    const Ranking ranking = rank(native(huge, 1, 1));
    EXPECT_EQ(names(ranking), Names{"any"});
    EXPECT_FALSE(reason(ranking, "whole").empty());
}

TEST_F(Planner, ForcedKernelIsTheOnlyCandidate) {
    ExpertPlanOptions options;
    options.kernel = "any";
    EXPECT_EQ(names(rank(native(512, 512, 512), options)), Names{"any"});
    table_.rows.clear(); // and needs no row
    options.kernel = "whole";
    EXPECT_EQ(names(rank(native(512, 512, 512), options)), Names{"whole"});
}

TEST_F(Planner, AForcedKernelHasItsDefaultsWhereNoRowOfItFits) {
    table_.rows[0].parameters.set("tile_k", 1024); // more local memory than there is
    ExpertPlanOptions options;
    options.kernel = "whole";
    EXPECT_EQ(best(native(64, 64, 64), options).parameters["tile_k"], 8);
}

TEST_F(Planner, ForcedParametersReplaceThoseOfTheTable) {
    ExpertPlanOptions options;
    options.kernel = "whole";
    options.parameters["tile_k"] = 16;
    const PlanValue plan = best(native(64, 64, 64), options);
    EXPECT_EQ(plan.parameters["tile_k"], 16);
}

TEST_F(Planner, ForcedImpossibleChoicesAreUnsupportedWithReasons) {
    ExpertPlanOptions options;
    options.kernel = "whole";
    options.parameters["tile_k"] = 7;
    try {
        rank(native(64, 64, 64), options);
        FAIL() << "no error";
    } catch (const UnsupportedError& error) {
        EXPECT_NE(std::string(error.what()).find("tile_k must be even"), std::string::npos);
    }
}

TEST_F(Planner, UnknownNamesAreArgumentErrors) {
    ExpertPlanOptions options;
    options.kernel = "none";
    EXPECT_THROW(rank(native(64, 64, 64), options), ArgumentError);
    options.kernel = "whole";
    options.parameters["none"] = 1;
    EXPECT_THROW(rank(native(64, 64, 64), options), ArgumentError);
    options.kernel.clear();
    EXPECT_THROW(rank(native(64, 64, 64), options), ArgumentError);
}

TEST_F(Planner, EdgeStrategiesNarrowTheChoice) {
    ExpertPlanOptions options;
    options.edges = EdgeStrategy::none;
    EXPECT_EQ(names(rank(native(64, 64, 64), options)), (Names{"whole", "any"}));
    EXPECT_EQ(names(rank(native(65, 64, 64), options)), Names{"any"});
    options.edges = EdgeStrategy::padding;
    EXPECT_EQ(names(rank(native(65, 64, 64), options)), Names{"whole"});
}

/// A product of matrices whose leading dimensions are as given.
Problem with_lds(Problem problem, std::int64_t lda, std::int64_t ldb) {
    problem.lda = lda;
    problem.ldb = ldb;
    return problem;
}

bool any_variant_has(const Ranking& ranking, const std::string& part) {
    return std::any_of(ranking.plans.begin(), ranking.plans.end(), [&](const PlanValue& plan) {
        return plan.to_string().find(part) != std::string::npos;
    });
}

TEST_F(Planner, OperandsWhoseLeadingDimensionsCollideAreRelaid) {
    table_.machine.ld_period = 1024;
    table_.machine.ld_slowdown = 3;
    const Problem problem = native(1024, 1024, 1024);
    EXPECT_NE(best(with_lds(problem, 1024, 1024)).to_string().find("repacked AB"),
              std::string::npos);
    // One that collides is enough to be slow, and the other is left where it is.
    const Ranking one = rank(with_lds(problem, 3072, 1040));
    EXPECT_TRUE(one.plans.front().to_string().ends_with("repacked A"));
    EXPECT_FALSE(any_variant_has(one, "repacked AB"));
    EXPECT_FALSE(any_variant_has(rank(with_lds(problem, 1040, 1056)), "repacked"));
}

TEST_F(Planner, RemediesAreNotConsideredWhereNothingCollides) {
    const Problem problem = with_lds(native(1024, 1024, 1024), 1024, 1024);
    EXPECT_FALSE(any_variant_has(rank(problem), "repacked"));
    table_.machine.ld_period = 1024; // but no time is lost
    EXPECT_FALSE(any_variant_has(rank(problem), "repacked"));
}

/// A kernel to which collisions cost nothing has nothing to remedy.
TEST_F(Planner, LinesThatAreReadFromEndToEndStayWhereTheyAre) {
    table_.machine.ld_period = 1024;
    table_.machine.ld_slowdown = 3;
    catalog::KernelEntry kernel = any_size();
    kernel.family = catalog::Tiled{.reads_whole_lines = true};
    catalog_ = catalog::KernelCatalog({kernel});
    const Problem problem = native(1024, 1024, 1024);
    const Ranking open = rank(with_lds(problem, 1024, 1024));
    EXPECT_EQ(open.plans.size(), 1U) << open.plans.back().to_string();
    EXPECT_EQ(open.plans.front().predicted_seconds,
              best(with_lds(problem, 1040, 1040)).predicted_seconds);
}

TEST_F(Planner, RemediesCanBeForcedAndForbidden) {
    table_.machine.ld_period = 1024;
    table_.machine.ld_slowdown = 3;
    Problem problem = with_lds(native(1024, 1024, 1024), 1024, 1024);
    ExpertPlanOptions options;
    options.parts_k = 1;
    options.repack = Repack::never;
    EXPECT_FALSE(any_variant_has(rank(problem, options), "repacked"));
    options.repack = Repack::only_a;
    EXPECT_EQ(best(problem, options).steps.size(), 2U);
    options.repack = Repack::always;
    EXPECT_EQ(best(problem, options).steps.size(), 3U);
    // Row-major A is the second operand of the column-major problem.
    options.repack = Repack::only_a;
    options.kernel = "whole";
    problem.layout = Layout::row_major;
    problem.transpose_a = Transpose::yes;
    problem.transpose_b = Transpose::no;
    const PlanValue plan = best(problem, options);
    EXPECT_NE(plan.to_string().find("repacked B"), std::string::npos) << plan.to_string();
}

/// As measured: launches that share k help by half, launches that share C do not.
TEST_F(Planner, PartsOfKAreHalfACureAndPartsOfCNone) {
    table_.machine.ld_period = 1024;
    table_.machine.ld_slowdown = 3;
    const Problem problem = with_lds(native(1024, 1024, 1024), 1024, 1024);
    const Ranking open = rank(problem);
    EXPECT_TRUE(any_variant_has(open, "parts 1x1x2"));
    EXPECT_FALSE(any_variant_has(open, "parts 2"));
    const auto seconds = [&](int parts_m, int parts_k) {
        ExpertPlanOptions options;
        options.repack = Repack::never;
        options.parts_m = parts_m;
        options.parts_n = 1;
        options.parts_k = parts_k;
        return best(problem, options).predicted_seconds;
    };
    const double plain = seconds(1, 1);
    EXPECT_NEAR(seconds(1, 2) / plain, 2.0 / 3, 0.05);
    EXPECT_GE(seconds(2, 1), plain);
    EXPECT_LT(open.plans.front().predicted_seconds, seconds(1, 2)); // the repacking
}

TEST_F(Planner, DescribesChoiceRankingAndRejections) {
    table_.rows[1].parameters.set("bogus", 1);
    const Ranking ranking = rank(native(65, 64, 64));
    const std::string text =
        describe_ranking(ranking) + describe_steps(ranking.plans[0]) + summarize(ranking.plans[0]);
    for (const char* part : {"whole", "tile_k=8", "padding", "predicted", "rejected", "bogus",
                             "NDRange", "workspace", "pre-pass", "main kernel", "post-pass"}) {
        EXPECT_NE(text.find(part), std::string::npos) << part << " is missing in\n" << text;
    }
}

TEST_F(Planner, ScalePlanIsOneStepOverC) {
    Problem problem = native(65, 33, 0);
    problem.batch_count = 3;
    const PlanValue plan = scale_plan(canonical(problem), context().passes());
    ASSERT_EQ(plan.steps.size(), 1U);
    EXPECT_EQ(plan.kernel, nullptr);
    EXPECT_EQ(plan.workspace_bytes, 0U);
    EXPECT_EQ(plan.steps[0].range.global[2], 3U);
}

/// The library's own catalogue and tables, for devices of many kinds and problems of many shapes.
TEST(PlannerOfTheLibrary, AlwaysFindsAPlanThatFitsTheDevice) {
    for (const DeviceType type : {DeviceType::cpu, DeviceType::gpu, DeviceType::other}) {
        for (const std::int64_t group : {32, 64, 256, 1024}) {
            DeviceTraits device = sgemm_test::fake_device(type);
            device.max_work_group_size = group;
            device.max_work_item_sizes[0] = group;
            device.max_work_item_sizes[1] = group;
            device.local_memory_bytes = 64 * group;
            const tables::DeviceTable table = tables::built_in_table(device);
            for (const std::int64_t size : {1, 33, 1000}) {
                Problem problem;
                problem.m = problem.n = problem.k = size;
                const auto canonical = validate::check_problem(problem).canonical;
                const PlanningContext context{device, table, catalog::kernel_catalog()};
                const PlanValue plan = rank_plans(canonical, {}, context).plans.front();
                for (const Step& step : plan.steps) {
                    const auto& local = step.range.local;
                    EXPECT_LE(local[0] * local[1], static_cast<std::size_t>(group))
                        << step.build.name;
                }
            }
        }
    }
}

} // namespace
} // namespace libsgemm::planning
