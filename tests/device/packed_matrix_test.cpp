// SPDX-License-Identifier: Apache-2.0
// Operands that are packed once and multiplied many times: results as without, for every form of them; wrong use; what
// a call waits for and launches. With each scheme that splits operands, by ordinary code in the place of the units, and
// with what the planner chooses.
#include "device/kernel_fixture.hpp"
#include "sgemm/packed_matrix.hpp"
#include "support/case_data.hpp"

#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <ostream>
#include <string_view>
#include <thread>
#include <utility>

namespace sgemm_test {
namespace {

using sgemm::Operand;
using sgemm::PackedMatrix;
using sgemm::Precision;

/// Which operands of a call are packed.
enum class Which : std::uint8_t { a, b, both };

std::ostream& operator<<(std::ostream& out, Which which) {
    return out << (which == Which::a ? "A packed" : which == Which::b ? "B packed" : "both packed");
}

constexpr Which all_ways[] = {Which::a, Which::b, Which::both};

constexpr std::string_view inside = "_inside";

/// The parameter: a kernel of the catalogue, with `inside` if it has the strict product in its launch, or nothing where the
/// planner chooses.
class Packed : public DeviceTest, public ::testing::WithParamInterface<std::string> {
protected:
    void SetUp() override {
        DeviceTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) {
            return;
        }
        sgemm::ContextOptions options;
        if (!GetParam().empty()) {
            entry_ = sgemm::catalog::kernel_catalog().find(
                GetParam().substr(0, GetParam().size() - (has_strict() ? inside.size() : 0)));
            ASSERT_NE(entry_, nullptr);
            auto parameters = entry_->defaults();
            parameters.set("strict_launches", has_strict() ? 0 : 1);
            parameters.set("units", 0);
            parameters.set("tile_m", 32);
            parameters.set("tile_n", 32);
            options.plan = forced(*entry_, parameters);
            if (!obstacles(*entry_, parameters, device().handle().traits).empty()) {
                GTEST_SKIP() << "this device cannot";
            }
        }
        library_.emplace(device().make_library(options));
    }

    const sgemm::Context& library() const { return *library_; }
    static bool has_strict() { return GetParam().ends_with(inside); }
    bool splits() const { return entry_ != nullptr; }
    Precision scheme() const { return splits() ? entry_->precision : Precision::strict; }

