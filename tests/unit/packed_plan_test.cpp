// SPDX-License-Identifier: Apache-2.0
// Which operands a kernel over panels gets packed, in how many launches, and at what predicted price.
#include "plan/packed_cost.hpp"
#include "plan/packed_plan.hpp"
#include "sgemm/error.hpp"
#include "unit/planner_fixture.hpp"

#include <algorithm>
#include <map>

namespace sgemm::planning {
namespace {

using Passes = std::vector<std::string>;
using Kind = Argument::Kind;

Passes passes_of(const PlanValue& plan) {
    Passes names;
    for (const Step& step : plan.steps) {
        names.push_back(step.build.name);
    }
    return names;
}

std::string define_of(const Step& step, const std::string& name) {
    for (const auto& [key, value] : step.build.defines) {
        if (key == name) {
            return value;
        }
    }
    return "none";
}

/// Plans of a kernel with panels of 16 rows of A and 4 columns of B, work-groups of 32 x 16.
class PackedPlan : public sgemm_test::PlannerTest {
protected:
    static catalog::KernelEntry over_panels() {
        static constexpr int depths[] = {16, 64, 1024};
        catalog::KernelEntry entry;
        entry.name = "panels";
        entry.source = "panels.cl";
        entry.function = "panels";
        entry.parameters = {{"depth", "", 1024, depths, "steps of a launch"}};
        entry.a = catalog::Accepts::mn_major;
        entry.b = catalog::Accepts::either;
        entry.edges = catalog::Edges::any_size;
        entry.split_k = true;
        entry.panels = true;
        entry.tile = [](const catalog::Parameters&) {
            catalog::TileShape tile;
            tile.m = 32;
            tile.n = 16;
            tile.k = 16;
            tile.panel_m = 16;
            tile.panel_n = 4;
            return tile;
        };
        return entry;
    }

    PackedPlan() {
        catalog_ = catalog::KernelCatalog({any_size(), over_panels()});
        table_.rows.clear();
        add_row("panels", 0.5);
        options_.kernel = "panels";
    }
    static Problem sizes(std::int64_t m, std::int64_t n, std::int64_t k) {
        Problem problem;
        problem.m = m;
        problem.n = n;
        problem.k = k;
        return problem;
    }
    PlanValue plan(const Problem& problem) const { return best(problem, options_); }

