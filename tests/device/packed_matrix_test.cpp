// SPDX-License-Identifier: Apache-2.0
// Packed operands: results as without, for every form of them; what a call waits for and launches.
#include "device/packed_fixture.hpp"
#include "support/device_matrix.hpp"

#include <array>
#include <cmath>
#include <thread>
#include <utility>

namespace sgemm_test::packed {
namespace {

TEST_P(Packed, EveryFormLeadingDimensionAndOffset) {
    std::mt19937_64 engine(base_seed());
    for (std::size_t form = 0; form < all_forms().size(); ++form) {
        for (const Extents& extents : {Extents{17, 33, 129}, Extents{130, 259, 131}}) {
            if (splits() && extents.m > 100 && form % 3 != 1) {
                continue; // emulation is ordinary code here, and slow
            }
            for (const Which which : all_ways) {
                Case c = make_case(extents, all_forms()[form]);
                vary(c, engine);
                ASSERT_TRUE(runs_right_packed(c, which));
            }
        }
    }
}

/// A vector may be taken for a line of either index (Semantics.VectorsMayLieAlongEitherIndex), a
/// packed one may not.
TEST_P(Packed, VectorsOfContiguousElements) {
    for (const Form& form : all_forms()) {
        for (const Extents& extents :
             {Extents{1, 70, 45}, Extents{70, 1, 45}, Extents{40, 50, 1}}) {
            for (const Which which : all_ways) {
                Case c = plain_case(extents.m, extents.n, extents.k);
                set_form(c, form);
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

/// What is not packed lies along k, in whole vectors of four: launches may pack it for each other.
TEST_P(Packed, OneBesideAnotherAlongK) {
    for (const Extents& extents : {Extents{300, 70, 332}, Extents{70, 300, 2100}}) {
        for (const Values values : {Values::uniform, Values::nan_and_inf}) {
            Case c = make_case(extents, all_forms()[2]); // A transposed, B not
            c.values = values;
            c.beta = 0.5F;
            for (const Which which : all_ways) {
                ASSERT_TRUE(runs_right_packed(c, which)) << extents.m << "x" << extents.n;
            }
        }
    }
}

/// A is scanned and packed, multiplied in two launches, and what they leave to strict in one.
TEST_P(Packed, SharesOfOneBesideAnother) {
    CaseData data(device(), make_case({300, 70, 332}, all_forms()[2]));
    const PackedMatrix b = pack(data, Operand::b);
    const auto launched = launches([&] { multiply(data, Which::b, nullptr, &b).wait(); });
    if (GetParam().ends_with(shares)) {
        EXPECT_EQ(launched, 4U);
    } else if (splits()) {
        EXPECT_LE(launched, 4U);
    }
    EXPECT_TRUE(data.verify(queue()));
}

/// One matrix, packed without a batch, stands for that of every product.
TEST_P(Packed, OneMatrixForAllOfABatch) {
    Case c = make_case({40, 37, 130}, all_forms()[0]);
    c.problem.batch_count = 3;
    c.problem.batch_stride_a = 0;
    CaseData data(device(), c);
    libsgemm::Problem one = c.problem;
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

/// Finite values that half precision cannot hold, in a packed operand: the strict kernel takes its
/// copy.
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
        libsgemm::Problem problem = plain_case(m, n, k).problem;
        problem.layout = libsgemm::Layout::row_major;
        problem.transpose_b = libsgemm::Transpose::yes;
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
    const Owned<cl_event> gate = make_user_event(device().context());
    const auto other = device().make_queue();
    const PackedMatrix a =
        library().pack(other.get(), c.problem, Operand::a, data.a(), {gate.get()});
    const libsgemm::Event done = multiply(data, Which::a, &a, nullptr);
    clFlush(other.get());
    clFlush(queue());
    cl_int state = CL_COMPLETE;
    check_status(clGetEventInfo(done.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state,
                                nullptr),
                 "clGetEventInfo");
    EXPECT_NE(state, CL_COMPLETE);
    complete(gate);
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

/// Small enough for a run under Oclgrind, and one run only: memory that was a packed operand's
/// counts there as uninitialised when a matrix gets it next.
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
    const auto plain = launches([&] { data.gemm(library(), queue()).wait(); });
    const auto one = launches([&] { multiply(data, Which::a, &a, nullptr).wait(); });
    const auto both = launches([&] { multiply(data, Which::both, &a, &b).wait(); });
    // Else the planner may choose other kernels; here: the product, and what it leaves to strict.
    if (splits()) {
        EXPECT_LE(one, plain);
        EXPECT_EQ(both, has_strict() ? 1U : 2U);
        EXPECT_LT(both, plain);
    }
}

TEST_P(Packed, SaysWhatItHolds) {
    const Case c = make_case({20, 30, 128}, all_forms()[0]);
    const CaseData data(device(), c);
    const PackedMatrix b = pack(data, Operand::b);
    EXPECT_EQ(b.operand(), Operand::b);
    EXPECT_EQ(b.precision(), scheme());
    EXPECT_GE(b.bytes(), sizeof(float) * 30U * 128U * (splits() ? 2U : 1U));
    EXPECT_NE(b.describe().find("B 128x30"), std::string::npos) << b.describe();
    libsgemm::Problem unknown = c.problem; // how many rows products will have
    unknown.m = 0;
    EXPECT_NO_THROW(library().pack(queue(), unknown, Operand::b, data.b()));
}

// For packed_matrix_errors_test.cpp, too.
INSTANTIATE_TEST_SUITE_P(Kernels, Packed,
                         ::testing::Values("", "emulated_fp16", "emulated_tf32", "emulated_bf16",
                                           "emulated_fp16_inside", "emulated_fp16_one_pass",
                                           "emulated_bf16_one_pass_inside",
                                           "emulated_fp16_one_pass_shares"),
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

/// The number of blocks along k may have to be even for the tiles of one size and not for those of
/// another.
TEST_F(PackedPrecision, ProductsOfOtherSizesThanItWasPackedFor) {
    const bool has_units = device().handle().traits.compute_capability == 90;
    const std::int64_t k = 129 * (has_units ? 16 : 2); // strict anyhow without them
    for (const std::int64_t size : {1500, 50}) {       // of the products that it is packed for
        Case first = plain_case(1100, size, k);
        first.problem.precision = Precision::tf32x3;
        const CaseData source(device(), first);
        const PackedMatrix a = library().pack(queue(), first.problem, Operand::a, source.a());
        EXPECT_EQ(a.precision(), has_units ? Precision::tf32x3 : Precision::strict);
        for (const std::int64_t n : {50, 1500}) { // the same seed gives the same A
            Case c = plain_case(1100, n, k);
            c.problem.precision = Precision::tf32x3;
            CaseData data(device(), c);
            library().gemm(queue(), c.problem, c.alpha, a, data.b(), c.beta, data.c());
            EXPECT_TRUE(data.verify(queue())) << a.describe() << ", n = " << n;
            CaseData again(device(), c);
            const PackedMatrix b = library().pack(queue(), c.problem, Operand::b, again.b());
            library().gemm(queue(), c.problem, c.alpha, a, b, c.beta, again.c());
            EXPECT_TRUE(again.verify(queue())) << b.describe() << ", both";
        }
    }
}

} // namespace
} // namespace sgemm_test::packed
