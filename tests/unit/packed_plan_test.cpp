// SPDX-License-Identifier: Apache-2.0
// Whether a kernel that packs A does, whether B is transposed, in how many launches and
// work-groups, and at what predicted cost.
#include "plan/family/packed/transposed_bytes.hpp"
#include "sgemm/error.hpp"
#include "support/define_of.hpp"
#include "unit/planner_fixture.hpp"

#include <string>
#include <utility>
#include <vector>

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

/// Plans of a kernel with register tiles of 16 x 4 and work-groups of two panels.
class PackedPlan : public sgemm_test::PlannerTest {
protected:
    static catalog::KernelEntry packing() {
        static constexpr int depths[] = {16, 64, 1024};
        catalog::KernelEntry entry;
        entry.name = "packing";
        entry.source = "packing.cl";
        entry.function = "packing";
        entry.parameters = {{"depth", "DEPTH", 1024, depths, "steps of a panel"}};
        entry.a = catalog::Accepts::mn_major;
        entry.b = catalog::Accepts::either;
        entry.edges = catalog::Edges::any_size;
        entry.split_k = catalog::SplitK::at_launch;
        entry.family = catalog::Packed{.a_by_choice = true};
        entry.tile = [](const catalog::Parameters&) {
            catalog::TileShape tile;
            tile.m = 32;
            tile.n = 4;
            tile.k = 16;
            tile.panel_m = 16;
            tile.panel_n = 4;
            return tile;
        };
        return entry;
    }

    PackedPlan() {
        catalog_ = catalog::KernelCatalog({any_size(), packing()});
        table_.rows.clear();
        add_row("packing", 0.5);
        options_.kernel = "packing";
    }
    static Problem sizes(std::int64_t m, std::int64_t n, std::int64_t k) {
        Problem problem;
        problem.m = m;
        problem.n = n;
        problem.k = k;
        return problem;
    }
    PlanValue plan(const Problem& problem) const { return best(problem, options_); }

    ExpertPlanOptions options_;
};

const Passes alone{"packing"};
const Passes turned_first{"transpose", "packing"};

TEST_F(PackedPlan, OperandsThatLieWellAreReadInPlace) {
    const PlanValue p = plan(sizes(64, 48, 40));
    EXPECT_EQ(passes_of(p), alone);
    EXPECT_EQ(p.workspace_bytes, 0U);
    EXPECT_EQ(p.strategy, "in place");
    EXPECT_EQ(define_of(p.steps[0], "A_PACKED"), "0");
    EXPECT_EQ(define_of(p.steps[0], "B_K_MAJOR"), "1");
}

TEST_F(PackedPlan, AThatLiesTheWrongWayOrIsTooShortIsPackedWithoutAPass) {
    Problem problem = sizes(64, 48, 40);
    problem.transpose_a = Transpose::yes;
    const PlanValue p = plan(problem);
    EXPECT_EQ(passes_of(p), alone);
    EXPECT_EQ(p.strategy, "packing");
    EXPECT_EQ(define_of(p.steps[0], "A_PACKED"), "1");
    EXPECT_EQ(define_of(p.steps[0], "A_K_MAJOR"), "1");
    EXPECT_EQ(p.workspace_bytes, 0U);
    EXPECT_EQ(define_of(plan(sizes(15, 48, 40)).steps[0], "A_PACKED"), "1");
    EXPECT_EQ(define_of(plan(sizes(16, 48, 40)).steps[0], "A_PACKED"), "0");
}

TEST_F(PackedPlan, FewerColumnsThanATileCostMoreEach) {
    const double few = plan(sizes(64, 3, 4000)).predicted_seconds;
    EXPECT_GT(few, plan(sizes(64, 4, 4000)).predicted_seconds);
}