    PlanOptions options_;
};

TEST_F(PackedPlan, OperandsThatLieWellAreReadInPlace) {
    const PlanValue p = plan(sizes(64, 48, 40));
    EXPECT_EQ(passes_of(p), Passes{"panels"});
    EXPECT_EQ(p.workspace_bytes, 0U);
    EXPECT_EQ(p.strategy, "in place");
    EXPECT_EQ(define_of(p.steps[0], "A_PACKED"), "0");
    EXPECT_EQ(define_of(p.steps[0], "B_PACKED"), "0");
    EXPECT_EQ(define_of(p.steps[0], "B_K_MAJOR"), "1");
}

TEST_F(PackedPlan, WhatTheKernelCannotReadIsPacked) {
    Problem problem = sizes(64, 48, 40);
    problem.transpose_a = Transpose::yes;
    const PlanValue p = plan(problem);
    EXPECT_EQ(passes_of(p), (Passes{"pack_turned", "panels"}));
    EXPECT_EQ(p.strategy, "packing");
    EXPECT_EQ(define_of(p.steps[1], "A_PACKED"), "1");
    EXPECT_EQ(define_of(p.steps[1], "A_K_MAJOR"), "0");
    EXPECT_EQ(p.workspace_bytes, 4U * 64 * 40);
}

TEST_F(PackedPlan, AnOperandThatDoesNotFillAPanelIsPacked) {
    EXPECT_EQ(passes_of(plan(sizes(15, 48, 40))), (Passes{"pack", "panels"}));
    EXPECT_EQ(passes_of(plan(sizes(16, 48, 40))), Passes{"panels"});
    EXPECT_EQ(passes_of(plan(sizes(64, 3, 40))), (Passes{"pack_turned", "panels"}));
    EXPECT_EQ(passes_of(plan(sizes(64, 4, 40))), Passes{"panels"});
}

TEST_F(PackedPlan, RelayForcesOrForbidsPacking) {
    options_.relay = Relay::always;
    EXPECT_EQ(passes_of(plan(sizes(64, 48, 40))), (Passes{"pack_turned", "pack", "panels"}));
    options_.relay = Relay::never;
    table_.rows[0].model.in_place_period = 8;
    table_.rows[0].model.in_place_collision = 100;
    EXPECT_EQ(passes_of(plan(sizes(64, 48, 40))), Passes{"panels"});
}

TEST_F(PackedPlan, CrowdedCacheSetsMakePackingPay) {
    table_.machine.launch_seconds = 0;
    table_.rows[0].model.in_place_period = 1024;
    table_.rows[0].model.in_place_collision = 1.5;
    Problem problem = sizes(1024, 1024, 1024);
    EXPECT_EQ(passes_of(plan(problem)), (Passes{"pack", "panels"}));
    problem.lda = 1040;
    EXPECT_EQ(passes_of(plan(problem)), Passes{"panels"});
}

TEST_F(PackedPlan, PartsOfKAddToCAndReuseTheirPanels) {
    options_.split_k = 1;
    options_.parameters["depth"] = 16;
    Problem problem = sizes(64, 48, 48);
    problem.transpose_a = Transpose::yes;
    const PlanValue p = plan(problem);
    EXPECT_EQ(passes_of(p),
              (Passes{"pack_turned", "panels", "pack_turned", "panels", "pack_turned", "panels"}));
    EXPECT_EQ(p.workspace_bytes, 4U * 64 * 16);
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

/// Panels of a huge product are never a copy of it: 32 MiB an operand.
TEST_F(PackedPlan, PanelsStayBelowTheirLimit) {
    Problem problem = sizes(100'000, 50'000, 3000);
    problem.transpose_a = Transpose::yes;
    options_.relay = Relay::always;
    const PlanValue p = plan(problem);
    EXPECT_LE(p.workspace_bytes, std::size_t{2 * most_panel_bytes});
    double elements = 0;
    for (const Step& step : p.steps) {
        if (step.kind == PassKind::main_kernel) {
            elements += static_cast<double>(step.arguments[0].value) *
                        static_cast<double>(step.arguments[1].value) *
                        static_cast<double>(step.arguments[2].value);
        }
    }
    EXPECT_EQ(elements, 1e5 * 5e4 * 3e3);
}

TEST_F(PackedPlan, LongBatchesComeInParts) {
    Problem problem = sizes(256, 256, 256);
    problem.batch_count = 1000;
    options_.relay = Relay::always;
    const PlanValue p = plan(problem);
    EXPECT_LE(p.workspace_bytes, std::size_t{2 * most_panel_bytes});
    std::size_t products = 0;
    for (const Step& step : p.steps) {
        products += step.kind == PassKind::main_kernel ? step.range.global[2] : 0;
    }
    EXPECT_EQ(products, 1000U);
}

TEST_F(PackedPlan, AMatrixThatTheBatchSharesIsPackedOnce) {
    Problem problem = sizes(64, 48, 40);
    problem.batch_count = 7;
    problem.batch_stride_a = 0;
    problem.transpose_a = Transpose::yes;
    const PlanValue p = plan(problem);
    EXPECT_EQ(p.steps.front().range.global[2], 1U);
    EXPECT_EQ(p.workspace_bytes, 4U * 64 * 40);
}

TEST_F(PackedPlan, DeepProductsOfFewElementsAreSliced) {
    options_.parameters["depth"] = 64;
    table_.machine.launch_seconds = 1e-5;
    const PlanValue p = plan(sizes(64, 48, 64 * 32));
    EXPECT_EQ(passes_of(p), (Passes{"panels", "reduce"}));
    EXPECT_EQ(define_of(p.steps[0], "SPLIT_K"), "32");
}

TEST_F(PackedPlan, TooManyLaunchesAreAnObstacle) {
    options_.split_k = 1;
    options_.parameters["depth"] = 16;
    EXPECT_THROW(plan(sizes(64, 48, 16 * 5000)), UnsupportedError);
}

TEST_F(PackedPlan, SizesNearTheLimitsOverflowNothing) {
    options_.relay = Relay::always;
    constexpr std::int64_t huge = std::int64_t{1} << 40;
    EXPECT_THROW(plan(sizes(huge, 16, 64)), UnsupportedError);
    options_.split_k = 2;
    EXPECT_THROW(plan(sizes(16, 16, huge)), UnsupportedError);
}

TEST(PredictPacked, IdleComputeUnitsAndFarOperandsCost) {
    DeviceTraits device = sgemm_test::fake_device(DeviceType::cpu);
    device.compute_units = 4;
    catalog::TileShape tile;
    tile.m = tile.n = 64;
    tile.panel_m = tile.panel_n = 16;
    tables::KernelModel kernel;
    kernel.far_in_place = 0.5;
    kernel.in_place_bytes = 1000;
    tables::MachineModel machine;
    machine.launch_seconds = 0;
    machine.bandwidth = 1e15;
    const auto seconds = [&](std::int64_t m, std::int64_t apart) {
        PackedWork work;
        work.m = m;
        work.n = 64;
        work.k = 64;
        work.apart_a = apart;
        return predict_packed(work, tile, kernel, machine, device);
    };
    EXPECT_DOUBLE_EQ(seconds(1024, 0), seconds(1009, 0)) << "register tiles are computed whole";
    EXPECT_LT(seconds(1024, 0), 16 * seconds(64, 0)) << "one work-group keeps one unit busy";
    EXPECT_DOUBLE_EQ(seconds(1024, 1024), 2 * seconds(1024, 0));
}

} // namespace
} // namespace sgemm::planning
