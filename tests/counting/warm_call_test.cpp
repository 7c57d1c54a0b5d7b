// SPDX-License-Identifier: Apache-2.0
// What a warm call costs, counted where the library calls OpenCL and operator new: the direct
// kernels take one launch and allocate nothing, other plans launch what they say and allocate
// nothing on the device; no call waits.
#include "counting/calls.hpp"
#include "device/kernel_fixture.hpp"
#include "device/passes.hpp"
#include "support/case_data.hpp"

#include <memory>
#include <ostream>

namespace sgemm_test {

std::ostream& operator<<(std::ostream& out, const Calls& calls) {
    return out << calls.kernels << " kernels, " << calls.transfers << " other commands, "
               << calls.objects << " objects, " << calls.builds << " builds, " << calls.waits
               << " waits, " << calls.host_blocks << " host allocations";
}

namespace {

constexpr Calls one_launch{1, 0, 0, 0, 0, 0};

/// A library whose gemm() is forced to do what the case says.
libsgemm::Context library_for(const TestDevice& device, const Case& c) {
    libsgemm::ContextOptions options;
    options.expert = std::make_shared<libsgemm::ExpertPlanOptions>(c.options);
    return device.make_library(options);
}

/// The second call counts: the first one plans and compiles.
Calls calls_of_warm_gemm(const TestDevice& device, const libsgemm::Context& library,
                         const CaseData& data) {
    data.gemm(library, device.queue()).wait();
    const Calls before = calls_so_far();
    const libsgemm::Event done = data.gemm(library, device.queue());
    const Calls after = calls_so_far();
    done.wait();
    return after - before;
}

class DirectPath : public KernelTest {
protected:
    /// No split-K: its partial sums are added by a pass.
    Case direct_case(const Extents& extents, const Form& form) const {
        Case c = make_case(extents, form);
        c.options.split_k = 1;
        return c;
    }
};

class WarmCall : public DeviceTest {};

TEST_P(DirectPath, IsOneLaunchWithoutAllocation) {
    if (refused()) {
        return;
    }
    const libsgemm::Context library = library_for(device(), direct_case(ragged(), all_forms()[0]));
    for (const Form& form : all_forms()) {
        for (const std::int64_t batch : {1, 3}) {
            for (const float beta : {0.0F, 0.5F}) {
                Case c = direct_case(ragged(), form);
                c.problem.batch_count = batch;
                spread(c.problem, {1, 2, 3}, 5);
                c.offset_a = 1;
                c.beta = beta;
                CaseData data(device(), c);
                EXPECT_EQ(calls_of_warm_gemm(device(), library, data), one_launch) << c;
            }
        }
    }
}

TEST_P(DirectPath, OfAPlanIsOneLaunchWithoutAllocation) {
    if (refused()) {
        return;
    }
    const Case c = direct_case(ragged(), all_forms()[1]);
    const libsgemm::Plan plan = plan_case(library(), c);
    CaseData data(device(), c);
    data.enqueue(plan, queue()).wait();
    const Calls before = calls_so_far();
    const libsgemm::Event done = data.enqueue(plan, queue());
    EXPECT_EQ(calls_so_far() - before, one_launch);
    EXPECT_TRUE(data.verify(queue()));
}

TEST_F(WarmCall, LaunchesWhatThePlanSaysAndCreatesNothing) {
    const Case c = case_with_passes(device());
    const libsgemm::Plan plan = plan_case(library(), c);
    CaseData(device(), c).enqueue(plan, queue()).wait();
    CaseData data(device(), c);
    const Calls before = calls_so_far();
    const libsgemm::Event done = data.enqueue(plan, queue());
    const Calls calls = calls_so_far() - before;
    EXPECT_EQ(calls.kernels, plan.passes().size());
    EXPECT_EQ(calls.transfers + calls.objects + calls.builds + calls.waits, 0U) << calls;
    EXPECT_TRUE(data.verify(queue()));
}

/// Of packed operands only the product is left, and what it leaves to strict.
TEST_F(WarmCall, WithPackedOperandsLaunchesLessAndCreatesNothing) {
    const auto* entry = libsgemm::catalog::kernel_catalog().find("emulated_fp16");
    ASSERT_NE(entry, nullptr);
    const Case c = plain_case(70, 60, 140);
    libsgemm::ContextOptions options;
    options.expert =
        std::make_shared<libsgemm::ExpertPlanOptions>(forced(*entry, entry->defaults()));
    if (!obstacles(*entry, entry->defaults(), device().handle().traits).empty()) {
        GTEST_SKIP() << "this device cannot";
    }
    const libsgemm::Context own = device().make_library(options);
    CaseData data(device(), c);
    const Calls plain = calls_of_warm_gemm(device(), own, data);
    const auto a = own.pack(queue(), c.problem, libsgemm::Operand::a, data.a());
    const auto b = own.pack(queue(), c.problem, libsgemm::Operand::b, data.b());
    const auto call = [&] { return own.gemm(queue(), c.problem, c.alpha, a, b, c.beta, data.c()); };
    call().wait();
    const Calls before = calls_so_far();
    const libsgemm::Event done = call();
    const Calls calls = calls_so_far() - before;
    EXPECT_EQ(calls.kernels, 2U);
    EXPECT_LT(calls.kernels, plain.kernels);
    EXPECT_EQ(calls.transfers + calls.objects + calls.builds + calls.waits, 0U) << calls;
    EXPECT_TRUE(data.verify(queue()));
}

/// A kernel object keeps its numbers, and where the platform is known to remember them its buffers.
TEST_F(WarmCall, SetsOnlyArgumentsThatMayHaveChanged) {
    Case c = plain_case(20, 21, 22);
    c.options.kernel = "01_naive";
    const libsgemm::Context own = library_for(device(), c);
    const CaseData data(device(), c);
    const CaseData others(device(), c);
    const auto set_by = [&](float alpha, const CaseData& matrices) {
        const std::uint64_t before = arguments_set_so_far();
        own.gemm(queue(), c.problem, alpha, matrices.a(), matrices.b(), 0, matrices.c()).wait();
        return arguments_set_so_far() - before;
    };
    constexpr std::uint64_t buffers = 3;
    const std::uint64_t kept = device().handle().traits.computes_in_calling_thread ? buffers : 0;
    EXPECT_EQ(set_by(1, data), buffers + 1);
    EXPECT_EQ(set_by(1, data), buffers - kept);
    EXPECT_EQ(set_by(2, data), buffers - kept + 1);
    EXPECT_EQ(set_by(2, others), buffers);
}

/// The counters themselves: a cold call must show.
TEST_F(WarmCall, DiffersFromAColdOne) {
    const libsgemm::Context own = device().make_library();
    const Case c = plain_case(33, 34, 35);
    CaseData data(device(), c);
    const Calls before = calls_so_far();
    const libsgemm::Event done = data.gemm(own, queue());
    const Calls calls = calls_so_far() - before;
    EXPECT_GE(calls.kernels, 1U);
    EXPECT_GE(calls.builds, 1U);
    EXPECT_GE(calls.objects, 2U); // a program and a kernel
    EXPECT_GE(calls.host_blocks, 1U);
    EXPECT_TRUE(data.verify(queue()));
}

bool is_direct(const libsgemm::catalog::KernelEntry& entry) {
    return entry.source.substr(0, 7) == "direct/";
}
SGEMM_FOR_KERNELS_WITH(is_direct, DirectPath);

} // namespace
} // namespace sgemm_test
