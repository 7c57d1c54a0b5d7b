// SPDX-License-Identifier: Apache-2.0
// Where the kernel `ring` may run, and what its plans ask of compiler and launch.
#include "compile/program_cache.hpp"
#include "device/limits.hpp"
#include "support/main_step.hpp"
#include "unit/nvidia_kernels.hpp"
#include "unit/planner_fixture.hpp"

#include <algorithm>

namespace libsgemm {
namespace {

using catalog::KernelEntry;
using catalog::Parameters;
using sgemm_test::nvidia;

const KernelEntry& ring() {
    return *catalog::kernel_catalog().find("ring");
}

Parameters with(const sgemm_test::Changes& changes) {
    return sgemm_test::changed(ring().defaults(), changes);
}

/// 8 x 16 per work-item, 128 x 256 per work-group.
Parameters large(const sgemm_test::Changes& changes) {
    return sgemm_test::changed(with({{"tile_n", 256}, {"work_per_item_n", 16}, {"stages", 8}}),
                               changes);
}

bool ring_runs(const Parameters& parameters, const DeviceTraits& device) {
    return sgemm_test::runs(ring(), parameters, device);
}
bool ring_is_refused_for(const Parameters& parameters, const DeviceTraits& device,
                         const std::string& reason) {
    return sgemm_test::is_refused_for(ring(), parameters, device, reason);
}

TEST(Ring, WaysToCopyNeedTheirComputeCapability) {
    EXPECT_TRUE(ring_runs(with({}), sgemm_test::fake_device()));
    for (const int way : {1, 2, 3}) {
        EXPECT_TRUE(ring_is_refused_for(with({{"copy", way}}), sgemm_test::fake_device(),
                                        "needs cp.async"));
        EXPECT_FALSE(ring_runs(with({{"copy", way}}), nvidia(75)));
        EXPECT_EQ(ring_runs(with({{"copy", way}}), nvidia(80)), way == 1);
        EXPECT_EQ(ring_runs(with({{"copy", way}}), nvidia(89)), way == 1);
        EXPECT_TRUE(ring_runs(with({{"copy", way}}), nvidia(90)));
    }
    EXPECT_TRUE(ring_is_refused_for(with({{"copy", 2}}), nvidia(89), "compute capability 9.0"));
}

TEST(Ring, ItsOwnLocalMemoryMayBeMoreThanReportedWhereThatWasMeasured) {
    const Parameters twelve_stages = large({{"copy", 3}, {"stages", 12}});
    EXPECT_GT(ring().tile(twelve_stages).local_memory_bytes, 100 * 1024);
    EXPECT_TRUE(ring_runs(twelve_stages, nvidia(90)));
    EXPECT_TRUE(
        ring_is_refused_for(large({{"copy", 1}, {"stages", 12}}), nvidia(80), "local memory"));
    EXPECT_TRUE(
        ring_is_refused_for(large({{"copy", 3}, {"stages", 32}}), nvidia(90), "local memory"));
    DeviceTraits more = nvidia(90);
    more.local_memory_bytes = std::int64_t{1} << 20U;
    EXPECT_EQ(device::compiler_limits(more).local_memory, more.local_memory_bytes);
}

TEST(Ring, SumsFitIntoRegisters) {
    const DeviceTraits device = nvidia(90);
    EXPECT_TRUE(ring_runs(large({{"copy", 3}}), device));
    EXPECT_TRUE(
        ring_is_refused_for(large({{"copy", 3}, {"tile_m", 256}}), device, "65536 registers"));
    EXPECT_TRUE(
        ring_is_refused_for(large({{"copy", 3}, {"max_registers", 128}}), device, "max_registers"));
    EXPECT_TRUE(
        ring_is_refused_for(with({{"max_registers", 128}}), device, "it would change nothing"));
    EXPECT_TRUE(ring_runs(with({{"copy", 1}, {"max_registers", 128}}), device));
}

TEST(Ring, ConstraintsSayWhatGoesTogether) {
    const DeviceTraits device = nvidia(90);
    EXPECT_TRUE(ring_is_refused_for(with({{"lanes_m", 16}}), device, "4 or 8"));
    EXPECT_TRUE(ring_is_refused_for(with({{"work_per_item_n", 6}}), device, "multiples of 4"));
    EXPECT_TRUE(ring_is_refused_for(with({{"tile_m", 96}}), device, "whole warps"));
    EXPECT_TRUE(ring_is_refused_for(with({{"tile_k", 12}}), device, "transposes 8 steps"));
    EXPECT_TRUE(ring_is_refused_for(with({{"load_width_b", 8}}), device, "load_width_b"));
    EXPECT_TRUE(ring_is_refused_for(with({{"copy", 2}, {"stages", 2}}), device, "a step apart"));
    EXPECT_TRUE(ring_is_refused_for(large({{"copy", 3}, {"tile_k", 32}}), device, "2048 products"));
}

class RingPlan : public sgemm_test::PlannerTest {
protected:
    RingPlan() {
        device_ = nvidia(90);
        catalog_ = catalog::kernel_catalog();
        table_.rows.clear();
        options_.kernel = "ring";
    }
    planning::Step main_step(const Problem& problem) const {
        return sgemm_test::main_step(best(problem, options_));
    }
    ExpertPlanOptions options_;
};

TEST_F(RingPlan, LimitOfRegistersIsABuildOptionOnNvidiaAlone) {
    options_.parameters = {{"copy", 3}, {"max_registers", 128}};
    const auto limited = main_step(native(256, 256, 64)).build;
    EXPECT_EQ(limited.max_registers, 128);
    EXPECT_NE(compile::build_options(limited, device_).find("-cl-nv-maxrregcount=128 "),
              std::string::npos);
    EXPECT_EQ(compile::build_options(limited, sgemm_test::fake_device()).find("maxrregcount"),
              std::string::npos);
    options_.parameters = {{"copy", 3}};
    EXPECT_EQ(
        compile::build_options(main_step(native(256, 256, 64)).build, device_).find("maxrregcount"),
        std::string::npos);
}

TEST_F(RingPlan, EveryStorageFormRunsInPlaceAtAnyLeadingDimension) {
    options_.edges = EdgeStrategy::guarded;
    options_.parameters = {{"copy", 3}, {"load_width_a", 1}, {"load_width_b", 1}};
    for (const Transpose a : {Transpose::no, Transpose::yes}) {
        for (const Transpose b : {Transpose::no, Transpose::yes}) {
            Problem problem = native(129, 131, 67);
            problem.transpose_a = a;
            problem.transpose_b = b;
            problem.lda = 133;
            problem.ldb = 135;
            EXPECT_EQ(best(problem, options_).steps.size(), 1U);
        }
    }
}

TEST_F(RingPlan, WideCopiesNarrowWhereTheyDoNotFit) {
    options_.edges = EdgeStrategy::guarded;
    Problem problem = native(130, 132, 67);
    problem.lda = 130;
    problem.ldb = 132;
    const auto plans = rank(problem, options_).plans;
    const auto in_place = std::find_if(plans.begin(), plans.end(),
                                       [](const auto& plan) { return plan.steps.size() == 1; });
    ASSERT_NE(in_place, plans.end());
    EXPECT_EQ(in_place->parameters["load_width_a"], 2);
    EXPECT_EQ(in_place->parameters["load_width_b"], 4);
}

TEST_F(RingPlan, NarrowCopiesOfKMajorOperandsHaveNoCost) {
    options_.edges = EdgeStrategy::guarded;
    Problem problem = native(129, 131, 67);
    problem.transpose_a = Transpose::yes; // k-major, copied element by element in any case
    problem.lda = 69;
    problem.ldb = 131;
    const auto plans = rank(problem, options_).plans;
    const auto in_place = std::find_if(plans.begin(), plans.end(),
                                       [](const auto& plan) { return plan.steps.size() == 1; });
    ASSERT_NE(in_place, plans.end());
    EXPECT_EQ(in_place->parameters["load_width_a"], 1);
    EXPECT_EQ(in_place->parameters["load_width_b"], 1);
    const auto work = std::get<planning::MainWork>(in_place->steps.front().work);
    EXPECT_TRUE(work.a_k_major);
    EXPECT_EQ(work.halvings_a, 0);
    EXPECT_EQ(work.halvings_b, 2);
}

TEST_F(RingPlan, LeadingDimensionsBeyondItsAddressesAreRefused) {
    options_.edges = EdgeStrategy::guarded; // with automatic ones a copy of A is read
    Problem problem = native(64, 64, 2);
    problem.lda = std::int64_t{1} << 30U;
    EXPECT_THROW(best(problem, options_), UnsupportedError);
    problem.lda = (std::int64_t{1} << 30U) - 4;
    EXPECT_NO_THROW(best(problem, options_));
}

TEST_F(RingPlan, ReducesInTheLaunchWhereItIsAskedToOrIsPredictedFaster) {
    const auto summed = [](const planning::PlanValue& plan) {
        return plan.to_string().find("fused reduction") != std::string::npos;
    };
    const Problem problem = native(256, 256, 4096);
    options_.split_k = 8;
    EXPECT_TRUE(std::ranges::none_of(rank(problem, options_).plans, summed))
        << "the table does not say what it costs";
    table_.machine.sum_seconds = 1e-6;
    table_.machine.sum_bandwidth = 100e9;
    EXPECT_TRUE(std::ranges::any_of(rank(problem, options_).plans, summed));
    EXPECT_TRUE(std::ranges::any_of(rank(problem, options_).plans, std::not_fn(summed)));
    options_.reduction = SplitKReduction::pass;
    EXPECT_TRUE(std::ranges::none_of(rank(problem, options_).plans, summed));
    options_.reduction = SplitKReduction::fused;
    table_.machine.sum_bandwidth = 0; // asked for, it needs no prediction
    const planning::PlanValue plan = best(problem, options_);
    EXPECT_TRUE(summed(plan));
    EXPECT_TRUE(plan.counts);
    ASSERT_EQ(plan.steps.size(), 1U);
    EXPECT_EQ(plan.steps[0].arguments.back().kind, planning::Argument::Kind::counters);
    const auto tile = ring().tile(plan.parameters);
    EXPECT_EQ(plan.workspace_bytes, sizeof(float) * 8 * 256 * 256) << tile.m;
}

TEST_F(RingPlan, SumsByALaunchWhereItCannotInItsOwn) {
    options_.reduction = SplitKReduction::fused;
    options_.split_k = 4;
    options_.edges = EdgeStrategy::padding;
    EXPECT_THROW(rank(native(300, 300, 4096), options_), UnsupportedError);
    options_.edges = EdgeStrategy::extension;
    EXPECT_EQ(best(native(257, 257, 4096), options_).steps.back().build.name, "reduce");
    options_.edges = EdgeStrategy::automatic;
    Problem many = native(128, 128, 4096);
    many.batch_count = planning::most_counters + 1;
    many.batch_stride_a = many.batch_stride_b = many.batch_stride_c = std::int64_t{128} * 4096;
    EXPECT_THROW(rank(many, options_), UnsupportedError);
    options_.parameters = {{"tile_n", 256}, {"work_per_item_n", 16}};
    EXPECT_EQ(best(native(256, 256, 4096), options_).steps.back().build.name, "reduce")
        << "too many sums";
    options_.parameters = {};
    device_.type = DeviceType::gpu;
    device_.has_nvidia_ptx = false;
    EXPECT_EQ(best(native(256, 256, 4096), options_).steps.back().build.name, "reduce")
        << "what others leave may not be seen there";
}

/// Of persistent, the kernel that streams.
class StreamPlan : public RingPlan {
protected:
    StreamPlan() { options_.kernel = "persistent"; }
    bool any_variant_has(const Problem& problem, const char* words) const {
        const auto ranking = rank(problem, options_);
        return std::any_of(ranking.plans.begin(), ranking.plans.end(), [&](const auto& plan) {
            return plan.to_string().find(words) != std::string::npos;
        });
    }
};

TEST_F(StreamPlan, SaysThatTilesAreDealtOutOnlyWhereSomeAre) {
    const Problem even = native(512, 512, 1024); // 16 tiles for 16 compute units
    const Problem uneven = native(640, 640, 1024);
    for (const int split_k : {0, 2, 5}) {
        options_.split_k = split_k;
        EXPECT_FALSE(any_variant_has(even, "stream-K")) << split_k;
        EXPECT_TRUE(any_variant_has(uneven, "stream-K")) << split_k;
        for (const auto& plan : rank(uneven, options_).plans) {
            const bool says_so = plan.to_string().find("stream-K") != std::string::npos;
            EXPECT_EQ(plan.steps.back().build.name == "gather", says_so) << plan.to_string();
        }
    }
    options_.split_k = 1;
    EXPECT_FALSE(any_variant_has(uneven, "stream-K"));
}

TEST_F(StreamPlan, IdleWorkGroupsTakeTheRimIfTheyAreDoneInTime) {
    options_.edges = EdgeStrategy::extension;
    options_.split_k = 1;
    const auto step_of = [&](const Problem& problem) {
        return best(problem, options_).steps.back();
    };
    const auto fringe_from = [](const planning::Step& step) { return step.arguments.back().value; };
    const planning::Step hidden =
        step_of(native(128 * 3 + 1, 128 * 4, 8192)); // 12 tiles of 16 units
    EXPECT_EQ(fringe_from(hidden), 12);
    EXPECT_EQ(hidden.range.global[0], 16 * hidden.range.local[0]);
    EXPECT_EQ(std::get<planning::MainWork>(hidden.work).fringe->seconds, 0);
    const planning::Step shared = step_of(native(128 * 4 + 1, 128 * 4, 8192));
    EXPECT_EQ(fringe_from(shared), 0) << "nobody is idle";
    EXPECT_GT(std::get<planning::MainWork>(shared.work).fringe->seconds, 0);
}

TEST_F(StreamPlan, PredictsTheChainOfThoseWhoShareATile) {
    options_.split_k = 2;
    const auto gather_of = [&](const Problem& problem) {
        return std::get<planning::PassWork>(best(problem, options_).steps.back().work);
    };
    EXPECT_EQ(gather_of(native(128, 128, 4096)).partial_sums, 3 * 16) << "16 compute units";
    EXPECT_EQ(gather_of(native(128, 256, 4096)).partial_sums, 3 * 8);
}

TEST_F(StreamPlan, IsNotOfferedInTwoLaunchesUnlessAskedFor) {
    table_.machine.ld_period = 1024;
    table_.machine.ld_slowdown = 2;
    const Problem colliding = native(2048, 2048, 2048);
    EXPECT_FALSE(any_variant_has(colliding, "parts"));
    options_.parts_k = 2;
    options_.split_k = 1;
    EXPECT_TRUE(any_variant_has(colliding, "parts 1x1x2"));
}

} // namespace
} // namespace libsgemm
