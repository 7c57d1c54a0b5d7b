// SPDX-License-Identifier: Apache-2.0
// Arguments that were taken for something else, or refused in the wrong words.
#include "context/core.hpp"
#include "plan/planner.hpp"
#include "sgemm/multi_device.hpp"
#include "support/case_data.hpp"
#include "support/environment_variable.hpp"
#include "support/log_collector.hpp"
#include "support/temporary_file.hpp"

#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

namespace sgemm_test {
namespace {

/// The error must name this argument, quote this value and say that.
template <class Call>
void expect_argument_error(const char* argument, const char* value, const char* rule, Call call) {
    try {
        call();
        ADD_FAILURE() << argument << " of " << value << " is accepted";
    } catch (const libsgemm::ArgumentError& error) {
        EXPECT_EQ(error.argument(), argument) << error.what();
        EXPECT_EQ(error.value(), value) << error.what();
        EXPECT_NE(error.rule().find(rule), std::string::npos) << error.what();
    }
}

class BadArguments : public DeviceTest {
protected:
    void SetUp() override {
        DeviceTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) {
            return;
        }
        data_ = std::make_unique<CaseData>(device(), case_, Guards::none);
    }
    Owned<cl_mem> make(cl_mem_flags flags, std::size_t elements = 1024) const {
        cl_int status = CL_SUCCESS;
        Owned<cl_mem> buffer(
            clCreateBuffer(device().context(), flags, elements * sizeof(float), nullptr, &status));
        check_status(status, "clCreateBuffer");
        return buffer;
    }
    void gemm(const libsgemm::Problem& problem, float alpha, const libsgemm::Matrix& a, float beta,
              const libsgemm::Matrix& c) const {
        library().gemm(queue(), problem, alpha, a, data_->b(), beta, c);
    }
    const libsgemm::Problem& problem() const { return case_.problem; }
    CaseData& data() { return *data_; }

private:
    Case case_ = plain_case(20, 18, 24);
    std::unique_ptr<CaseData> data_;
};

// --- access --------------------------------------------------------------------------------------

TEST_F(BadArguments, CIsReadWhereBetaIsNotZero) {
    const Owned<cl_mem> write_only = make(CL_MEM_WRITE_ONLY);
    const Owned<cl_mem> part = make_part(write_only.get(), 0, 512); // of the same access
    const libsgemm::Plan plan = library().plan(problem());
    for (cl_mem c : {write_only.get(), part.get()}) {
        for (const float beta : {1.0F, -0.5F, std::numeric_limits<float>::quiet_NaN()}) {
            const auto refused = [&](const auto& call) {
                expect_argument_error("C.buffer", "CL_MEM_WRITE_ONLY", "read", call);
            };
            refused([&] { gemm(problem(), 1, data().a(), beta, {c}); });
            refused([&] { gemm(problem(), 0, {}, beta, {c}); });
            refused([&] { plan.enqueue(queue(), 1, data().a(), data().b(), beta, {c}); });
            refused([&] {
                library().gemm_batch(queue(), problem(), 1, {data().a().buffer, {0}},
                                     {data().b().buffer, {0}}, beta, {c, {0}});
            });
        }
        EXPECT_NO_THROW(gemm(problem(), 1, data().a(), 0, {c}));
        EXPECT_NO_THROW(gemm(problem(), 0, {}, 0, {c}));
        EXPECT_NO_THROW(plan.enqueue(queue(), 1, data().a(), data().b(), 0, {c}));
    }
    clFinish(queue());
}

TEST_F(BadArguments, CIsWrittenAndOperandsAreRead) {
    const Owned<cl_mem> read_only = make(CL_MEM_READ_ONLY);
    const Owned<cl_mem> write_only = make(CL_MEM_WRITE_ONLY);
    const Owned<cl_mem> read_only_part = make_part(read_only.get(), 0, 512);
    for (cl_mem c : {read_only.get(), read_only_part.get()}) {
        for (const float beta : {0.0F, 1.0F}) {
            expect_argument_error("C.buffer", "CL_MEM_READ_ONLY", "write",
                                  [&] { gemm(problem(), 1, data().a(), beta, {c}); });
            expect_argument_error("C.buffer", "CL_MEM_READ_ONLY", "write",
                                  [&] { gemm(problem(), 0, {}, beta, {c}); });
        }
        EXPECT_NO_THROW(gemm(problem(), 1, {c}, 0, data().c()));
    }
    expect_argument_error("A.buffer", "CL_MEM_WRITE_ONLY", "read",
                          [&] { gemm(problem(), 1, {write_only.get()}, 0, data().c()); });
    expect_argument_error("A.buffer", "CL_MEM_WRITE_ONLY", "read", [&] {
        library().pack(queue(), problem(), libsgemm::Operand::a, {write_only.get()});
    });
    EXPECT_NO_THROW(gemm(problem(), 0, {write_only.get()}, 0, data().c())) << "A is not read";
    const Owned<cl_mem> hidden = make(CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS);
    EXPECT_NO_THROW(gemm(problem(), 1, data().a(), 1, {hidden.get()})) << "that is the host's";
    clFinish(queue());
}

/// On a CPU the plan for it adds ranges of k up in C otherwise.
TEST_F(BadArguments, AWriteOnlyCOfManyTermsIsRight) {
    const Case deep = plain_case(64, 64, 5000);
    CaseData matrices(device(), deep, Guards::none);
    const Owned<cl_mem> c = make(CL_MEM_WRITE_ONLY, 64 * 64);
    library().gemm(queue(), deep.problem, 1, matrices.a(), matrices.b(), 0, {c.get()});
    check_status(clEnqueueCopyBuffer(queue(), c.get(), matrices.c().buffer, 0,
                                     static_cast<std::size_t>(matrices.c().offset) * sizeof(float),
                                     std::size_t{64} * 64 * sizeof(float), 0, nullptr, nullptr),
                 "clEnqueueCopyBuffer");
    EXPECT_TRUE(matrices.verify(queue()));
    libsgemm::ExpertPlanOptions in_parts;
    in_parts.kernel = "tiled";
    in_parts.parts_k = 2;
    in_parts.edges = libsgemm::EdgeStrategy::guarded; // else they may be added up in a padded copy
    in_parts.offset_alignment = 16;
    const libsgemm::Plan adding = library().plan(deep.problem, in_parts);
    expect_argument_error("C.buffer", "CL_MEM_WRITE_ONLY", "ranges of k", [&] {
        adding.enqueue(queue(), 1, matrices.a(), matrices.b(), 0, {c.get()});
    });
}

// --- sizes ---------------------------------------------------------------------------------------

TEST_F(BadArguments, TooSmallABufferIsNoMatterOfItsOffset) {
    const Owned<cl_mem> small = make(CL_MEM_READ_WRITE, 359);
    const auto call = [&](std::int64_t offset) {
        return [&, offset] { gemm(problem(), 1, data().a(), 0, {small.get(), offset}); };
    };
    expect_argument_error("C.buffer", "1436 bytes", "1440 bytes, for 18 lines of 20", call(0));
    expect_argument_error("C.buffer", "1436 bytes", "1440 bytes", call(7));
    const Owned<cl_mem> larger = make(CL_MEM_READ_WRITE, 363);
    expect_argument_error("C.offset", "4", "at most 3", [&] {
        gemm(problem(), 1, data().a(), 0, {larger.get(), 4});
    });
    EXPECT_NO_THROW(gemm(problem(), 1, data().a(), 0, {larger.get(), 3}));
    clFinish(queue());
}

TEST_F(BadArguments, WithAnEmptyCNothingElseMatters) {
    constexpr std::int64_t huge = std::int64_t{1} << 62U;
    const auto before = library().statistics().kernels_enqueued;
    for (std::int64_t libsgemm::Problem::*size :
         {&libsgemm::Problem::m, &libsgemm::Problem::n, &libsgemm::Problem::batch_count}) {
        libsgemm::Problem empty;
        empty.m = empty.n = empty.k = empty.batch_count = huge;
        empty.*size = 0;
        library().gemm(queue(), empty, 1, {}, {}, 1, {}).wait();
        EXPECT_NO_THROW(library().plan(empty));
        empty.lda = 0;
        expect_argument_error("lda", "0", "at least",
                              [&] { library().gemm(queue(), empty, 1, {}, {}, 1, {}); });
    }
    EXPECT_EQ(library().statistics().kernels_enqueued, before);
}

TEST_F(BadArguments, PackingComplainsOfItsOperandAlone) {
    libsgemm::Problem tall;
    tall.m = std::int64_t{1} << 31U;
    tall.k = 1;
    expect_argument_error("A.buffer", "4096 bytes", "8589934592 bytes", [&] {
        library().pack(queue(), tall, libsgemm::Operand::a, {make(CL_MEM_READ_WRITE).get()});
    });
    tall.n = std::int64_t{1} << 40U; // what products will have
    expect_argument_error("A.buffer", "null", "null",
                          [&] { library().pack(queue(), tall, libsgemm::Operand::a, {}); });
    libsgemm::Problem deep;
    deep.k = std::int64_t{1} << 40U;
    EXPECT_NO_THROW(library().pack(queue(), deep, libsgemm::Operand::a, {}).event().wait());
    EXPECT_NO_THROW(library().pack(queue(), deep, libsgemm::Operand::b, {}).event().wait());
    libsgemm::Problem wide; // no B, however many
    wide.n = wide.batch_count = std::int64_t{1} << 40U;
    EXPECT_NO_THROW(library().pack(queue(), wide, libsgemm::Operand::b, {}).event().wait());
    wide.k = std::int64_t{1} << 40U;
    wide.n = 1024;
    expect_argument_error("B", "1099511627776 x 1024, ld 1099511627776, batch 1099511627776",
                          "63 bits",
                          [&] { library().pack(queue(), wide, libsgemm::Operand::b, {}); });
    libsgemm::Problem shared; // by more products than C could have elements
    shared.n = 8;
    shared.k = 16;
    shared.batch_count = std::int64_t{1} << 61U;
    shared.batch_stride_b = 0;
    const Owned<cl_mem> b = make(CL_MEM_READ_WRITE);
    EXPECT_NO_THROW(
        library().pack(queue(), shared, libsgemm::Operand::b, {b.get()}).event().wait());
}

// --- enumerators ---------------------------------------------------------------------------------

TEST_F(BadArguments, WhatIsNoEnumeratorIsRefused) {
    const libsgemm::MultiDevice group(device().context(), {device().handle().device});
    const auto packed = library().pack(queue(), problem(), libsgemm::Operand::a, data().a());
    const auto refused = [&](const char* argument, const char* value, const auto& spoil) {
        libsgemm::Problem spoilt = problem();
        spoil(spoilt);
        const auto expect_refused = [&](const auto& call) {
            expect_argument_error(argument, value, "must be a value of", call);
        };
        expect_refused([&] { gemm(spoilt, 1, data().a(), 0, data().c()); });
        expect_refused([&] { library().plan(spoilt); });
        expect_refused([&] { group.shares(spoilt); });
        expect_refused(
            [&] { library().gemm(queue(), spoilt, 1, packed, data().b(), 0, data().c()); });
        expect_refused([&] { library().pack(queue(), spoilt, libsgemm::Operand::a, data().a()); });
    };
    refused("layout", "7", [](auto& p) { p.layout = static_cast<libsgemm::Layout>(7); });
    refused("transpose_a", "9",
            [](auto& p) { p.transpose_a = static_cast<libsgemm::Transpose>(9); });
    refused("transpose_b", "2",
            [](auto& p) { p.transpose_b = static_cast<libsgemm::Transpose>(2); });
    refused("precision", "6", [](auto& p) { p.precision = static_cast<libsgemm::Precision>(6); });
    const auto completion = static_cast<libsgemm::Completion>(2);
    const auto no_completion = [&](const auto& call) {
        expect_argument_error("completion", "2", "must be a value of", call);
    };
    no_completion([&] {
        library().gemm(queue(), problem(), 1, data().a(), data().b(), 0, data().c(), {},
                       completion);
    });
    no_completion([&] {
        library().gemm_batch(queue(), problem(), 1, {data().a().buffer, {0}},
                             {data().b().buffer, {0}}, 0, {data().c().buffer, {0}}, {}, completion);
    });
    no_completion([&] {
        group.gemm({queue()}, problem(), 1, data().a(), data().b(), 0, data().c(), {}, completion);
    });
    no_completion([&] {
        library().plan(problem()).enqueue(queue(), 1, data().a(), data().b(), 0, data().c(), {},
                                          completion);
    });
    libsgemm::ExpertPlanOptions options;
    options.edges = static_cast<libsgemm::EdgeStrategy>(6);
    expect_argument_error("edges", "6", "EdgeStrategy",
                          [&] { library().plan(problem(), options); });
    EXPECT_TRUE(data().untouched(queue()));
}

// --- objects -------------------------------------------------------------------------------------

TEST_F(BadArguments, StatisticsOfADeviceThatIsNotThere) {
    const libsgemm::MultiDevice group(device().context(), {device().handle().device});
    EXPECT_EQ(group.statistics(0).programs_built, 0U);
    expect_argument_error("device", "1", "1 devices", [&] { group.statistics(1); });
    expect_argument_error("device", "5", "1 devices", [&] { group.statistics(5); });
    expect_argument_error("offset_c", "-1", "negative", [&] { group.shares(problem(), -1); });
}

// NOLINTBEGIN(bugprone-use-after-move): that is what it is about
TEST_F(BadArguments, WhatWasMovedFromIsAnError) {
    const auto refused = [](const char* argument, const auto& call) {
        expect_argument_error(argument, "moved from", "must hold", call);
    };
    libsgemm::Context context = device().make_library();
    libsgemm::Context kept = std::move(context);
    refused("context",
            [&] { context.gemm(queue(), problem(), 1, data().a(), data().b(), 0, data().c()); });
    refused("context", [&] { context.gemm_batch(queue(), problem(), 1, {}, {}, 0, {}); });
    refused("context", [&] { context.plan(problem()); });
    refused("context", [&] { context.plan(problem(), {}); });
    refused("context", [&] { context.pack(queue(), problem(), libsgemm::Operand::a, data().a()); });
    refused("context", [&] { context.traits(); });
    refused("context", [&] { context.opencl_context(); });
    refused("context", [&] { context.opencl_device(); });
    refused("context", [&] { context.statistics(); });
    refused("context", [&] { context.release_workspace(); });
    libsgemm::PackedMatrix packed = kept.pack(queue(), problem(), libsgemm::Operand::a, data().a());
    refused("context",
            [&] { context.gemm(queue(), problem(), 1, packed, data().b(), 0, data().c()); });

    libsgemm::Plan plan = kept.plan(problem());
    const libsgemm::Plan kept_plan = std::move(plan);
    refused("plan", [&] { plan.describe(); });
    refused("plan", [&] { plan.summary(); });
    refused("plan", [&] { plan.kernel(); });
    refused("plan", [&] { plan.parameters(); });
    refused("plan", [&] { plan.passes(); });
    refused("plan", [&] { plan.workspace_bytes(); });
    refused("plan", [&] { plan.predicted_seconds(); });
    refused("plan", [&] { plan.precision(); });
    refused("plan", [&] { plan.bound_terms(); });
    refused("plan", [&] { plan.enqueue(queue(), 1, data().a(), data().b(), 0, data().c()); });

    libsgemm::MultiDevice group(device().context(), {device().handle().device});
    const libsgemm::MultiDevice kept_group = std::move(group);
    refused("devices",
            [&] { group.gemm({queue()}, problem(), 1, data().a(), data().b(), 0, data().c()); });
    refused("devices", [&] { group.shares(problem()); });
    refused("devices", [&] { group.statistics(0); });

    libsgemm::Event event = kept.gemm(queue(), problem(), 1, data().a(), data().b(), 0, data().c());
    const libsgemm::Event kept_event = std::move(event);
    EXPECT_EQ(event.get(), nullptr);
    EXPECT_NO_THROW(event.wait());
    kept_event.wait();

    context = kept; // copies and assignments are as before
    plan = context.plan(problem());
    EXPECT_EQ(plan.kernel(), kept_plan.kernel());
    EXPECT_NO_THROW(context.statistics());
}
// NOLINTEND(bugprone-use-after-move)

static_assert(std::is_assignable_v<libsgemm::PlanOptions&, libsgemm::PlanOptions> &&
              !std::is_assignable_v<libsgemm::PlanOptions&, libsgemm::ExpertPlanOptions> &&
              std::is_copy_assignable_v<libsgemm::ExpertPlanOptions>);

// --- options and environment ---------------------------------------------------------------------

/// At the same moment, whichever way they are given.
TEST_F(BadArguments, OptionsFailWhereAContextIsMade) {
    const auto refused = [&](const char* argument, const char* value, const auto& spoil) {
        libsgemm::ContextOptions options;
        spoil(options);
        expect_argument_error(argument, value, "", [&] { device().make_library(options); });
    };
    refused("kernel", "none", [](auto& o) { o.plan.kernel = "none"; });
    refused("parameters", "tile_m", [](auto& o) { o.plan.parameters["tile_m"] = 8; });
    refused("edges", "6", [](auto& o) {
        libsgemm::ExpertPlanOptions expert;
        expert.edges = static_cast<libsgemm::EdgeStrategy>(6);
        o.expert = std::make_shared<libsgemm::ExpertPlanOptions>(expert);
    });
    refused("options.plan", "set", [](auto& o) {
        o.plan.split_k = 2;
        o.expert = std::make_shared<libsgemm::ExpertPlanOptions>();
    });
    refused("split_k", "-1", [](auto& o) { o.plan.split_k = -1; });
    refused("offset_alignment", "3", [](auto& o) { o.plan.offset_alignment = 3; });
    refused("caller_threads", "-5", [](auto& o) { o.caller_threads = -5; });
    refused("caller_threads", "1025", [](auto& o) { o.caller_threads = 1025; });
    for (const auto& [name, value] :
         {std::pair{"SGEMM_KERNEL", "none"}, std::pair{"SGEMM_PRECISION", "none"},
          std::pair{"SGEMM_FIRST_USE", "many"}, std::pair{"SGEMM_CALLER_THREADS", "many"},
          std::pair{"SGEMM_CALLER_THREADS", "0"}}) {
        const EnvironmentVariable variable(name, value);
        refused(name, value, [](auto&) {});
    }
}

TEST_F(BadArguments, ADeviceThatTheEnvironmentNamesIsTheVariables) {
    const EnvironmentVariable variable("SGEMM_DEVICE", "no such device");
    expect_argument_error("SGEMM_DEVICE", "no such device",
                          "there are:", [] { libsgemm::select_device(); });
    expect_argument_error("device", "nor this",
                          "there are:", [] { libsgemm::select_device("nor this"); });
}

/// A table by which leading dimensions that collide are so slow, and launches so cheap, that k is
/// divided in launches that add to C, where the planner knows how; of that it is asked.
TEST_F(BadArguments, WhatAWriteOnlyCRulesOutIsAWarning) {
    const TemporaryFile table("parts.toml", R"(
[machine]
launch_us = 0.001
flops_per_cycle_per_unit = 1
ld_period = 1024
ld_slowdown = 100
[[kernel]]
name = "tiled"
model = { efficiency = 1 }
)");
    LogCollector log;
    libsgemm::ContextOptions options = log.options();
    options.table_file = table.path();
    libsgemm::ExpertPlanOptions in_place;
    in_place.kernel = "tiled";
    in_place.repack = libsgemm::Repack::never;
    in_place.edges = libsgemm::EdgeStrategy::guarded;
    options.expert = std::make_shared<libsgemm::ExpertPlanOptions>(in_place);
    const libsgemm::detail::Core divided(device().context(), device().handle().device, options,
                                         libsgemm::catalog::kernel_catalog());
    libsgemm::Problem wide;
    wide.m = wide.n = 64;
    wide.k = 200;
    wide.lda = wide.ldb = 1024;
    wide.transpose_b = libsgemm::Transpose::yes;
    const Owned<cl_mem> a = make(CL_MEM_READ_WRITE, std::size_t{1024} * 200);
    const Owned<cl_mem> c = make(CL_MEM_WRITE_ONLY, 64 * 64);
    const std::vector<cl_event> none;
    const auto run = [&](cl_mem result) {
        const libsgemm::validate::Matrices matrices{{a.get()}, {a.get()}, {result}};
        divided.gemm(wide, {queue(), 1, 0, matrices, none}).wait();
        return log.has(libsgemm::LogLevel::warning, "CL_MEM_WRITE_ONLY");
    };
    const Owned<cl_mem> plain = make(CL_MEM_READ_WRITE, 64 * 64);
    EXPECT_FALSE(run(plain.get()));
    in_place.offset_alignment = 16;
    const bool is_divided = libsgemm::planning::adds_to_c(divided.plan(wide, in_place)->value);
    EXPECT_EQ(run(c.get()), is_divided);
    if (!is_divided) { // which depends on the device's cores
        GTEST_SKIP() << "by this table k is not divided on the device: nothing to warn of";
    }
}

} // namespace
} // namespace sgemm_test