/// Streams through a k-major B in place; a B that lies along n has none, and a transposed one's are
/// kept apart.
TEST_F(PackedPlan, ColumnsOfBThatCrowdACacheSetCostWhereTheyAreReadInPlace) {
    table_.machine.cache_ways = 2;
    table_.machine.cache_line_seconds = 1e-6;
    const auto slowdown = [&](Transpose transpose_b, Repack repack) {
        options_.repack = repack;
        Problem problem = sizes(64, 64, 1024);
        problem.transpose_b = transpose_b;
        problem.ldb = 1040;
        const double usual = plan(problem).predicted_seconds;
        problem.ldb = 2048;
        return plan(problem).predicted_seconds / usual;
    };
    EXPECT_GT(slowdown(Transpose::no, Repack::never), 3);
    EXPECT_LT(slowdown(Transpose::yes, Repack::never), 1.1);
    EXPECT_LT(slowdown(Transpose::yes, Repack::only_b), 1.1);
}

TEST_F(PackedPlan, RepackForcesOrForbidsCopies) {
    Problem problem = sizes(64, 48, 40);
    problem.transpose_b = Transpose::yes;
    const auto plan_with = [&](Repack repack) {
        options_.repack = repack;
        return plan(problem);
    };
    for (const Repack repack : {Repack::always, Repack::only_b}) {
        const PlanValue p = plan_with(repack);
        EXPECT_EQ(passes_of(p), turned_first);
        EXPECT_EQ(define_of(p.steps[1], "B_K_MAJOR"), "1");
        EXPECT_EQ(define_of(p.steps[1], "A_PACKED"), repack == Repack::always ? "1" : "0");
        EXPECT_EQ(p.workspace_bytes, 4U * 48 * 48) << "columns of 40 elements, rounded up to lines";
    }
    for (const Repack repack : {Repack::never, Repack::only_a}) {
        const PlanValue p = plan_with(repack);
        EXPECT_EQ(passes_of(p), alone);
        EXPECT_EQ(define_of(p.steps[0], "B_K_MAJOR"), "0");
        EXPECT_EQ(define_of(p.steps[0], "A_PACKED"), repack == Repack::only_a ? "1" : "0");
    }
}

/// Whatever copies the caller allows: they are the kernel's own.
TEST_F(PackedPlan, AKernelThatPacksBothTakesOperandsAnyWay) {
    catalog::KernelEntry both = packing();
    both.a = catalog::Accepts::either;
    both.family = catalog::Packed{};
    catalog_ = catalog::KernelCatalog({any_size(), both});
    for (const Repack repack : {Repack::automatic, Repack::never, Repack::always}) {
        options_.repack = repack;
        for (const Transpose a : {Transpose::no, Transpose::yes}) {
            for (const Transpose b : {Transpose::no, Transpose::yes}) {
                Problem problem = sizes(9, 3, 40);
                problem.transpose_a = a;
                problem.transpose_b = b;
                const PlanValue p = plan(problem);
                EXPECT_EQ(passes_of(p), alone);
                EXPECT_EQ(p.strategy, "packing");
                EXPECT_EQ(p.workspace_bytes, 0U);
                EXPECT_EQ(define_of(p.steps[0], "A_K_MAJOR"), a == Transpose::yes ? "1" : "0");
                EXPECT_EQ(define_of(p.steps[0], "B_K_MAJOR"), b == Transpose::yes ? "0" : "1");
                EXPECT_EQ(define_of(p.steps[0], "A_PACKED"), "none");
            }
        }
    }
}

TEST_F(PackedPlan, CrowdedCacheSetsMakePackingPay) {
    table_.machine.launch_seconds = 0;
    table_.rows[0].model.in_place_period = 1024;
    table_.rows[0].model.in_place_collision = 1.5;
    Problem problem = sizes(1024, 1024, 1024);
    EXPECT_EQ(define_of(plan(problem).steps[0], "A_PACKED"), "1");
    problem.lda = 1040;
    EXPECT_EQ(define_of(plan(problem).steps[0], "A_PACKED"), "0");
}

