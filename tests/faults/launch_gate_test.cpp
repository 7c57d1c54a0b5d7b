// SPDX-License-Identifier: Apache-2.0
// Whoever launches: on PoCL's device that computes in the calling thread each launch passes a gate,
// without which launches of several threads end the process (cpu_threads/locks/launch_gate.hpp).
#include "catalog/kernel_catalog.hpp"
#include "compile/program_cache.hpp"
#include "device/passes.hpp"
#include "execute/small_product.hpp"
#include "faults/layer.hpp"
#include "plan/planner.hpp"
#include "problem/problem.hpp"
#include "support/case_data.hpp"
#include "support/temporary_folder.hpp"
#include "tables/device_table.hpp"

#include <cstdint>

namespace sgemm_test {
namespace {

class CallingThreadLaunches : public DeviceTest {
protected:
    void SetUp() override {
        DeviceTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) {
            return;
        }
        if (!device().handle().traits.computes_in_calling_thread) {
            GTEST_SKIP() << "the device has threads of its own";
        }
        before_ = kernels_enqueued();
        outside_ = kernels_outside_a_gate();
    }
    void expect_all_passed() const {
        EXPECT_GT(kernels_enqueued(), before_) << "nothing is shown";
        EXPECT_EQ(kernels_outside_a_gate(), outside_);
    }

private:
    std::uint64_t before_ = 0;
    std::uint64_t outside_ = 0;
};

TEST_F(CallingThreadLaunches, OfProducts) {
    const Case c = case_with_passes(device());
    CaseData data(device(), c);
    data.gemm(library(), queue());
    data.enqueue(plan_case(library(), c), queue());
    library().gemm_batch(queue(), c.problem, 1, {data.a().buffer, {0}}, {data.b().buffer, {0}}, 0,
                         {data.c().buffer, {0}});
    expect_all_passed();
}

TEST_F(CallingThreadLaunches, OfPacking) {
    const Case c = plain_case(50, 40, 30);
    const CaseData data(device(), c);
    for (const libsgemm::Operand operand : {libsgemm::Operand::a, libsgemm::Operand::b}) {
        library().pack(queue(), c.problem, operand,
                       operand == libsgemm::Operand::a ? data.a() : data.b());
    }
    expect_all_passed();
}

TEST_F(CallingThreadLaunches, OfTimingAtFirstUse) {
    const TemporaryFolder folder;
    libsgemm::ContextOptions options;
    options.first_use.plans = 2;
    options.first_use.file = folder / "table.toml";
    const Case c = plain_case(50, 40, 30);
    const CaseData data(device(), c);
    data.gemm(device().make_library(options), queue());
    expect_all_passed();
}

TEST_F(CallingThreadLaunches, OfTheSelfTestOfABuild) {
    const libsgemm::DeviceTraits& traits = device().handle().traits;
    const libsgemm::tables::DeviceTable table = libsgemm::tables::built_in_table(traits);
    const libsgemm::support::Log log = libsgemm::support::make_log({});
    const auto context = libsgemm::device::ContextHandle::retained(device().context());
    libsgemm::compile::ProgramCache programs(context, device().handle().device, traits, log);
    auto problem = libsgemm::validate::check_problem(plain_case(50, 40, 30).problem).canonical;
    problem.a.offset_alignment = problem.b.offset_alignment = problem.c.offset_alignment = 16;
    const libsgemm::planning::PlanValue plan =
        libsgemm::planning::rank_plans(problem, {},
                                       {traits, table, libsgemm::catalog::kernel_catalog()})
            .plans.front();
    libsgemm::compile::Programs built;
    for (const auto& step : plan.steps) {
        built.push_back(programs.get(step.build));
    }
    EXPECT_EQ(libsgemm::execute::fault_of_small_product(
                  {context, device().handle().device, traits, programs, log}, problem, plan, built),
              "");
    expect_all_passed();
}

} // namespace
} // namespace sgemm_test