    static Case make_case(const Extents& extents, const Form& form) {
        Case result = plain_case(extents.m, extents.n, extents.k);
        set_form(result, form);
        return result;
    }
    PackedMatrix pack(const CaseData& data, Operand operand) const {
        return library().pack(queue(), data.test_case().problem, operand,
                              operand == Operand::a ? data.a() : data.b());
    }
    sgemm::Event multiply(const CaseData& data, Which which, const PackedMatrix* a,
                          const PackedMatrix* b) const {
        const Case& c = data.test_case();
        switch (which) {
        case Which::a:
            return library().gemm(queue(), c.problem, c.alpha, *a, data.b(), c.beta, data.c());
        case Which::b:
            return library().gemm(queue(), c.problem, c.alpha, data.a(), *b, c.beta, data.c());
        default:
            return library().gemm(queue(), c.problem, c.alpha, *a, *b, c.beta, data.c());
        }
    }
    /// Packs, multiplies, verifies.
    ::testing::AssertionResult runs_right_packed(const Case& c, Which which,
                                                 Guards guards = Guards::around) const {
        CaseData data(device(), c, guards);
        std::optional<PackedMatrix> a;
        std::optional<PackedMatrix> b;
        if (which != Which::b) {
            a.emplace(pack(data, Operand::a));
        }
        if (which != Which::a) {
            b.emplace(pack(data, Operand::b));
        }
        multiply(data, which, a ? &*a : nullptr, b ? &*b : nullptr);
        auto result = data.verify(queue());
        return result ? result : ::testing::AssertionFailure() << result.message() << which;
    }

private:
    const sgemm::catalog::KernelEntry* entry_ = nullptr;
    std::optional<sgemm::Context> library_;
};

TEST_P(Packed, EveryFormLeadingDimensionAndOffset) {
    std::mt19937_64 engine(base_seed());
    for (const Form& form : all_forms()) {
        for (const Extents& extents : {Extents{17, 33, 129}, Extents{130, 259, 131}}) {
            for (const Which which : all_ways) {
                Case c = make_case(extents, form);
                vary(c, engine);
                ASSERT_TRUE(runs_right_packed(c, which));
            }
        }
    }
}

TEST_P(Packed, SmallIntegersAreExact) {
    for (const Form& form : all_forms()) {
        Case c = make_case({70, 45, 33}, form);
        c.values = Values::small_integers;
        c.alpha = -2.0F;
        c.beta = 3.0F;
        for (const Which which : all_ways) {
            ASSERT_TRUE(runs_right_packed(c, which));
        }
    }
}

TEST_P(Packed, NanAndInfGoWhereTheReferenceHasThem) {
    for (const Form& form : {all_forms()[0], all_forms()[3], all_forms()[6]}) {
        Case c = make_case({65, 70, 140}, form);
        c.values = Values::nan_and_inf;
        for (const Which which : all_ways) {
            ASSERT_TRUE(runs_right_packed(c, which));
        }
    }
}

TEST_P(Packed, BatchesOfTheirOwnAndShared) {
    for (const bool shared : {false, true}) {
        for (const Form& form : {all_forms()[0], all_forms()[7]}) {
            Case c = make_case({70, 37, 150}, form);
            c.problem.batch_count = 3;
            spread(c.problem, {1, 0, 2}, 5);
            if (shared) {
                c.problem.batch_stride_a = c.problem.batch_stride_b = 0;
            }
            c.beta = -1.0F;
            for (const Which which : all_ways) {
                ASSERT_TRUE(runs_right_packed(c, which));
                c.values = Values::nan_and_inf;
                ASSERT_TRUE(runs_right_packed(c, which));
                c.values = Values::uniform;
            }
        }
    }
}

/// One matrix, packed without a batch, stands for that of every product.
TEST_P(Packed, OneMatrixForAllOfABatch) {
    Case c = make_case({40, 37, 130}, all_forms()[0]);
    c.problem.batch_count = 3;
    c.problem.batch_stride_a = 0;
    CaseData data(device(), c);
    sgemm::Problem one = c.problem;
    one.batch_count = 1;
    const PackedMatrix a = library().pack(queue(), one, Operand::a, data.a());
    library().gemm(queue(), c.problem, c.alpha, a, data.b(), c.beta, data.c());
    EXPECT_TRUE(data.verify(queue()));
}

TEST_P(Packed, ManyCallsWithOtherOperandsAndScalars) {
    constexpr std::int64_t m = 75;
    constexpr std::int64_t k = 140;
    const Case first = make_case({m, 90, k}, all_forms()[2]);
    const CaseData source(device(), first);
    const PackedMatrix a = pack(source, Operand::a);
    EXPECT_EQ(a.precision(), scheme());
    for (const std::int64_t n : {1, 40, 90, 300}) { // the same seed gives the same A
        for (const float beta : {0.0F, 1.0F, -0.5F}) {
            Case c = make_case({m, n, k}, all_forms()[2]);
            c.alpha = 1.0F - beta;
            c.beta = beta;
            CaseData data(device(), c);
            multiply(data, Which::a, &a, nullptr);
            ASSERT_TRUE(data.verify(queue())) << a.describe();
        }
    }
}

TEST_P(Packed, EqualCallsGiveEqualBits) {
    Case c = make_case({75, 66, 140}, all_forms()[1]);
    std::vector<std::vector<float>> results;
    CaseData data(device(), c);
    const PackedMatrix a = pack(data, Operand::a);
    const PackedMatrix b = pack(data, Operand::b);
    for (int i = 0; i < 3; ++i) {
        multiply(data, Which::both, &a, &b).wait();
        results.push_back(data.result(queue()));
    }
    for (const auto& result : results) {
        EXPECT_TRUE(std::equal(result.begin(), result.end(), results.front().begin(), same_bits));
    }
}

Owned<cl_mem> upload(const TestDevice& device, const std::vector<float>& values) {
    cl_int status = CL_SUCCESS;
    Owned<cl_mem> buffer(clCreateBuffer(device.context(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                        values.size() * sizeof(float),
                                        const_cast<float*>(values.data()), &status));
    check_status(status, "clCreateBuffer");
    return buffer;
}

/// Finite values that half precision cannot hold, in a packed operand: the strict kernel takes its copy.
TEST_P(Packed, ValuesThatTheSchemeCannotTakeKeepTheBound) {
    constexpr std::int64_t m = 40;
    constexpr std::int64_t n = 35;
    constexpr std::int64_t k = 160;
    for (const bool ordinary_first : {true, false}) {
        const auto fill = [&](std::int64_t count, bool wide, std::uint64_t seed) {
            std::vector<float> values = make_values(Values::uniform, count, seed);
            for (std::size_t i = 0; wide && i < values.size(); ++i) {
                values[i] = std::ldexp(values[i], i % 2 == 0 ? 30 : -30);
            }
            return values;
        };
        const std::vector<float> host_a = fill(m * k, !ordinary_first, 1);
        const std::vector<float> host_b = fill(k * n, true, 2);
        const auto a = upload(device(), host_a);
        const auto b = upload(device(), host_b);
        std::vector<float> got(m * n, guard_value);
        const auto c = upload(device(), got);
        sgemm::Problem problem = plain_case(m, n, k).problem;
        problem.layout = sgemm::Layout::row_major;
        problem.transpose_b = sgemm::Transpose::yes;
        const PackedMatrix packed = library().pack(queue(), problem, Operand::a, {a.get(), 0});
        library().gemm(queue(), problem, 1.0F, packed, {b.get(), 0}, 0.0F, {c.get(), 0});
        check_status(clEnqueueReadBuffer(queue(), c.get(), CL_TRUE, 0, got.size() * sizeof(float),
                                         got.data(), 0, nullptr, nullptr),
                     "clEnqueueReadBuffer");
        for (std::int64_t i = 0; i < m; ++i) {
            for (std::int64_t j = 0; j < n; ++j) {
                double exact = 0;
                double magnitude = 0;
                for (std::int64_t p = 0; p < k; ++p) {
                    const double product =
                        static_cast<double>(host_a[static_cast<std::size_t>(i * k + p)]) *
                        static_cast<double>(host_b[static_cast<std::size_t>(j * k + p)]);
                    exact += product;
                    magnitude += std::fabs(product);
                }
                const double bound = (k + 4) * 0x1p-24 * magnitude + k * 0x1p-149;
                ASSERT_LE(std::fabs(static_cast<double>(got[static_cast<std::size_t>(i * n + j)]) -
                                    exact),
                          bound)
                    << i << ' ' << j;
            }
        }
    }
}

TEST_P(Packed, TheMatrixIsNotNeededOnceItIsPacked) {
    const Case c = make_case({70, 60, 140}, all_forms()[0]);
    CaseData data(device(), c);
    std::optional<PackedMatrix> packed;
    {
        const DeviceMatrix own(device(), data.host_a());
        PackedMatrix made = library().pack(queue(), c.problem, Operand::a, own.matrix());
        const std::vector<float> spoilt(8, guard_value);
        made.event().wait();
        check_status(clEnqueueWriteBuffer(queue(), own.matrix().buffer, CL_TRUE, 0,
                                          spoilt.size() * sizeof(float), spoilt.data(), 0, nullptr,
                                          nullptr),
                     "clEnqueueWriteBuffer");
        packed.emplace(std::move(made));
    }
    multiply(data, Which::a, &*packed, nullptr);
    packed.reset(); // its memory lives as long as the call
    EXPECT_TRUE(data.verify(queue()));
}

TEST_P(Packed, CallsWaitUntilItIsPacked) {
    const Case c = make_case({70, 60, 140}, all_forms()[0]);
    CaseData data(device(), c);
    pack(data, Operand::a).event().wait(); // compiled
    cl_int status = CL_SUCCESS;
    const Owned<cl_event> gate(clCreateUserEvent(device().context(), &status));
    check_status(status, "clCreateUserEvent");
    const auto other = device().make_queue();
    const PackedMatrix a =
        library().pack(other.get(), c.problem, Operand::a, data.a(), {gate.get()});
    const sgemm::Event done = multiply(data, Which::a, &a, nullptr);
    clFlush(other.get());
    clFlush(queue());
    cl_int state = CL_COMPLETE;
    check_status(clGetEventInfo(done.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state,
                                nullptr),
                 "clGetEventInfo");
    EXPECT_NE(state, CL_COMPLETE);
    check_status(clSetUserEventStatus(gate.get(), CL_COMPLETE), "clSetUserEventStatus");
    done.wait();
    EXPECT_TRUE(data.verify(queue()));
}

TEST_P(Packed, OutOfOrderQueues) {
    if (!device().has_out_of_order_queues()) {
        GTEST_SKIP() << "no such queues";
    }
    const auto queue = device().make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    Case c = make_case({70, 60, 140}, all_forms()[5]);
    for (int i = 0; i < 5; ++i) {
        CaseData data(device(), c);
        const PackedMatrix a = library().pack(queue.get(), c.problem, Operand::a, data.a());
        const PackedMatrix b = library().pack(queue.get(), c.problem, Operand::b, data.b());
        library().gemm(queue.get(), c.problem, c.alpha, a, b, c.beta, data.c());
        ASSERT_TRUE(data.verify(queue.get()));
    }
}

TEST_P(Packed, ThreadsShareOne) {
    const Case c = make_case({60, 50, 130}, all_forms()[0]);
    const CaseData source(device(), c);
    const PackedMatrix a = pack(source, Operand::a);
    std::array<::testing::AssertionResult, 3> results{::testing::AssertionFailure(),
                                                      ::testing::AssertionFailure(),
                                                      ::testing::AssertionFailure()};
    std::vector<std::thread> threads;
    for (auto& result : results) {
        threads.emplace_back([&, copy = a] {
            const auto queue = device().make_queue();
            CaseData data(device(), c);
            for (int i = 0; i < 4; ++i) {
                library().gemm(queue.get(), c.problem, c.alpha, copy, data.b(), c.beta, data.c());
            }
            result = data.verify(queue.get());
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (const auto& result : results) {
        EXPECT_TRUE(result);
    }
}

TEST_P(Packed, NothingToMultiply) {
    for (const Extents& extents : {Extents{0, 5, 4}, Extents{5, 0, 4}, Extents{5, 4, 0}}) {
        const Case c = make_case(extents, all_forms()[0]);
        CaseData data(device(), c);
        const PackedMatrix a = pack(data, Operand::a);
        a.event().wait();
        multiply(data, Which::a, &a, nullptr);
        EXPECT_TRUE(data.verify(queue())) << a.describe();
    }
    Case c = make_case({40, 50, 128}, all_forms()[0]);
    c.values = Values::all_nan;
    c.alpha = 0.0F;
    c.beta = 2.0F;
    EXPECT_TRUE(runs_right_packed(c, Which::both));
}

/// Small enough for a run under Oclgrind, and one run only: memory that was a packed operand's counts there as
/// uninitialised when a matrix gets it next.
TEST_P(Packed, SmallBatch) {
    Case c = make_case({9, 10, 40}, all_forms()[1]);
    c.problem.batch_count = 2;
    spread(c.problem, {1, 0, 2}, 3);
    c.problem.batch_stride_b = 0;
    c.beta = 0.5F;
    c.values = Values::small_integers;
    EXPECT_TRUE(runs_right_packed(c, Which::a, Guards::none));
}

TEST_P(Packed, LaunchesOnlyWhatIsLeftToDo) {
    const Case c = make_case({70, 60, 140}, all_forms()[0]);
    const CaseData data(device(), c);
    const PackedMatrix a = pack(data, Operand::a);
    const PackedMatrix b = pack(data, Operand::b);
    const auto launches = [&](const std::function<void()>& call) {
        const auto before = library().statistics().kernels_enqueued;
        call();
        return library().statistics().kernels_enqueued - before;
    };
    const auto plain = launches([&] { data.gemm(library(), queue()).wait(); });
    const auto one = launches([&] { multiply(data, Which::a, &a, nullptr).wait(); });
    const auto both = launches([&] { multiply(data, Which::both, &a, &b).wait(); });
    EXPECT_LE(one, plain);
    if (splits()) { // the product, and what it leaves to strict
        EXPECT_EQ(both, has_strict() ? 1U : 2U);
        EXPECT_LT(both, plain);
    }
}

struct WrongUse {
    const char* name;
    const char* argument;
    const char* part; ///< of the message
    std::function<void(sgemm::Problem&)> spoil;
};

TEST_P(Packed, AnotherProblemIsAnArgumentError) {
    const std::vector<WrongUse> uses = {
        {"rows", "A", "extents", [](sgemm::Problem& p) { --p.m; }},
        {"depth", "A", "extents", [](sgemm::Problem& p) { --p.k; }},
        {"op", "A", "transposed", [](sgemm::Problem& p) { p.transpose_a = sgemm::Transpose::yes; }},
        {"layout", "A", "row-major",
         [](sgemm::Problem& p) { p.layout = sgemm::Layout::row_major; }},
        {"precision", "A", "tf32x3", [](sgemm::Problem& p) { p.precision = Precision::tf32x3; }},
        {"no precision", "precision", "value of Precision",
         [](sgemm::Problem& p) { p.precision = static_cast<Precision>(17); }},
        {"batch", "A", "matrices", [](sgemm::Problem& p) { p.batch_count = 3; }},
    };
    Case c = make_case({20, 20, 128}, all_forms()[0]);
    c.problem.batch_count = 2;
    CaseData data(device(), c);
    const PackedMatrix a = pack(data, Operand::a);
    for (const WrongUse& use : uses) {
        sgemm::Problem problem = c.problem;
        use.spoil(problem);
        const auto before = library().statistics().kernels_enqueued;
        try {
            library().gemm(queue(), problem, 1.0F, a, data.b(), 0.0F, data.c());
            ADD_FAILURE() << use.name << " is accepted";
        } catch (const sgemm::ArgumentError& error) {
            EXPECT_EQ(error.argument(), use.argument) << use.name;
            EXPECT_NE(std::string(error.what()).find(use.part), std::string::npos) << error.what();
        }
        EXPECT_EQ(library().statistics().kernels_enqueued, before);
    }
    EXPECT_TRUE(data.untouched(queue()));
}

TEST_P(Packed, AnotherPlaceContextOrNothingIsAnArgumentError) {
    const Case c = make_case({20, 20, 128}, all_forms()[0]);
    CaseData data(device(), c);
    PackedMatrix a = pack(data, Operand::a);
    const auto expect_error = [&](const char* argument, const char* part, const auto& call) {
        try {
            call();
            ADD_FAILURE() << part;
        } catch (const sgemm::ArgumentError& error) {
            EXPECT_EQ(error.argument(), argument);
            EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
        }
    };
    expect_error("B", "packed as",
                 [&] { library().gemm(queue(), c.problem, 1.0F, data.a(), a, 0.0F, data.c()); });
    const sgemm::Context other = device().make_library();
    expect_error("A", "this Context",
                 [&] { other.gemm(queue(), c.problem, 1.0F, a, data.b(), 0.0F, data.c()); });
    const PackedMatrix kept = std::move(a);
    expect_error("packed matrix", "moved from", [&] {
        library().gemm(queue(), c.problem, 1.0F, a, // NOLINT(bugprone-use-after-move)
                       data.b(), 0.0F, data.c());
    });
    EXPECT_THROW(a.describe(), sgemm::ArgumentError); // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(kept.operand(), Operand::a);
    a = kept;
    multiply(data, Which::a, &a, nullptr);
    EXPECT_TRUE(data.verify(queue()));
}

TEST_P(Packed, WhatIsPackedIsCheckedAsACallIs) {
    const Case c = make_case({20, 20, 128}, all_forms()[0]);
    const CaseData data(device(), c);
    const auto fails = [&](const sgemm::Problem& problem, Operand operand,
                           const sgemm::Matrix& matrix, const char* argument) {
        try {
            library().pack(queue(), problem, operand, matrix);
            ADD_FAILURE() << argument << " is accepted";
        } catch (const sgemm::ArgumentError& error) {
            EXPECT_EQ(error.argument(), argument);
        }
    };
    sgemm::Problem short_line = c.problem;
    short_line.lda = 19;
    fails(short_line, Operand::a, data.a(), "lda");
    fails(c.problem, Operand::a, {nullptr, 0}, "A.buffer");
    fails(c.problem, Operand::b, {data.b().buffer, 1 << 20}, "B.offset");
    fails(c.problem, static_cast<Operand>(7), data.a(), "operand");
    // Braces are a matrix, as they were before there were packed ones.
    EXPECT_NO_THROW(library().gemm(queue(), c.problem, 0, {nullptr, 0}, {nullptr, 0}, 1, data.c()));
    EXPECT_NO_THROW(library().gemm(queue(), c.problem, 0, {}, {}, 1, data.c()));
    short_line.ldb = 1; // not the operand's
    short_line.lda = sgemm::tight;
    EXPECT_NO_THROW(library().pack(queue(), short_line, Operand::a, data.a()));
}

TEST_P(Packed, SaysWhatItHolds) {
    const Case c = make_case({20, 30, 128}, all_forms()[0]);
    const CaseData data(device(), c);
    const PackedMatrix b = pack(data, Operand::b);
    EXPECT_EQ(b.operand(), Operand::b);
    EXPECT_EQ(b.precision(), scheme());
    EXPECT_GE(b.bytes(), sizeof(float) * 30U * 128U * (splits() ? 2U : 1U));
    EXPECT_NE(b.describe().find("B 128x30"), std::string::npos) << b.describe();
    sgemm::Problem unknown = c.problem; // how many rows products will have
    unknown.m = 0;
    EXPECT_NO_THROW(library().pack(queue(), unknown, Operand::b, data.b()));
}

INSTANTIATE_TEST_SUITE_P(Kernels, Packed,
                         ::testing::Values("", "emulated_fp16", "emulated_tf32", "emulated_bf16",
                                           "emulated_fp16_inside"),
                         [](const auto& one) {
                             return one.param.empty() ? std::string("automatic") : one.param;
                         });

class PackedPrecision : public DeviceTest {};

TEST_F(PackedPrecision, EveryPrecisionRunsEverywhere) {
    for (const Precision precision : {Precision::strict, Precision::emulated, Precision::fp16x2,
                                      Precision::tf32x3, Precision::bf16x3}) {
        Case c = plain_case(300, 270, 260);
        c.problem.precision = precision;
        CaseData data(device(), c);
        const PackedMatrix a = library().pack(queue(), c.problem, Operand::a, data.a());
        library().gemm(queue(), c.problem, c.alpha, a, data.b(), c.beta, data.c());
        EXPECT_TRUE(data.verify(queue())) << a.describe();
        if (device().handle().traits.compute_capability == 90 && precision > Precision::emulated) {
            EXPECT_EQ(a.precision(), precision);
        }
    }
}

} // namespace
} // namespace sgemm_test
