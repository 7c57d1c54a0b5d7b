// SPDX-License-Identifier: Apache-2.0
// Whether a kernel that packs A does, whether B is turned, in how many launches and work-groups, and at
// what predicted price.
#include "plan/packed_cost.hpp"
#include "plan/packed_plan.hpp"
#include "sgemm/error.hpp"
#include "support/define_of.hpp"
#include "unit/planner_fixture.hpp"

#include <algorithm>
#include <map>

namespace sgemm::planning {
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
        entry.split_k = true;
        entry.slices_at_launch = true;
        entry.packs = catalog::Packs::a_by_choice;
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

    PlanOptions options_;
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

TEST_F(PackedPlan, RelayForcesOrForbidsCopies) {
    Problem problem = sizes(64, 48, 40);
    problem.transpose_b = Transpose::yes;
    const auto plan_with = [&](Relay relay) {
        options_.relay = relay;
        return plan(problem);
    };
    for (const Relay relay : {Relay::always, Relay::only_b}) {
        const PlanValue p = plan_with(relay);
        EXPECT_EQ(passes_of(p), turned_first);
        EXPECT_EQ(define_of(p.steps[1], "B_K_MAJOR"), "1");
        EXPECT_EQ(define_of(p.steps[1], "A_PACKED"), relay == Relay::always ? "1" : "0");
        EXPECT_EQ(p.workspace_bytes, 4U * 48 * 48) << "columns of 40 elements, rounded up to lines";
    }
    for (const Relay relay : {Relay::never, Relay::only_a}) {
        const PlanValue p = plan_with(relay);
        EXPECT_EQ(passes_of(p), alone);
        EXPECT_EQ(define_of(p.steps[0], "B_K_MAJOR"), "0");
        EXPECT_EQ(define_of(p.steps[0], "A_PACKED"), relay == Relay::only_a ? "1" : "0");
    }
}

/// Whatever copies the caller allows: they are the kernel's own.
TEST_F(PackedPlan, AKernelThatPacksBothTakesOperandsAnyWay) {
    catalog::KernelEntry both = packing();
    both.a = catalog::Accepts::either;
    both.packs = catalog::Packs::both;
    catalog_ = catalog::KernelCatalog({any_size(), both});
    for (const Relay relay : {Relay::automatic, Relay::never, Relay::always}) {
        options_.relay = relay;
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

/// One after the other, where the caller asks for parts or B is turned in parts.
TEST_F(PackedPlan, PartsOfKAddToCAndReuseTheWorkspace) {
    options_.split_k = 1;
    options_.parts_k = 3;
    options_.relay = Relay::always;
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

/// What is turned of a huge product is never a copy of it, and its parts add up.
TEST_F(PackedPlan, TurnedPartsStayBelowTheirLimit) {
    for (const std::int64_t n : {50'000, 50'001, 8193}) {
        Problem problem = sizes(100'000, n, 3000);
        problem.transpose_b = Transpose::yes;
        options_.relay = Relay::always;
        const PlanValue p = plan(problem);
        EXPECT_LE(p.workspace_bytes, std::size_t{most_turned_bytes} * 11 / 10) << n;
        EXPECT_GT(p.workspace_bytes, std::size_t{most_turned_bytes} / 4) << n;
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

/// A part is as deep as a block, or deeper while it is small: so C is added to no more often than without parts.
TEST_F(PackedPlan, TurnedPartsAreAsDeepAsABlock) {
    options_.split_k = 1;
    options_.relay = Relay::always;
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
    // Ten blocks, as in one launch; four of them at once.
    EXPECT_EQ(depths_of(512, 10'000), (std::vector<std::int64_t>{4032, 4032, 1936}));
    options_.parameters["depth"] = 64;
    EXPECT_EQ(depths_of(40'000, 100), (std::vector<std::int64_t>{64, 36}));
}

TEST_F(PackedPlan, LongBatchesComeInParts) {
    Problem problem = sizes(256, 256, 256);
    problem.transpose_b = Transpose::yes;
    problem.batch_count = 1000;
    options_.relay = Relay::always;
    const PlanValue p = plan(problem);
    EXPECT_LE(p.workspace_bytes, std::size_t{usual_turned_bytes} * 11 / 10);
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
    options_.relay = Relay::always;
    const PlanValue p = plan(problem);
    EXPECT_EQ(p.steps.front().range.global[2], 1U);
    EXPECT_EQ(p.workspace_bytes, 4U * 48 * 48);
}

TEST_F(PackedPlan, DeepProductsOfFewElementsAreSliced) {
    options_.parameters["depth"] = 64;
    table_.machine.launch_seconds = 1e-5;
    const PlanValue p = plan(sizes(16, 4, 64 * 32));
    EXPECT_EQ(passes_of(p), (Passes{"packing", "reduce_shared"}));
    const Argument slices = p.steps[0].arguments.back();
    EXPECT_EQ(slices.kind, Kind::integer);
    EXPECT_GE(slices.value, 16);
    EXPECT_EQ(p.steps[0].range.global[2], static_cast<std::size_t>(slices.value));

    options_.split_k = 1;
    const PlanValue whole = plan(sizes(16, 4, 64 * 32));
    EXPECT_EQ(whole.steps[0].arguments.back().value, 1);
    EXPECT_EQ(whole.steps[0].build.defines, p.steps[0].build.defines) << "one program serves both";
}

/// Columns are shared out where rows alone leave compute units idle; else A would be packed too often.
TEST_F(PackedPlan, ColumnsAreSharedOutAsComputeUnitsAsk) {
    options_.split_k = 1;
    options_.relay = Relay::always;
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

/// More work-groups, at little more than the price on units that are awake.
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
    options_.relay = Relay::always;
    Problem problem = sizes(64, std::int64_t{1} << 20, std::int64_t{1} << 17);
    problem.transpose_b = Transpose::yes;
    EXPECT_THROW(plan(problem), UnsupportedError);
}

TEST_F(PackedPlan, SizesNearTheLimitsOverflowNothing) {
    options_.relay = Relay::always;
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

/// Of register tiles of 16 x 8 on one compute unit, to which memory is no limit.
class PriceOfPacked : public ::testing::Test {
protected:
    PriceOfPacked() {
        device_.compute_units = 1;
        tile_.m = tile_.panel_m = 16;
        tile_.n = tile_.panel_n = 8;
        machine_.launch_seconds = 0;
        machine_.bandwidth = 1e15;
    }
    double price(const PackedWork& work) const {
        return predict_packed(work, tile_, kernel_, machine_, device_);
    }

    DeviceTraits device_ = sgemm_test::fake_device(DeviceType::cpu);
    catalog::TileShape tile_;
    tables::KernelModel kernel_;
    tables::MachineModel machine_;
};

/// Fewer columns than a tile has are computed one by one, and each reads A again.
TEST_F(PriceOfPacked, LeadingDimensionsThatCollideCostWhatIsReadAgain) {
    kernel_.in_place_period = 1024;
    kernel_.in_place_collision = 3;
    const auto slowdown = [&](std::int64_t n) {
        PackedWork work;
        work.m = 1024;
        work.n = n;
        work.k = 4096;
        work.vector_width = 8;
        work.apart_a = 1000;
        const double usual = price(work);
        work.apart_a = 1024;
        return price(work) / usual;
    };
    EXPECT_DOUBLE_EQ(slowdown(1), 1) << "read once";
    EXPECT_GT(slowdown(2), 2.5);
    EXPECT_GT(slowdown(7), 2.5);
    EXPECT_DOUBLE_EQ(slowdown(8), 1) << "one tile reads it once";
    EXPECT_GT(slowdown(16), 2.5);
}

/// What is asked for ahead of time crowds the same sets, whether A is packed or not, and however often it is read.
TEST_F(PriceOfPacked, MemoryIsSlowerWhereLeadingDimensionsCollide) {
    kernel_.in_place_period = 1024;
    kernel_.in_place_collision = 1.5;
    machine_.bandwidth = 1e6;
    for (const bool pack_a : {false, true}) {
        const auto seconds = [&](std::int64_t apart_a) {
            PackedWork work;
            work.m = work.k = 4096;
            work.n = 1;
            work.pack_a = pack_a;
            work.apart_a = apart_a;
            return price(work);
        };
        EXPECT_NEAR(seconds(1024) / seconds(1040), 1.5, 0.1);
        EXPECT_NEAR(seconds(2048) / seconds(1040), 1.5 * 1.5, 0.2);
        EXPECT_EQ(seconds(0), seconds(1040)) << "along k";
        EXPECT_NEAR(seconds(1 << 20) / seconds(1040), 2.5, 0.3) << "no more than was measured";
    }
}

TEST_F(PriceOfPacked, UncachedOperandsSlowItDown) {
    PackedWork work;
    work.m = work.n = work.k = 512;
    const double cached = price(work);
    kernel_.uncached_factor = 0.5;
    kernel_.cached_bytes = 4.0 * 512 * 512; // half of A and B
    EXPECT_NEAR(price(work) / cached, 1.5, 1e-2);
}

/// Each work-group along m packs all of B that it meets, for as many panels as it has; and they have equally many.
TEST_F(PriceOfPacked, EveryWorkGroupPacksB) {
    machine_.transpose_bandwidth = 1e9;
    tile_.m = 4 * tile_.panel_m;
    PackedWork work;
    work.n = 1024;
    work.k = 256;
    work.pack_b = true;
    const auto packing_b = [&](std::int64_t panels) {
        work.m = panels * tile_.panel_m;
        PackedWork in_place = work;
        in_place.pack_b = false;
        return price(work) - price(in_place);
    };
    const double once = 4.0 * 1024 * 256 / 2e9;
    EXPECT_NEAR(packing_b(1), once, 1e-9);
    EXPECT_NEAR(packing_b(4), once, 1e-9);
    EXPECT_NEAR(packing_b(5), 2 * once, 1e-9);
    work.b_k_major = true;
    kernel_.k_major_b = 0.5;
    EXPECT_NEAR(packing_b(4), 2 * once, 1e-9);
}

/// Fewer sums than two units have in flight take as long as those.
TEST_F(PriceOfPacked, TilesOfFewSumsTakeAsLongAsEight) {
    device_.native_vector_width = 8;
    tile_.m = tile_.panel_m = 64;
    tile_.n = tile_.panel_n = 4;
    PackedWork work;
    work.vector_width = 8;
    work.n = 4;
    work.k = 1 << 20;
    const auto rows = [&](std::int64_t m) {
        work.m = m;
        return price(work);
    };
    EXPECT_NEAR(rows(8) / rows(64), 8.0 / 32, 1e-3) << "four sums";
    EXPECT_NEAR(rows(16) / rows(64), 8.0 / 32, 1e-3);
    EXPECT_NEAR(rows(32) / rows(64), 16.0 / 32, 1e-3);
    work.vector_width = 16; // of two registers each
    EXPECT_NEAR(rows(16) / rows(64), 8.0 / 32, 1e-3);
    // A column by itself: all vectors of a tile, for any number of rows.
    work.n = 1;
    EXPECT_NEAR(rows(8), rows(64), 1e-9);
    work.vector_width = 8;
    tile_.m = tile_.panel_m = 16;
    EXPECT_NEAR(
        rows(16),
        [&] {
            work.n = 4;
            return rows(16);
        }(),
        1e-9)
        << "two sums, and eight";
}

TEST_F(PackedPlan, KnowsTheLeadingDimensionOfAnAThatItPacks) {
    table_.rows.front().model.in_place_period = 1024;
    table_.rows.front().model.in_place_collision = 2;
    table_.machine.bandwidth = 1e9;
    options_.relay = Relay::only_a;
    const auto seconds = [&](std::int64_t lda) {
        Problem problem = native(4096, 1, 1024);
        problem.transpose_b = Transpose::no;
        problem.lda = lda;
        return best(problem, options_).predicted_seconds;
    };
    EXPECT_GT(seconds(4096), 2 * seconds(4112));
}

TEST(PredictPacked, IdleComputeUnitsAndFarOperandsCost) {
    DeviceTraits device = sgemm_test::fake_device(DeviceType::cpu);
    device.compute_units = 4;
    catalog::TileShape tile;
    tile.m = 64;
    tile.n = tile.panel_m = tile.panel_n = 16;
    tables::KernelModel kernel;
    kernel.far_in_place = 0.5;
    kernel.in_place_bytes = 200'000;
    kernel.in_place_bytes_b = 400'000;
    tables::MachineModel machine;
    machine.launch_seconds = 0;
    machine.bandwidth = 1e15;
    const auto seconds = [&](std::int64_t m, std::int64_t apart_a, std::int64_t n = 64,
                             std::int64_t apart_b = 0) {
        PackedWork work;
        work.m = m;
        work.n = n;
        work.k = 64;
        work.vector_width = 8;
        work.apart_a = apart_a;
        work.apart_b = apart_b;
        return predict_packed(work, tile, kernel, machine, device);
    };
    EXPECT_DOUBLE_EQ(seconds(1024, 0), seconds(1023, 0)) << "rows are computed by whole vectors";
    EXPECT_LT(seconds(1024, 0), 16 * seconds(64, 0)) << "one work-group keeps one unit busy";
    EXPECT_NEAR(seconds(1024, 1024) / seconds(1024, 0), 2, 1e-3);
    EXPECT_DOUBLE_EQ(seconds(64, 0, 1024, 1024), seconds(64, 0, 1024))
        << "B has a limit of its own";
    EXPECT_NEAR(seconds(64, 0, 2048, 2048) / seconds(64, 0, 2048), 2, 1e-3);
    kernel.in_place_bytes_b = 0;
    EXPECT_NEAR(seconds(64, 0, 1024, 1024) / seconds(64, 0, 1024), 2, 1e-3) << "or that of A";
    device.compute_units = 1;
    EXPECT_LT(seconds(1016, 0), seconds(1017, 0));
}

/// Of an odd number the first of two units takes one work-group more.
TEST(PredictPacked, TheFirstUnitsShareIsRoundedUp) {
    DeviceTraits device = sgemm_test::fake_device(DeviceType::cpu);
    device.compute_units = 2;
    catalog::TileShape tile;
    tile.m = tile.n = tile.panel_m = tile.panel_n = 16;
    tables::MachineModel machine;
    machine.launch_seconds = 0;
    machine.bandwidth = 1e15;
    PackedWork work;
    work.n = work.k = 64;
    work.vector_width = 16;
    const auto seconds = [&](std::int64_t groups_m, std::int64_t groups_n) {
        work.m = 16 * groups_m;
        work.groups_n = groups_n;
        return predict_packed(work, tile, {}, machine, device);
    };
    EXPECT_NEAR(seconds(9, 1) / seconds(10, 1), 1, 1e-9);
    EXPECT_NEAR(seconds(9, 2) / seconds(10, 2), 0.9, 1e-9);
    EXPECT_NEAR(seconds(9, 3) / seconds(10, 1), 1.15, 1e-9)
        << "the first 14 work-groups: 9 of two tiles, 5 of one";
}

/// Few work-groups end late with the unit that begins late; many even out.
TEST(PredictPacked, MoreWorkGroupsHelpWhereUnitsBeginLate) {
    DeviceTraits device = sgemm_test::fake_device(DeviceType::cpu);
    device.compute_units = 2;
    catalog::TileShape tile;
    tile.m = tile.n = tile.panel_m = tile.panel_n = 16;
    tables::MachineModel machine;
    machine.launch_seconds = 0;
    machine.bandwidth = 1e15;
    PackedWork work;
    work.m = 16;
    work.n = 16 * 64;
    work.k = 64;
    work.vector_width = 16;
    const auto seconds = [&](std::int64_t groups_n, double wake_seconds) {
        work.groups_n = groups_n;
        machine.wake_seconds = wake_seconds;
        return predict_packed(work, tile, {}, machine, device);
    };
    const double half = seconds(2, 0);
    const double near = 1e-9 * half;
    EXPECT_NEAR(seconds(64, 0), half, near) << "all begin at once";
    EXPECT_NEAR(seconds(1, half / 4), 2 * half, near) << "nobody to wait for";
    EXPECT_NEAR(seconds(2, half / 4), 1.125 * half, near) << "more than its share of the lateness";
    EXPECT_NEAR(seconds(64, half / 4), (1 + 1.0 / 64) * half, near) << "half a group";
    EXPECT_NEAR(seconds(64, 8 * half), half, near) << "no less than on units that are awake";
    device.compute_units = 1;
    EXPECT_NEAR(seconds(64, half / 4), 2 * half, near) << "nobody is late";
    device.compute_units = 4;
    EXPECT_NEAR(seconds(64, half / 4), (0.5 + 1.0 / 64) * half, near);
}

} // namespace
} // namespace sgemm::planning
