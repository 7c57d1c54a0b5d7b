// SPDX-License-Identifier: Apache-2.0
// A Plan is an immutable handle that outlives what made it; its workspace is pooled.
#include "device/passes.hpp"
#include "support/atomic_file.hpp"
#include "support/environment_variable.hpp"
#include "support/temporary_folder.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace sgemm_test {
namespace {

class PlanReuse : public DeviceTest {};
class Workspace : public DeviceTest {};

TEST_F(PlanReuse, WorksOnOtherBuffersAndOffsets) {
    Case c = case_with_passes(device());
    const libsgemm::Plan plan = library().plan(c.problem, c.options);
    for (const std::int64_t offset : {0, 1, 7, 64}) {
        c.offset_a = offset;
        c.offset_b = offset + 3;
        c.offset_c = 2 * offset;
        c.seed += 1;
        CaseData data(device(), c);
        data.enqueue(plan, queue());
        ASSERT_TRUE(data.verify(queue()));
    }
}

TEST_F(PlanReuse, WorksWithOtherScalars) {
    Case c = case_with_passes(device());
    const libsgemm::Plan plan = library().plan(c.problem, c.options);
    for (const float alpha : {1.0F, 0.0F, -2.0F}) {
        for (const float beta : {0.0F, 1.0F}) {
            c.alpha = alpha;
            c.beta = beta;
            CaseData data(device(), c);
            data.enqueue(plan, queue());
            ASSERT_TRUE(data.verify(queue()));
        }
    }
}

TEST_F(PlanReuse, RefusesOffsetsThatBreakThePromisedAlignment) {
    Case c = plain_case(64, 64, 64);
    libsgemm::ExpertPlanOptions options;
    options.offset_alignment = 16;
    const libsgemm::Plan plan = library().plan(c.problem, options);
    c.offset_b = 17;
    CaseData data(device(), c);
    EXPECT_THROW(data.enqueue(plan, queue()), libsgemm::ArgumentError);
    EXPECT_TRUE(data.untouched(queue()));
}

TEST_F(PlanReuse, PlanOutlivesItsContext) {
    const Case c = case_with_passes(device());
    std::optional<libsgemm::Plan> plan;
    {
        const libsgemm::Context short_lived = device().make_library();
        plan = plan_case(short_lived, c);
    }
    CaseData data(device(), c);
    data.enqueue(*plan, queue());
    EXPECT_TRUE(data.verify(queue()));
}

TEST_F(PlanReuse, ContextMayGoWhileWorkIsInFlight) {
    const Case c = case_with_passes(device());
    CaseData data(device(), c);
    {
        const libsgemm::Context short_lived = device().make_library();
        data.enqueue(plan_case(short_lived, c), queue());
    }
    EXPECT_TRUE(data.verify(queue()));
}

TEST_F(PlanReuse, CopiesOfAContextShareItsState) {
    const libsgemm::Context original = device().make_library();
    const libsgemm::Context copy = original;
    const Case c = case_with_passes(device());
    plan_case(original, c);
    const std::uint64_t built = original.statistics().programs_built;
    EXPECT_GT(built, 0U);
    plan_case(copy, c);
    EXPECT_EQ(copy.statistics().programs_built, built);
}

TEST_F(Workspace, IsAllocatedOnceForRepeatedCalls) {
    const libsgemm::Context own = device().make_library();
    const Case c = case_with_passes(device());
    const libsgemm::Plan plan = plan_case(own, c);
    ASSERT_GT(plan.workspace_bytes(), 0U);
    CaseData warm_up(device(), c);
    warm_up.enqueue(plan, queue()).wait();
    const libsgemm::ContextStatistics warm = own.statistics();
    EXPECT_GE(warm.workspace_bytes, plan.workspace_bytes());
    for (int i = 0; i < 5; ++i) {
        CaseData data(device(), c);
        data.enqueue(plan, queue()).wait();
        ASSERT_TRUE(data.verify(queue()));
    }
    EXPECT_EQ(own.statistics().workspace_allocations, warm.workspace_allocations);
    EXPECT_EQ(own.statistics().workspace_bytes, warm.workspace_bytes);
}

TEST_F(Workspace, IsNotSharedByCallsInFlight) {
    // Held back by one event, then all released at once into an out-of-order queue.
    const Case c = case_with_passes(device());
    const libsgemm::Plan plan = plan_case(library(), c);
    const bool out_of_order = device().has_out_of_order_queues();
    const auto own_queue = device().make_queue(out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
                                                            : cl_command_queue_properties{0});
    const Owned<cl_event> gate = make_user_event(device().context());
    std::vector<CaseData> calls;
    for (std::uint64_t i = 0; i < 6; ++i) {
        Case variant = c;
        variant.seed = i;
        calls.emplace_back(device(), variant);
        calls.back().enqueue(plan, own_queue.get(), {gate.get()});
    }
    complete(gate);
    for (CaseData& call : calls) {
        EXPECT_TRUE(call.verify(own_queue.get()));
    }
}

TEST_F(Workspace, IsGivenBackOnRequest) {
    const libsgemm::Context own = device().make_library();
    const Case c = case_with_passes(device());
    CaseData data(device(), c);
    data.enqueue(plan_case(own, c), queue()).wait();
    EXPECT_GT(own.statistics().workspace_bytes, 0U);
    own.release_workspace();
    EXPECT_EQ(own.statistics().workspace_bytes, 0U);
    data.enqueue(plan_case(own, c), queue()).wait(); // and taken again
    EXPECT_GT(own.statistics().workspace_bytes, 0U);
}

TEST_F(Workspace, LimitIsKept) {
    libsgemm::ContextOptions options;
    options.max_workspace_bytes = 0;
    const libsgemm::Context frugal = device().make_library(options);
    Case c = case_with_passes(device());
    EXPECT_THROW(plan_case(frugal, c), libsgemm::UnsupportedError);
    c.options = {};
    EXPECT_EQ(plan_case(frugal, c).workspace_bytes(), 0U);
    EXPECT_TRUE(runs_right(device(), frugal, c));
}

TEST_F(Workspace, PlansAreRememberedByProblem) {
    const libsgemm::Context own = device().make_library();
    const Case c = plain_case(40, 50, 60);
    CaseData data(device(), c);
    data.gemm(own, queue()).wait();
    const libsgemm::ContextStatistics first = own.statistics();
    data.gemm(own, queue()).wait();
    EXPECT_EQ(own.statistics().plans_made, first.plans_made);
    EXPECT_EQ(own.statistics().programs_built, first.programs_built);
}

/// What a loop over many sizes costs beside the products: nothing, once each was there.
TEST_F(Workspace, AThousandSizesArePlannedAndCompiledOnce) {
    libsgemm::ContextOptions options;
    options.plan.kernel = "01_naive"; // of one build for all sizes
    const libsgemm::Context own = device().make_library(options);
    const CaseData data(device(), plain_case(10, 10, 10));
    const auto run_all = [&] {
        for (std::int64_t i = 0; i < 1000; ++i) {
            libsgemm::Problem problem = data.test_case().problem;
            problem.m = 1 + i % 10;
            problem.n = 1 + i / 10 % 10;
            problem.k = 1 + i / 100;
            own.gemm(queue(), problem, 1, data.a(), data.b(), 0, data.c(), {},
                     libsgemm::Completion::in_queue);
        }
        EXPECT_EQ(clFinish(queue()), CL_SUCCESS);
    };
    run_all();
    const libsgemm::ContextStatistics first = own.statistics();
    EXPECT_EQ(first.plans_made, 1000U);
    EXPECT_LE(first.programs_built, 4U) << "transposed storage or not, each operand";
    run_all();
    const libsgemm::ContextStatistics second = own.statistics();
    EXPECT_EQ(second.plans_made, first.plans_made);
    EXPECT_EQ(second.programs_built, first.programs_built);
    EXPECT_EQ(second.workspace_allocations, first.workspace_allocations);
    EXPECT_EQ(second.kernels_enqueued, 2 * first.kernels_enqueued);
}

TEST_F(PlanReuse, WhatIsCalledIsRecordedOnce) {
    const TemporaryFolder folder;
    const std::string file = folder / "shapes.txt";
    const EnvironmentVariable variable("SGEMM_RECORD", file);
    for (int i = 0; i < 2; ++i) { // as two programs
        const libsgemm::Context own = device().make_library();
        const CaseData one(device(), plain_case(20, 30, 40));
        const CaseData other(device(), plain_case(30, 20, 40));
        for (const CaseData* data : {&one, &other, &one}) {
            data->gemm(own, queue()).wait();
        }
    }
    const auto text = libsgemm::support::read_file(file);
    ASSERT_TRUE(text);
    EXPECT_EQ(std::count(text->begin(), text->end(), '\n'), 3) << *text;
    EXPECT_NE(text->find(" 20 30 40"), std::string::npos) << *text;
}

} // namespace
} // namespace sgemm_test
