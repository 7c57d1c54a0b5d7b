// SPDX-License-Identifier: Apache-2.0
// Which precision gets which plan, and what plans of FP32 emulation hold.
#include "context/plan_memo.hpp"
#include "plan/precision.hpp"
#include "sgemm/error.hpp"
#include "support/define_of.hpp"
#include "unit/h200_plan_fixture.hpp"

#include <algorithm>

namespace libsgemm::planning {
namespace {

using sgemm_test::define_of;

constexpr Precision all_precisions[] = {Precision::strict, Precision::emulated, Precision::fp16x2,
                                        Precision::tf32x3, Precision::bf16x3};

class EmulatedPlan : public H200PlanTest {
protected:
    /// Emulation by ordinary code, scanned and packed in one launch where that is possible, a
    /// strict kernel behind it.
    static ExpertPlanOptions packed_in_one_launch() {
        ExpertPlanOptions options;
        options.kernel = "emulated_fp16";
        options.split_k = 1;
        options.parameters = {{"units", 0},         {"tile_m", 64},         {"tile_n", 64},
                              {"pack_launches", 1}, {"strict_launches", 1}, {"shares", 1}};
        return options;
    }
};

TEST_F(EmulatedPlan, StrictNeverSplits) {
    for (const std::int64_t size : {64, 1000, 8192}) {
        for (const PlanValue& plan : rank(problem(size, size, size, Precision::strict)).plans) {
            EXPECT_EQ(plan.precision, Precision::strict) << plan.to_string();
            EXPECT_EQ(plan.bound_terms, static_cast<double>(size + 4));
        }
    }
}

/// Whatever strict may have, skinny rests peeled off too.
TEST_F(EmulatedPlan, EmulatedIsNeverPredictedSlowerThanStrict) {
    bool peeled = false;
    for (const std::int64_t m : {1, 35, 300, 2049}) {
        for (const std::int64_t n : {16, 2049, 8457}) {
            for (const std::int64_t k : {4096, 513}) {
                const auto fastest = [&](Precision precision) {
                    return rank(problem(m, n, k, precision)).plans.front();
                };
                const PlanValue strict = fastest(Precision::strict);
                EXPECT_LE(fastest(Precision::emulated).predicted_seconds, strict.predicted_seconds)
                    << m << "x" << n << "x" << k << ": " << strict.to_string();
                peeled = peeled || strict.variant.peeled;
            }
        }
    }
    EXPECT_TRUE(peeled) << "no strict plan with a rest: nothing is compared";
}

TEST_F(EmulatedPlan, EmulatedSplitsWhatIsLarge) {
    EXPECT_EQ(best(4096, Precision::emulated).precision, Precision::fp16x2);
    EXPECT_EQ(best(64, Precision::emulated).precision, Precision::strict);
}

TEST_F(EmulatedPlan, TimingDecidesOnlyAmongWhatWasAskedFor) {
    const auto given = problem(4096, 4096, 4096, Precision::fp16x2);
    const Ranking before = rank(given);
    ASSERT_GT(before.as_asked, 0U);
    ASSERT_LT(before.as_asked, before.plans.size());
    for (std::size_t i = 0; i < before.plans.size(); ++i) {
        EXPECT_EQ(before.plans[i].precision == Precision::fp16x2, i < before.as_asked);
    }
    table_.choices = {{problem_class(given), before.plans.back().key()}};
    EXPECT_EQ(rank(given).plans.front().precision, Precision::fp16x2);
    EXPECT_FALSE(rank(given).first_by_timing);
    // Where nothing is named all may come first.
    for (const Precision precision : {Precision::strict, Precision::emulated}) {
        const Ranking open = rank(problem(4096, 4096, 4096, precision));
        EXPECT_EQ(open.as_asked, open.plans.size());
    }
}

TEST_F(EmulatedPlan, NamedSchemesComeFirstWhereTheyKeepTheBound) {
    for (const Precision precision : {Precision::fp16x2, Precision::tf32x3, Precision::bf16x3}) {
        EXPECT_EQ(best(256, precision).precision, precision);
        EXPECT_EQ(best(4096, precision).precision, precision);
        // Too shallow: a few terms of the bound do not depend on k.
        EXPECT_EQ(rank(problem(4096, 4096, 20, precision)).plans.front().precision,
                  Precision::strict);
        // Strict plans follow, for a device on which the emulated kernel does not build.
        EXPECT_EQ(rank(problem(512, 512, 512, precision)).plans.back().precision,
                  Precision::strict);
    }
}

TEST_F(EmulatedPlan, BoundIsThatOfStrict) {
    for (const std::int64_t size : {128, 129, 1000, 16384}) {
        for (const Precision precision : all_precisions) {
            for (const PlanValue& plan : rank(problem(size, size, size, precision)).plans) {
                EXPECT_EQ(plan.bound_terms, static_cast<double>(size + 4)) << plan.to_string();
            }
        }
    }
}

TEST_F(EmulatedPlan, OtherDevicesAreStrict) {
    device_.compute_capability = 89;
    device_.architecture = "sm_89";
    device_.name = "NVIDIA L40";
    table_ = tables::built_in_table(device_);
    for (const Precision precision : all_precisions) {
        EXPECT_EQ(best(4096, precision).precision, Precision::strict);
    }
}

TEST_F(EmulatedPlan, EndsWithAStrictKernelOfOneLaunch) {
    auto given = problem(4096, 4096, 4096, Precision::fp16x2);
    given.b.major = validate::Major::mn; // nothing that launches could share
    const PlanValue plan = rank(given).plans.front();
    ASSERT_EQ(plan.steps.size(), 3U); // the table asks for one launch that scans and packs
    const Step& last = plan.steps.back();
    EXPECT_EQ(last.kind, PassKind::post_pass);
    EXPECT_EQ(last.after, std::vector<int>{1});
    EXPECT_NE(define_of(last, "CONDITIONAL"), "none");
    EXPECT_TRUE(plan.steps[1].build.architecture_specific);
    EXPECT_EQ(plan.steps[1].range.global[0], 132U * 384U); // each unit takes tile after tile
    // Both operands in as many bytes as they have, and little else.
    const double bytes = 2.0 * 4096 * 4096 * 4;
    EXPECT_GE(static_cast<double>(plan.workspace_bytes), bytes);
    EXPECT_LE(static_cast<double>(plan.workspace_bytes), 1.02 * bytes);
}

TEST_F(EmulatedPlan, SmallProductsNeedNoLaunchBehindTheirs) {
    const PlanValue small = best(2048, Precision::fp16x2);
    ASSERT_EQ(small.steps.size(), 2U) << small.to_string(); // the table asks for none
    EXPECT_EQ(define_of(small.steps[1], "STRICT_INSIDE"), "1");
    EXPECT_EQ(small.strategy, "packed, else strict in the same launch");
    const PlanValue over = rank(problem(2048, 2048, 4097, Precision::fp16x2)).plans.front();
    EXPECT_EQ(define_of(over.steps[1], "STRICT_INSIDE"), "0");
    auto two = problem(2048, 2048, 2048, Precision::fp16x2);
    two.batch = 2;
    two.a.batch_stride = two.b.batch_stride = two.c.batch_stride = 2048 * 2048;
    EXPECT_EQ(define_of(rank(two).plans.front().steps[2], "STRICT_INSIDE"), "1");
    two.batch = 3;
    EXPECT_EQ(define_of(rank(two).plans.front().steps[2], "STRICT_INSIDE"), "0");
    ExpertPlanOptions behind;
    behind.kernel = "emulated_fp16";
    behind.parameters = {{"units", 1}, {"tile_m", 128}, {"tile_n", 256}, {"strict_launches", 1}};
    EXPECT_EQ(
        rank(problem(512, 512, 512, Precision::fp16x2), behind).plans.front().steps.back().kind,
        PassKind::post_pass);
    auto transposed = problem(4096, 4096, 4096, Precision::fp16x2);
    transposed.b.major = validate::Major::mn;
    const PlanValue large = rank(transposed).plans.front();
    EXPECT_EQ(define_of(large.steps[1], "STRICT_INSIDE"), "0");
    // The arguments of the operands themselves: k, and of each buffer, offset, ld, stride, major.
    EXPECT_EQ(small.steps[1].arguments.size(), large.steps[1].arguments.size() + 11);
    // Partial sums are added whoever computed them.
    ExpertPlanOptions options;
    options.kernel = "emulated_fp16";
    options.split_k = 4;
    const PlanValue deep = rank(problem(512, 512, 16384, Precision::fp16x2), options).plans.front();
    ASSERT_EQ(deep.steps.size(), 3U) << deep.to_string();
    EXPECT_NE(define_of(deep.steps[2], "CONDITIONAL"), "1");
}

TEST_F(EmulatedPlan, FewTilesAreMultipliedBySplitK) {
    const auto deep = [&](std::int64_t k) {
        return rank(problem(1024, 1024, k, Precision::emulated)).plans.front();
    };
    const PlanValue plan = deep(16416); // not so small that strict stands inside
    EXPECT_EQ(deep(16384).steps.size(), 3U);
    ASSERT_EQ(plan.precision, Precision::fp16x2);
    ASSERT_EQ(plan.steps.size(), 4U) << plan.to_string();
    EXPECT_NE(plan.to_string().find("split-K"), std::string::npos) << plan.to_string();
    EXPECT_GT(plan.steps[1].range.global[0], 64U * 384U); // more than there are tiles of 128 x 256
    EXPECT_EQ(plan.steps[2].build.name, "reduce");
    EXPECT_EQ(plan.steps[2].after, std::vector<int>{1});
    EXPECT_EQ(plan.steps[3].after, std::vector<int>{2});
    EXPECT_EQ(plan.bound_terms, 16416 + 4);
    EXPECT_EQ(best(2048, Precision::emulated).steps.size(), 2U); // enough tiles, or too shallow
    EXPECT_EQ(best(4096, Precision::emulated).steps.size(), 4U); // two shares
}

TEST_F(EmulatedPlan, OneLaunchScansAndPacksWhereItIsAskedTo) {
    const ExpertPlanOptions options = packed_in_one_launch();
    const auto steps = [&](std::int64_t size, std::int64_t batch) {
        auto given = problem(size, size, size, Precision::fp16x2);
        given.batch = batch;
        given.a.batch_stride = given.b.batch_stride = given.c.batch_stride =
            batch > 1 ? size * size : 0;
        return rank(given, options).plans.front().steps;
    };
    ASSERT_EQ(steps(2048, 1).size(), 3U);
    EXPECT_EQ(steps(2048, 1).front().build.name, "emulated_scan_pack");
    EXPECT_EQ(steps(2048, 2).size(), 4U);
    EXPECT_EQ(steps(10000, 1).size(), 3U);
    EXPECT_EQ(steps(70000, 1).size(), 4U); // too many slots
    const auto deep = [&](std::int64_t rows, std::int64_t k) {
        return rank(problem(rows, rows, k, Precision::fp16x2), options).plans.front().steps.size();
    };
    EXPECT_EQ(deep(128, 4096), 3U);
    EXPECT_EQ(deep(128, 4097),
              4U); // groups for too few units, which would take their rounds one by one
    EXPECT_EQ(deep(512, 16384), 3U);
    const auto wide = [&](std::int64_t k, Precision scheme) {
        return rank(problem(1024, 1024, k, scheme)).plans.front().steps.size();
    };
    EXPECT_EQ(wide(2049, Precision::tf32x3), 2U);
    EXPECT_EQ(wide(2048, Precision::bf16x3), 2U);
    EXPECT_EQ(wide(2049, Precision::bf16x3),
              3U);                           // nothing is to be scanned: two launches cost little
    const auto bytes = [&](std::int64_t k) { // of values, read and written as parts, by element
        auto given = problem(1024, 1024, k, Precision::fp16x2);
        const Step step = rank(given, options).plans.front().steps.front();
        return std::get<PassWork>(step.work).bytes / static_cast<double>(2048 * k);
    };
    EXPECT_EQ(bytes(1024), 8); // each value is read once
    EXPECT_EQ(bytes(16384), 8);
    device_.max_work_group_size = 256;
    EXPECT_EQ(steps(2048, 1).size(), 4U);
}

TEST_F(EmulatedPlan, WorkGroupsThatPackFollowTheDepthAndTheirNumber) {
    const ExpertPlanOptions options = packed_in_one_launch();
    const auto pass = [&](std::int64_t rows, std::int64_t k) {
        return rank(problem(rows, rows, k, Precision::fp16x2), options).plans.front().steps.front();
    };
    const auto shape = [&](std::int64_t rows, std::int64_t k) {
        const Step step = pass(rows, k);
        EXPECT_EQ(std::to_string(step.range.local[0]), define_of(step, "ITEMS"));
        EXPECT_EQ(step.range.global[0] / step.range.local[0],
                  static_cast<std::size_t>(2 * rows / 8));
        return define_of(step, "ITEMS") + "x" + define_of(step, "VALUES");
    };
    const std::int64_t few = 8 * device_.compute_units / 128 * 128; // rows of either operand
    EXPECT_EQ(shape(few, 512), "128x32");
    EXPECT_EQ(shape(few, 513), "128x48");
    EXPECT_EQ(shape(few, 768), "128x48");
    EXPECT_EQ(shape(few, 769), "128x32");
    EXPECT_EQ(shape(few, 1024), "128x32");
    EXPECT_EQ(shape(few, 1025), "512x16");
    EXPECT_EQ(shape(few, 4096), "512x16");
    EXPECT_EQ(shape(few, 4097), "512x32");
    EXPECT_EQ(shape(few + 128, 3072), "512x16");
    EXPECT_EQ(shape(few + 128, 3073), "512x32");

    device_.max_work_group_size = 256;
    EXPECT_EQ(pass(few, 1024).build.name, "emulated_scan_pack");
    EXPECT_EQ(pass(few, 1025).build.name, "emulated_scan");
}

TEST_F(EmulatedPlan, BoundsKnowOfRounds) { // docs/internals/emulation.md
    const auto terms = [](const char* name, std::int64_t k) {
        const catalog::KernelEntry& scheme = *catalog::kernel_catalog().find(name);
        return scheme.bound_terms(scheme.defaults(), k);
    };
    EXPECT_EQ(terms("emulated_fp16", 512), 16 + 118);
    EXPECT_EQ(terms("emulated_fp16", 513), 17 + 118 + 32);
    EXPECT_EQ(terms("emulated_tf32", 512), 32 + 64);
    EXPECT_EQ(terms("emulated_tf32", 513), 33 + 64 + 10);
    EXPECT_EQ(terms("emulated_bf16", 513), 33 + 45);
}

TEST_F(EmulatedPlan, TilesFitTheUnitsRegisters) {
    const catalog::KernelEntry& scheme = *catalog::kernel_catalog().find("emulated_fp16");
    const auto fits = [&](int units, int m, int n) {
        catalog::Parameters parameters = scheme.defaults();
        parameters.set("units", units);
        parameters.set("tile_m", m);
        parameters.set("tile_n", n);
        return catalog::obstacles(scheme, parameters, device_).empty();
    };
    for (const int m : {64, 96, 128, 144, 192}) {
        EXPECT_TRUE(fits(1, m, 64)) << m;
        EXPECT_EQ(fits(1, m, 128), m <= 128) << m;
        EXPECT_EQ(fits(1, m, 256), m == 128) << m;
        EXPECT_EQ(fits(0, m, 64), 128 % m == 0) << m;
    }
    EXPECT_FALSE(fits(1, 160, 64));
    EXPECT_FALSE(fits(1, 32, 64));
}

/// Rows of packed operands are multiples of 128, which the rows of these tiles are not.
TEST_F(EmulatedPlan, TilesOfAnyRowsReadTheSamePackedOperands) {
    ExpertPlanOptions options;
    options.kernel = "emulated_fp16";
    options.split_k = 1;
    options.parameters = {{"units", 1}, {"tile_n", 64}, {"stages", 4}};
    const auto plan = [&](int tile_m) {
        options.parameters["tile_m"] = tile_m;
        return rank(problem(1000, 512, 1024, Precision::fp16x2), options).plans.front();
    };
    const std::size_t bytes = plan(128).workspace_bytes;
    for (const auto& [tile_m, tiles] : {std::pair{64, 16U}, {96, 11U}, {144, 7U}, {192, 6U}}) {
        const PlanValue tiled = plan(tile_m);
        EXPECT_EQ(tiled.workspace_bytes, bytes) << tile_m;
        EXPECT_EQ(tiled.steps[1].range.global[0], std::min(tiles * 8U, 132U) * 384U) << tile_m;
    }
}

TEST_F(EmulatedPlan, TilesOf64ColumnsEmployMoreUnits) {
    ExpertPlanOptions options;
    options.kernel = "emulated_fp16";
    options.split_k = 1;
    options.parameters = {{"units", 1}, {"tile_m", 128}, {"stages", 6}};
    const auto plan = [&](int tile_n, std::int64_t n, std::int64_t k) {
        options.parameters["tile_n"] = tile_n;
        return rank(problem(1024, n, k, Precision::fp16x2), options).plans.front();
    };
    EXPECT_EQ(plan(128, 1024, 1024).steps[1].range.global[0], 64U * 384U);
    EXPECT_EQ(plan(64, 1024, 1024).steps[1].range.global[0], 128U * 384U);
    // The same packed operands, and the same bound, but for a single chain.
    EXPECT_EQ(plan(64, 1000, 96).workspace_bytes, plan(128, 1000, 96).workspace_bytes);
    EXPECT_EQ(plan(64, 1000, 96).bound_terms, plan(128, 1000, 96).bound_terms);
    EXPECT_EQ(plan(64, 1000, 32).bound_terms, plan(128, 1000, 32).bound_terms + 1);
    // More stages than local memory holds.
    options.parameters["stages"] = 8;
    EXPECT_THROW(plan(64, 1024, 1024), UnsupportedError);
}

TEST_F(EmulatedPlan, SharedOperandsArePackedOnce) {
    auto shared = problem(512, 512, 512, Precision::fp16x2);
    shared.batch = 8;
    shared.a.batch_stride = 512 * 512;
    shared.c.batch_stride = 512 * 512;
    ExpertPlanOptions options;
    options.kernel = "emulated_fp16";
    const auto one_shared = rank(shared, options).plans.front();
    shared.b.batch_stride = 512 * 512;
    const auto none_shared = rank(shared, options).plans.front();
    ASSERT_EQ(one_shared.precision, Precision::fp16x2);
    EXPECT_LT(static_cast<double>(one_shared.workspace_bytes),
              0.6 * static_cast<double>(none_shared.workspace_bytes));
}

TEST_F(EmulatedPlan, HugeProblemsDoNotOverflow) {
    constexpr std::int64_t huge = std::int64_t{1} << 29U;
    for (const auto& given :
         {problem(huge, 4, 4, Precision::fp16x2), problem(4, huge, 256, Precision::fp16x2),
          problem(300000000, 300000000, 1, Precision::bf16x3)}) {
        EXPECT_NO_THROW(rank(given));
    }
}

TEST_F(EmulatedPlan, ForcedSchemesSayTheirOwnBound) {
    ExpertPlanOptions options;
    options.kernel = "emulated_fp16";
    options.parameters = {{"units", 0}, {"tile_m", 64}, {"tile_n", 64}};
    const auto plan = rank(problem(100, 100, 1, Precision::strict), options).plans.front();
    EXPECT_EQ(plan.precision, Precision::fp16x2);
    EXPECT_GT(plan.bound_terms, 5);
    options.parameters["tile_n"] = 96;
    EXPECT_THROW(rank(problem(100, 100, 1, Precision::strict), options), UnsupportedError);
}

TEST_F(EmulatedPlan, PrecisionTellsProblemsApart) {
    const detail::PlanKey strict{problem(64, 64, 64, Precision::strict), true};
    detail::PlanMemo<int> memo;
    memo.insert(strict, 1);
    for (const Precision precision : all_precisions) {
        const detail::PlanKey key{problem(64, 64, 64, precision), true};
        EXPECT_EQ(memo.find(key).has_value(), precision == Precision::strict);
        EXPECT_EQ(problem_class(key.problem) == problem_class(strict.problem),
                  precision == Precision::strict);
    }
}

TEST(Precision, NamesAreTheirOwnInverse) {
    for (const Precision precision : all_precisions) {
        EXPECT_EQ(parse_precision(precision_name(precision)), precision);
    }
    EXPECT_FALSE(parse_precision("double"));
    EXPECT_FALSE(parse_precision(""));
}

/// A matrix of which few columns are read: to scan and pack it takes longer than to multiply.
TEST_F(EmulatedPlan, FewColumnsAreMultipliedWithoutAPassBefore) {
    for (const std::int64_t m : {4096, 32000}) {
        const PlanValue plan = rank(problem(m, 128, 4096, Precision::emulated)).plans.front();
        EXPECT_EQ(plan.kernel->name, "emulated_fp16_direct");
        EXPECT_EQ(plan.precision, Precision::fp16x2);
        EXPECT_EQ(plan.steps.size(), 1U);
        EXPECT_EQ(plan.bound_terms, 4100) << "that of strict, as of every plan";
        EXPECT_TRUE(plan.steps.front().build.architecture_specific);
    }
    EXPECT_NE(best(2048, Precision::emulated).kernel->name, "emulated_fp16_direct");
}

TEST_F(EmulatedPlan, WhatSplitsItselfHasNeitherPassesNorAStrictKernelBehind) {
    ExpertPlanOptions options;
    options.kernel = "emulated_fp16_direct";
    options.parameters = {{"units", 1}};
    options.split_k = 3;
    options.reduction = SplitKReduction::pass;
    const PlanValue divided =
        rank(problem(300, 200, 900, Precision::fp16x2), options).plans.front();
    ASSERT_EQ(divided.steps.size(), 2U);
    EXPECT_EQ(divided.steps.back().build.name, "reduce");
    options.reduction = SplitKReduction::fused;
    const PlanValue summed = rank(problem(300, 200, 900, Precision::fp16x2), options).plans.front();
    ASSERT_EQ(summed.steps.size(), 1U);
    EXPECT_TRUE(summed.counts);
    EXPECT_EQ(summed.precision, Precision::fp16x2);
}

TEST_F(EmulatedPlan, ItsBoundIsKeptFromWhereItIsOffered) {
    const catalog::KernelEntry& entry = *catalog::kernel_catalog().find("emulated_fp16_direct");
    const auto is_offered = [&](std::int64_t k) {
        const Ranking ranking = rank(problem(512, 512, k, Precision::fp16x2));
        return std::any_of(ranking.plans.begin(), ranking.plans.end(),
                           [&](const PlanValue& plan) { return plan.kernel == &entry; });
    };
    EXPECT_FALSE(is_offered(100));
    for (const std::int64_t k : {128, 512, 4096, 100000}) {
        EXPECT_TRUE(is_offered(k)) << k;
        EXPECT_LE(entry.bound_terms(entry.defaults(), k), static_cast<double>(k + 4)) << k;
    }
}

} // namespace
} // namespace libsgemm::planning
