// SPDX-License-Identifier: Apache-2.0
// FP32 emulation: what BLAS says in every form and size, in batches, with split-K and from run to
// run.
#include "device/emulated_fixture.hpp"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

namespace sgemm_test::emulated {
namespace {

const std::vector<Extents>& sizes() {
    static const std::vector<Extents> list = {{1, 1, 128},     {17, 33, 129},   {64, 31, 160},
                                              {129, 127, 200}, {130, 259, 131}, {257, 128, 256}};
    return list;
}

TEST_P(Emulated, EveryFormAndSize) {
    std::mt19937_64 engine(base_seed());
    for (std::size_t form = 0; form < all_forms().size(); ++form) {
        for (std::size_t size = 0; size < sizes().size(); ++size) {
            if (is_slow() && (form + size / 2) % 2 != 0) {
                continue;
            }
            Case c = make_case(sizes()[size], all_forms()[form]);
            vary(c, engine);
            ASSERT_TRUE(runs_right(device(), c));
        }
    }
}

TEST_P(Emulated, SmallIntegersAreExactAtAnyDepth) {
    for (std::size_t form = 0; form < all_forms().size(); ++form) {
        for (const std::int64_t k : {1, 15, 33, 128, 300, 2048, 2100, 4133}) {
            if (is_slow() && k > 300 && form % 3 != 0) {
                continue;
            }
            Case c = make_case({70, 45, k}, all_forms()[form]);
            c.values = Values::small_integers;
            c.alpha = -2.0F;
            c.beta = 3.0F;
            ASSERT_TRUE(runs_right(device(), c));
        }
    }
}

TEST_P(Emulated, NanAndInfGoWhereTheReferenceHasThem) {
    for (const Form& form : all_forms()) {
        for (const Extents& extents :
             {Extents{65, 70, 140}, Extents{129, 257, 37}, Extents{16, 3, 8}}) {
            Case c = make_case(extents, form);
            c.values = Values::nan_and_inf;
            c.beta = form.a == form.b ? 1.0F : 0.0F;
            ASSERT_TRUE(runs_right(device(), c));
        }
    }
}

TEST_P(Emulated, NonFiniteScalarsPropagateAndZeroReadsNothing) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    for (const float special : {infinity, std::numeric_limits<float>::quiet_NaN()}) {
        Case c = make_case({40, 50, 128}, all_forms()[0]);
        c.alpha = special;
        ASSERT_TRUE(runs_right(device(), c));
        c.alpha = 1.0F;
        c.beta = special;
        ASSERT_TRUE(runs_right(device(), c));
        c.values = Values::all_nan;
        c.alpha = 0.0F;
        c.beta = 2.0F;
        ASSERT_TRUE(runs_right(device(), c));
    }
}

TEST_P(Emulated, BatchesAreIndependentAndMayShareOperands) {
    for (const int shared : {0, 1, 2, 3}) {
        Case c = make_case({70, 37, 150}, all_forms()[static_cast<std::size_t>(shared) * 2]);
        c.problem.batch_count = 3;
        spread(c.problem, {1, 0, 2}, 5);
        c.problem.batch_stride_a = shared % 2 == 1 ? 0 : c.problem.batch_stride_a;
        c.problem.batch_stride_b = shared / 2 == 1 ? 0 : c.problem.batch_stride_b;
        c.beta = -1.0F;
        ASSERT_TRUE(runs_right(device(), c));
        c.values = Values::nan_and_inf; // of one matrix of the batch: the others are not spoilt
        ASSERT_TRUE(runs_right(device(), c));
    }
}

/// What the batch shares is read by its first groups alone: there is nothing before it that others
/// might read.
TEST_P(Emulated, SharedOperandsBeginWhereTheirBuffersDo) {
    for (const std::size_t form : {std::size_t{0}, std::size_t{3}}) { // column-major NN and TT
        for (const bool is_a : {true, false}) {
            Case c = make_case({40, 37, 70}, all_forms()[form]);
            c.problem.batch_count = 2;
            spread(c.problem, {0, 0, 0}, 0);
            (is_a ? c.problem.batch_stride_a : c.problem.batch_stride_b) = 0;
            ASSERT_TRUE(runs_right(device(), library(), c, Guards::none));
        }
    }
}

/// More tiles than a device has compute units, and few steps in each: those who copy are several
/// tiles ahead.
TEST_P(Emulated, WorkGroupsTakeTileAfterTile) {
    for (const std::int64_t k : {20, 70}) {
        Case c = make_case({130, 260, k}, all_forms()[0]);
        c.problem.batch_count = is_slow() ? 12 : 80;
        spread(c.problem, {0, 0, 0}, 0);
        c.beta = 0.5F;
        ASSERT_TRUE(runs_right(device(), c));
        c.values = Values::nan_and_inf; // in some matrices: emulated and strictly, alternating
        ASSERT_TRUE(runs_right(device(), c));
    }
}

/// One matrix of more tiles than a device has compute units: what is copied ahead of the verdict,
/// and what comes after.
TEST_P(Emulated, OneMatrixOfManyTiles) {
    const Extents many =
        is_slow() ? Extents{130, 140, 0} : Extents{GetParam().tile_n == 256 ? 4200 : 2100, 2090, 0};
    for (const std::int64_t k : {40, GetParam().shares == 1 ? 330 : 332}) {
        Case c = make_case({many.m, many.n, k}, all_forms()[1]);
        ASSERT_TRUE(runs_right(device(), c));
        c.values = Values::nan_and_inf;
        ASSERT_TRUE(runs_right(device(), c));
    }
}

TEST_P(Emulated, SplitKInEveryForm) {
    std::mt19937_64 engine(base_seed());
    for (std::size_t form = 0; form < all_forms().size(); ++form) {
        const std::vector<int> all = {2, 3, 5};
        for (const int split_k : is_slow() ? std::vector{all[form % 3]} : all) {
            split_k_ = split_k;
            Case c = make_case({70, 133, 520}, all_forms()[form]);
            vary(c, engine);
            ASSERT_TRUE(runs_right(device(), c));
            c.values = Values::nan_and_inf; // the sum of parts that nothing wrote is not to be seen
            ASSERT_TRUE(runs_right(device(), c));
        }
    }
}

/// Where the strict product is inside, tiles of up to 64 blocks of k are multiplied before it is
/// known whether the splits hold, longer ones are not.
TEST_P(Emulated, TurnsAsLongAsMayBeMultipliedAheadAndLonger) {
    const int block = GetParam().kernel == std::string_view("emulated_fp16") ? 32 : 16;
    const std::int64_t ahead = 64 * block;
    for (const std::int64_t k : {ahead, ahead + 1}) {
        for (const int split_k : {1, 2}) {
            split_k_ = split_k;
            Case c = make_case({70, 45, split_k * k}, all_forms()[2]);
            c.beta = 1.0F;
            ASSERT_TRUE(runs_right(device(), c));
            c.values = Values::nan_and_inf;
            ASSERT_TRUE(runs_right(device(), c));
        }
    }
    if (GetParam().units && GetParam().strict_launches == 0) { // several tiles of each group
        split_k_ = 5;
        Case c = make_case({1400, 520, split_k_ * (ahead + 1)}, all_forms()[1]);
        ASSERT_TRUE(runs_right(device(), c));
        c.values = Values::nan_and_inf;
        ASSERT_TRUE(runs_right(device(), c));
    }
}

TEST_P(Emulated, SplitKOfBatches) {
    split_k_ = 3;
    for (const bool shared : {false, true}) {
        Case c = make_case({70, 37, 520}, all_forms()[shared ? 1 : 6]);
        c.problem.batch_count = 3;
        spread(c.problem, {1, 0, 2}, 5);
        c.problem.batch_stride_a = shared ? 0 : c.problem.batch_stride_a;
        c.beta = -1.0F;
        ASSERT_TRUE(runs_right(device(), c));
        c.values = Values::nan_and_inf;
        ASSERT_TRUE(runs_right(device(), c));
    }
}

TEST_P(Emulated, MoreRangesThanChainsAreRefused) {
    split_k_ = 9;
    EXPECT_THROW(plan_case(library(), make_case({70, 37, 128}, all_forms()[0])),
                 libsgemm::UnsupportedError);
}

/// Rows of A, or columns of B: what the splits must not be used for in one share is no matter to
/// the others.
TEST_P(Emulated, EachShareIsDecidedForItself) {
    if (GetParam().shares == 1) {
        GTEST_SKIP() << "one launch";
    }
    const Element unit = [](Random& r, auto, auto) { return r.between(0.5, 1); };
    for (const bool of_a : {true, false}) {
        Data data = of_a ? make_data({1100, 40, 300}, 31, unit, unit)
                         : make_data({40, 1100, 300}, 31, unit, unit);
        std::vector<float>& shared = of_a ? data.a : data.b;
        for (const bool first : {true, false}) {
            const std::size_t at = first ? 7 : shared.size() - 7; // in the first row or the last
            const float before = std::exchange(shared[at], std::nanf(""));
            const std::vector<float> c = run(data, plan_of(data), false);
            EXPECT_EQ(same_bits(c.front(), guard_value), first);
            EXPECT_EQ(same_bits(c.back(), guard_value), !first);
            const std::vector<float> all = run(data, plan_of(data), true, 0.5F); // each once
            for (std::int64_t j = 0; j < data.n; ++j) {
                for (std::int64_t i = 0; i < data.m; ++i) {
                    const std::int64_t row = of_a ? i : j, rows = of_a ? data.m : data.n;
                    const float value = all[static_cast<std::size_t>(j * data.m + i)];
                    const float strict = strict_sum(data, i, j) + 0.5F;
                    ASSERT_EQ(std::isnan(value), row == (first ? 0 : rows - 1));
                    ASSERT_TRUE(std::isnan(value) || std::abs(value - strict) < 1e-4F * strict);
                }
            }
            shared[at] = before;
        }
    }
}

/// Several rounds of what launches pack for each other: values that come late.
TEST_P(Emulated, SharesOfADeepProduct) {
    if (GetParam().shares == 1) {
        GTEST_SKIP() << "one launch";
    }
    const Element unit = [](Random& r, auto, auto) { return r.sign() * r.between(0.5, 1); };
    for (const std::int64_t k : {4092, 4100}) {
        Data data = make_data({is_slow() ? 300 : 700, 40, k}, 32, unit, unit);
        EXPECT_TRUE(is_taken(data));
        EXPECT_LE(errors_of(data).worst, 1);
        float& late = data.a[data.a.size() - 2];
        for (const float value :
             {8.0F, 0x1p60F, std::nanf("")}) { // the first in the second round of its row
            late = value;
            EXPECT_EQ(is_taken(data), value == 8.0F) << value;
        }
    }
}

/// Small enough for a run under Oclgrind.
TEST_P(Emulated, SmallShares) {
    if (GetParam().shares == 1) {
        GTEST_SKIP() << "one launch";
    }
    Case c = make_case({140, 3, 40}, all_forms()[2]); // column-major TN
    c.beta = 0.5F;
    EXPECT_TRUE(runs_right(device(), library(), c, Guards::none));
}

/// Small enough for a run under Oclgrind.
TEST_P(Emulated, SmallBatch) {
    Case c = make_case({9, 10, 40}, all_forms()[1]);
    c.problem.batch_count = 2;
    spread(c.problem, {1, 0, 2}, 3);
    c.problem.batch_stride_b = 0;
    c.beta = 0.5F;
    EXPECT_TRUE(runs_right(device(), library(), c, Guards::none));
    c.values = Values::nan_and_inf;
    EXPECT_TRUE(runs_right(device(), library(), c, Guards::none));
    if (GetParam().promote == 1) {
        c.options.split_k = 2;
        EXPECT_TRUE(runs_right(device(), library(), c, Guards::none));
        c.values = Values::uniform;
        EXPECT_TRUE(runs_right(device(), library(), c, Guards::none));
    }
}

TEST_P(Emulated, RepeatsAreBitIdentical) {
    split_k_ = GetParam().shares == 1 ? 2 : 1;
    const Data data = make_data(
        {340, 150, GetParam().shares == 1 ? 333 : 332}, 5,
        [](Random& r, auto, auto) { return r.normal(); },
        [](Random& r, auto, auto) { return r.unit(); });
    const auto plan = plan_of(data);
    const std::vector<float> first = run(data, plan, true);
    for (int i = 0; i < 3; ++i) {
        const std::vector<float> again = run(data, plan, true);
        ASSERT_TRUE(std::equal(first.begin(), first.end(), again.begin(), same_bits));
    }
}

// For emulated_numbers_test.cpp, too.
INSTANTIATE_TEST_SUITE_P(
    Schemes, Emulated,
    ::testing::Values(
        Scheme{"emulated_fp16", 32, 64, 1, false}, Scheme{"emulated_fp16", 64, 32, 2, false},
        Scheme{"emulated_tf32", 32, 32, 1, false}, Scheme{"emulated_bf16", 32, 32, 1, false},
        Scheme{"emulated_fp16", 32, 32, 1, false, 1}, Scheme{"emulated_tf32", 64, 32, 1, false, 1},
        Scheme{"emulated_bf16", 64, 32, 1, false, 1}, Scheme{"emulated_fp16", 128, 256, 1, true, 1},
        Scheme{"emulated_tf32", 128, 256, 1, true, 1},
        Scheme{"emulated_bf16", 128, 256, 1, true, 1}, Scheme{"emulated_fp16", 128, 256, 1, true},
        Scheme{"emulated_fp16", 128, 128, 1, true}, Scheme{"emulated_fp16", 128, 256, 2, true},
        Scheme{"emulated_tf32", 128, 256, 1, true}, Scheme{"emulated_tf32", 128, 128, 1, true},
        Scheme{"emulated_tf32", 128, 256, 2, true}, Scheme{"emulated_tf32", 64, 64, 2, false},
        Scheme{"emulated_bf16", 128, 256, 1, true}, Scheme{"emulated_bf16", 128, 128, 1, true},
        Scheme{"emulated_bf16", 128, 256, 2, true}, Scheme{"emulated_bf16", 32, 64, 2, false},
        Scheme{"emulated_fp16", 128, 64, 1, true}, Scheme{"emulated_fp16", 128, 64, 2, true},
        Scheme{"emulated_tf32", 128, 64, 1, true}, Scheme{"emulated_bf16", 128, 64, 1, true},
        Scheme{"emulated_fp16", 32, 64, 1, false, 2, 0},
        Scheme{"emulated_tf32", 64, 32, 1, false, 1, 0},
        Scheme{"emulated_bf16", 16, 32, 1, false, 1, 0},
        Scheme{"emulated_fp16", 128, 256, 1, true, 1, 0},
        Scheme{"emulated_fp16", 128, 128, 1, true, 1, 0},
        Scheme{"emulated_fp16", 128, 128, 1, true, 2, 0},
        Scheme{"emulated_fp16", 128, 64, 2, true, 1, 0},
        Scheme{"emulated_tf32", 128, 256, 1, true, 1, 0},
        Scheme{"emulated_tf32", 128, 256, 2, true, 1, 0},
        Scheme{"emulated_tf32", 128, 128, 2, true, 1, 0},
        Scheme{"emulated_tf32", 128, 64, 2, true, 1, 0},
        Scheme{"emulated_bf16", 128, 64, 1, true, 1, 0}, Scheme{"emulated_fp16", 96, 128, 1, true},
        Scheme{"emulated_fp16", 64, 128, 1, true, 1},
        Scheme{"emulated_fp16", 96, 128, 1, true, 1, 0},
        Scheme{"emulated_fp16", 96, 64, 1, true, 1, 0},
        Scheme{"emulated_fp16", 64, 64, 1, true, 1, 0},
        Scheme{"emulated_fp16", 144, 64, 1, true, 1, 0},
        Scheme{"emulated_fp16", 192, 64, 1, true, 1, 0},
        Scheme{"emulated_fp16", 192, 64, 1, true, 1},
        Scheme{"emulated_tf32", 192, 64, 1, true, 1, 0},
        Scheme{"emulated_tf32", 144, 64, 2, true, 1, 0},
        Scheme{"emulated_bf16", 144, 64, 2, true, 1, 0},
        Scheme{"emulated_fp16", 96, 64, 2, true, 2, 0},
        Scheme{"emulated_tf32", 96, 64, 1, true, 1, 0},
        Scheme{"emulated_tf32", 64, 128, 1, true, 1, 0},
        Scheme{"emulated_bf16", 96, 128, 1, true, 1, 0},
        Scheme{"emulated_fp16", 32, 32, 1, false, 1, 1, 2},
        Scheme{"emulated_tf32", 32, 32, 1, false, 2, 1, 3},
        Scheme{"emulated_bf16", 32, 32, 1, false, 1, 1, 3},
        Scheme{"emulated_fp16", 128, 256, 2, true, 1, 1, 2},
        Scheme{"emulated_fp16", 128, 128, 1, true, 1, 1, 3},
        Scheme{"emulated_tf32", 128, 256, 2, true, 1, 1, 3},
        Scheme{"emulated_bf16", 128, 256, 2, true, 2, 1, 3}),
    scheme_name);

} // namespace
} // namespace sgemm_test::emulated