TEST_F(PackedPlan, VectorsOfAThatStraddleLinesMakePackingPay) {
    static constexpr int widths[] = {16};
    catalog::KernelEntry wide = packing();
    wide.parameters.push_back({"vector_width", "WIDTH", 16, widths, "elements of a vector"});
    catalog_ = catalog::KernelCatalog({any_size(), wide});
    table_.machine.launch_seconds = 0;
    table_.rows[0].model.narrow_loads_a = 0.1;
    const auto packs = [&](std::int64_t lda, std::int64_t offset_alignment) {
        Problem given = sizes(1000, 1000, 1000);
        given.lda = lda;
        auto problem = canonical(given);
        problem.a.offset_alignment = offset_alignment;
        const PlanValue best = rank_plans(problem, options_, context()).plans.front();
        return define_of(best.steps[0], "A_PACKED") == "1";
    };
    EXPECT_FALSE(packs(1008, 64));
    EXPECT_TRUE(packs(1001, 64));
    EXPECT_TRUE(packs(1008, 8)) << "all of them";
}

/// One after the other, where the caller asks for parts or B is transposed in parts.
TEST_F(PackedPlan, PartsOfKAddToCAndReuseTheWorkspace) {
    options_.split_k = 1;
    options_.parts_k = 3;
    options_.repack = Repack::always;
    Problem problem = sizes(64, 48, 48);
    problem.transpose_b = Transpose::yes;
    const PlanValue p = plan(problem);
    EXPECT_EQ(passes_of(p),
              (Passes{"transpose", "packing", "transpose", "packing", "transpose", "packing"}));
    EXPECT_EQ(p.workspace_bytes, 4U * 48 * 16);
    for (std::size_t i = 0; i < p.steps.size(); ++i) {
        // Each step replaces or reads what the one before has read or written.
        EXPECT_EQ(p.steps[i].after, i == 0 ? std::vector<int>{} : std::vector<int>{int(i) - 1});
    }
    const auto beta_of = [](const Step& step) { return step.arguments[12].kind; };
    EXPECT_EQ(beta_of(p.steps[1]), Kind::beta);
    EXPECT_EQ(beta_of(p.steps[3]), Kind::one);
    EXPECT_EQ(beta_of(p.steps[5]), Kind::one);
    const auto depth_of = [](const Step& step) { return step.arguments[2].value; };
    EXPECT_EQ(depth_of(p.steps[1]) + depth_of(p.steps[3]) + depth_of(p.steps[5]), 48);
}

/// What is transposed of a huge product is never a copy of it, and its parts add up.
TEST_F(PackedPlan, TurnedPartsStayBelowTheirLimit) {
    for (const std::int64_t n : {50'000, 50'001, 8193}) {
        Problem problem = sizes(100'000, n, 3000);
        problem.transpose_b = Transpose::yes;
        options_.repack = Repack::always;
        const PlanValue p = plan(problem);
        EXPECT_LE(p.workspace_bytes, std::size_t{most_transposed_bytes} * 11 / 10) << n;
        EXPECT_GT(p.workspace_bytes, std::size_t{most_transposed_bytes} / 4) << n;
        double elements = 0;
        for (const Step& step : p.steps) {
            if (step.kind == PassKind::main_kernel) {
                elements += static_cast<double>(step.arguments[0].value) *
                            static_cast<double>(step.arguments[1].value) *
                            static_cast<double>(step.arguments[2].value);
            }
        }
        EXPECT_EQ(elements, 1e5 * static_cast<double>(n) * 3e3);
    }
}

/// A part is as deep as a block, or deeper while it is small: so C is added to no more often than
/// without parts.
TEST_F(PackedPlan, TurnedPartsAreAsDeepAsABlock) {
    options_.split_k = 1;
    options_.repack = Repack::always;
    const auto depths_of = [&](std::int64_t n, std::int64_t k) {
        Problem problem = sizes(64, n, k);
        problem.transpose_b = Transpose::yes;
        std::vector<std::int64_t> depths;
        for (const Step& step : plan(problem).steps) {
            if (step.kind == PassKind::main_kernel) {
                depths.push_back(step.arguments[2].value);
            }
        }
        return depths;
    };
    EXPECT_EQ(depths_of(1024, 2048), (std::vector<std::int64_t>{2048}));
    EXPECT_EQ(depths_of(2048, 2048), (std::vector<std::int64_t>{1024, 1024}));
    EXPECT_EQ(depths_of(4096, 2048), (std::vector<std::int64_t>{1024, 1024}));
    EXPECT_EQ(depths_of(1088, 1088), (std::vector<std::int64_t>{1088})) << "two blocks of 544";
    // Ten blocks, as in one launch; four of them at once.
    EXPECT_EQ(depths_of(512, 10'000), (std::vector<std::int64_t>{4032, 4032, 1936}));
    options_.parameters["depth"] = 64;
    EXPECT_EQ(depths_of(40'000, 100), (std::vector<std::int64_t>{64, 36}));
}

/// Power-of-two distances crowd cache sets, even ones memory channels.
TEST_F(PackedPlan, TurnedColumnsAreAnOddNumberOfLinesApart) {
    options_.split_k = 1;
    options_.repack = Repack::always;
    for (const auto& [k, ld] :
         {std::pair{1024, 1040U}, {1088, 1104U}, {1072, 1072U}, {1000, 1008U}}) {
        Problem problem = sizes(64, 64, k);
        problem.transpose_b = Transpose::yes;
        EXPECT_EQ(plan(problem).workspace_bytes, 4U * 64 * ld) << k;
    }
}

/// Lines that keep short columns apart count, too.
TEST_F(PackedPlan, ShortColumnsStayBelowTheLimits) {
    options_.split_k = 1;
    options_.repack = Repack::always;
    for (const std::int64_t k : {17, 32}) {
        Problem problem = sizes(64, 2'000'000, k);
        problem.transpose_b = Transpose::yes;
        EXPECT_LE(plan(problem).workspace_bytes, std::size_t{most_transposed_bytes}) << k;
        problem = sizes(64, 64, k);
        problem.transpose_b = Transpose::yes;
        problem.batch_count = 100'000;
        EXPECT_LE(plan(problem).workspace_bytes, std::size_t{usual_transposed_bytes}) << k;
    }
}

TEST_F(PackedPlan, TurnsAroundTheCachesWhereTheTableSaysSo) {
    device_.type = DeviceType::cpu;
    device_.native_vector_width = 8;
    options_.repack = Repack::always;
    Problem problem = sizes(64, 64, 64);
    problem.transpose_b = Transpose::yes;
    EXPECT_EQ(define_of(plan(problem).steps[0], "STREAMED"), "0");
    EXPECT_EQ(define_of(plan(problem).steps[0], "TILE_ROWS"), "8");
    table_.machine.streamed_transposes = 1;
    EXPECT_EQ(define_of(plan(problem).steps[0], "STREAMED"), "1");
    EXPECT_EQ(define_of(plan(problem).steps[0], "TILE_ROWS"), "16") << "whole lines";
}

TEST_F(PackedPlan, LongBatchesComeInParts) {
    Problem problem = sizes(256, 256, 256);
    problem.transpose_b = Transpose::yes;
    problem.batch_count = 1000;
    options_.repack = Repack::always;
    const PlanValue p = plan(problem);
    EXPECT_LE(p.workspace_bytes, std::size_t{usual_transposed_bytes} * 11 / 10);
    std::size_t products = 0;
    for (const Step& step : p.steps) {
        products += step.kind == PassKind::main_kernel ? step.range.global[2] : 0;
    }
    EXPECT_EQ(products, 1000U);
}

TEST_F(PackedPlan, AMatrixThatTheBatchSharesIsTurnedOnce) {
    Problem problem = sizes(64, 48, 40);
    problem.batch_count = 7;
    problem.batch_stride_b = 0;
    problem.transpose_b = Transpose::yes;
    options_.repack = Repack::always;
    const PlanValue p = plan(problem);
    EXPECT_EQ(p.steps.front().range.global[2], 1U);
    EXPECT_EQ(p.workspace_bytes, 4U * 48 * 48);
}

TEST_F(PackedPlan, DeepProductsOfFewElementsAreSliced) {
    options_.parameters["depth"] = 64;
    table_.machine.launch_seconds = 1e-5;
    const PlanValue p = plan(sizes(16, 4, 64 * 32));
    EXPECT_EQ(passes_of(p), (Passes{"packing", "reduce_shared"}));
    const Argument split_k = p.steps[0].arguments.back();
    EXPECT_EQ(split_k.kind, Kind::integer);
    EXPECT_GE(split_k.value, 16);
    EXPECT_EQ(p.steps[0].range.global[2], static_cast<std::size_t>(split_k.value));

    options_.split_k = 1;
    const PlanValue whole = plan(sizes(16, 4, 64 * 32));
    EXPECT_EQ(whole.steps[0].arguments.back().value, 1);
    EXPECT_EQ(whole.steps[0].build.defines, p.steps[0].build.defines) << "one program serves both";
}

/// Columns are shared out where rows alone leave compute units idle; else A would be packed too
/// often.
TEST_F(PackedPlan, ColumnsAreSharedOutAsComputeUnitsAsk) {
    options_.split_k = 1;
    options_.repack = Repack::always;
    table_.machine.transpose_bandwidth = 1e9;
    const auto groups_of = [&](std::int64_t m, std::int64_t n) {
        const PlanValue p = plan(sizes(m, n, 1024));
        return std::pair(p.steps[0].range.global[0], p.steps[0].range.global[1]);
    };
    const auto [rows, shares] = groups_of(32, 4096);
    EXPECT_EQ(rows, 1U);
    EXPECT_GT(shares, 1U);
    EXPECT_LE(shares, 1024U);
    EXPECT_EQ(groups_of(32 * 4096, 64), std::pair(std::size_t{4096}, std::size_t{1}));
}

/// More work-groups, at little more than the cost on units that are awake.
TEST_F(PackedPlan, ColumnsAreSharedOutFurtherWhereUnitsBeginLate) {
    device_.compute_units = 2;
    const PlanValue awake = plan(sizes(64, 256, 256));
    table_.machine.wake_seconds = awake.predicted_seconds / 4;
    const PlanValue late = plan(sizes(64, 256, 256));
    EXPECT_GT(late.steps[0].range.global[1], awake.steps[0].range.global[1]);
    EXPECT_LT(late.predicted_seconds, 1.2 * awake.predicted_seconds);
}

/// Its one way with edges is its own.
TEST_F(PackedPlan, EdgesCannotBeChosen) {
    for (const EdgeStrategy edges : {EdgeStrategy::padding, EdgeStrategy::guarded,
                                     EdgeStrategy::pointer_shift, EdgeStrategy::extension}) {
        options_.edges = edges;
        EXPECT_THROW(plan(sizes(64, 48, 40)), UnsupportedError);
    }
    options_.edges = EdgeStrategy::none;
    EXPECT_EQ(passes_of(plan(sizes(64, 48, 40))), alone);
}

TEST_F(PackedPlan, TooManyLaunchesAreAnObstacle) {
    options_.repack = Repack::always;
    Problem problem = sizes(64, std::int64_t{1} << 20, std::int64_t{1} << 17);
    problem.transpose_b = Transpose::yes;
    EXPECT_THROW(plan(problem), UnsupportedError);
}

TEST_F(PackedPlan, SizesNearTheLimitsOverflowNothing) {
    options_.repack = Repack::always;
    constexpr std::int64_t huge = std::int64_t{1} << 40;
    Problem problem = sizes(16, huge, 64);
    problem.transpose_b = Transpose::yes;
    EXPECT_THROW(plan(problem), UnsupportedError);
    options_.split_k = 64;
    problem = sizes(1, 1, 1);
    problem.batch_count = std::int64_t{1} << 60;
    EXPECT_THROW(plan(problem), UnsupportedError);
    options_.split_k = 2;
    problem = sizes(16, 16, huge);
    problem.transpose_b = Transpose::yes;
    EXPECT_THROW(plan(problem), UnsupportedError);
}

TEST_F(PackedPlan, KnowsTheLeadingDimensionOfAnAThatItPacks) {
    table_.rows.front().model.in_place_period = 1024;
    table_.rows.front().model.in_place_collision = 2;
    table_.machine.bandwidth = 1e9;
    options_.repack = Repack::only_a;
    const auto seconds = [&](std::int64_t lda) {
        Problem problem = native(4096, 1, 1024);
        problem.transpose_b = Transpose::no;
        problem.lda = lda;
        return best(problem, options_).predicted_seconds;
    };
    EXPECT_GT(seconds(4096), 2 * seconds(4112));
}

} // namespace
} // namespace libsgemm::planning
