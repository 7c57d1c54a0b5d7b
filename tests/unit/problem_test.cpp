// SPDX-License-Identifier: Apache-2.0
#include "problem/problem.hpp"
#include "sgemm/error.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <string>

namespace libsgemm::validate {
namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

Problem small() {
    Problem problem;
    problem.m = 5;
    problem.n = 7;
    problem.k = 3;
    return problem;
}

struct Broken {
    const char* name;
    const char* argument;
    std::function<void(Problem&)> spoil;
};

class BrokenRule : public ::testing::TestWithParam<Broken> {};

TEST_P(BrokenRule, IsAnArgumentErrorThatNamesTheArgument) {
    Problem problem = small();
    GetParam().spoil(problem);
    try {
        check_problem(problem);
        FAIL() << "no error";
    } catch (const ArgumentError& error) {
        EXPECT_EQ(error.argument(), GetParam().argument) << error.what();
        EXPECT_FALSE(error.value().empty());
        EXPECT_FALSE(error.rule().empty());
    }
}

INSTANTIATE_TEST_SUITE_P(
    Problem, BrokenRule,
    ::testing::Values(
        Broken{"NegativeM", "m", [](Problem& p) { p.m = -1; }},
        Broken{"NegativeN", "n", [](Problem& p) { p.n = -1; }},
        Broken{"NegativeK", "k", [](Problem& p) { p.k = -1; }},
        Broken{"NegativeBatch", "batch_count", [](Problem& p) { p.batch_count = -1; }},
        Broken{"LeastM", "m", [](Problem& p) { p.m = std::numeric_limits<std::int64_t>::min(); }},
        Broken{"NoLayout", "layout", [](Problem& p) { p.layout = static_cast<Layout>(7); }},
        Broken{"NoTransposeOfA", "transpose_a",
               [](Problem& p) { p.transpose_a = static_cast<Transpose>(9); }},
        Broken{"NoTransposeOfB", "transpose_b",
               [](Problem& p) { p.transpose_b = static_cast<Transpose>(2); }},
        Broken{"NoPrecision", "precision",
               [](Problem& p) { p.precision = static_cast<Precision>(6); }},
        Broken{"SmallLda", "lda", [](Problem& p) { p.lda = 4; }},
        Broken{"SmallLdb", "ldb", [](Problem& p) { p.ldb = 2; }},
        Broken{"SmallLdc", "ldc", [](Problem& p) { p.ldc = 4; }},
        Broken{"ZeroLda", "lda", [](Problem& p) { p.lda = 0; }},
        Broken{"NegativeLdc", "ldc", [](Problem& p) { p.ldc = -5; }},
        Broken{"SmallLdaTransposed", "lda",
               [](Problem& p) {
                   p.transpose_a = Transpose::yes;
                   p.lda = 2;
               }},
        Broken{"SmallLdbRowMajor", "ldb",
               [](Problem& p) {
                   p.layout = Layout::row_major;
                   p.ldb = 6;
               }},
        Broken{"HugeA", "A", [](Problem& p) { p.m = most; }},
        Broken{"HugeLda", "A", [](Problem& p) { p.lda = most; }},
        Broken{"HugeB", "B", [](Problem& p) { p.ldb = most / 4; }},
        Broken{"HugeC", "C", [](Problem& p) { p.ldc = most / 6; }},
        Broken{"HugeBatch", "A", [](Problem& p) { p.batch_count = most; }},
        Broken{"HugeStride", "A",
               [](Problem& p) {
                   p.batch_count = 3;
                   p.batch_stride_a = most / 2;
               }},
        Broken{"NegativeStride", "batch_stride_b",
               [](Problem& p) {
                   p.batch_count = 2;
                   p.batch_stride_b = -1;
               }},
        Broken{"SharedC", "batch_stride_c",
               [](Problem& p) {
                   p.batch_count = 2;
                   p.batch_stride_c = 0;
               }},
        Broken{"OverlappingC", "batch_stride_c",
               [](Problem& p) {
                   p.batch_count = 2;
                   p.batch_stride_c = 34;
               }}),
    [](const auto& test) { return test.param.name; });

TEST(CheckedProblem, ResolvesTightToTheSmallestGaplessStrides) {
    Problem problem = small();
    problem.batch_count = 2;
    const CheckedProblem checked = check_problem(problem);
    EXPECT_EQ(checked.a.ld, 5);
    EXPECT_EQ(checked.b.ld, 3);
    EXPECT_EQ(checked.c.ld, 5);
    EXPECT_EQ(checked.a.batch_stride, 15);
    EXPECT_EQ(checked.b.batch_stride, 21);
    EXPECT_EQ(checked.c.batch_stride, 35);
    EXPECT_EQ(checked.c.extent(), 70);
}

TEST(CheckedProblem, ExtentEndsWithTheLastElement) {
    Problem problem = small();
    problem.lda = 9;
    EXPECT_EQ(check_problem(problem).a.extent(), 2 * 9 + 5);
}

TEST(CheckedProblem, SharedOperandsAreLegal) {
    Problem problem = small();
    problem.batch_count = 1000;
    problem.batch_stride_a = 0;
    problem.batch_stride_b = 0;
    EXPECT_EQ(check_problem(problem).a.extent(), 15);
}

TEST(CheckedProblem, ZeroSizesAreLegalAndNeverOverflow) {
    for (std::int64_t Problem::*size : {&Problem::m, &Problem::n, &Problem::k}) {
        Problem problem = small();
        problem.*size = 0;
        EXPECT_NO_THROW(check_problem(problem));
    }
    Problem problem = small();
    problem.n = 0;
    problem.k = 0;
    problem.m = most;
    EXPECT_TRUE(check_problem(problem).c.empty());
    problem = small();
    problem.batch_count = 0;
    EXPECT_TRUE(check_problem(problem).c.empty());
}

/// As in BLAS: nothing is touched, however large the matrices beside it would be, but arguments
/// keep their rules.
TEST(CheckedProblem, OfAnEmptyCOperandsMayBeOfAnySize) {
    for (std::int64_t Problem::*size : {&Problem::m, &Problem::n, &Problem::batch_count}) {
        Problem problem;
        problem.m = problem.n = problem.k = problem.batch_count = most;
        problem.*size = 0;
        const CheckedProblem checked = check_problem(problem);
        EXPECT_EQ(checked.a.extent() + checked.b.extent() + checked.c.extent(), 0);
        problem.ldb = 3;
        EXPECT_THROW(check_problem(problem), ArgumentError);
    }
}

TEST(CheckedProblem, StridesOfASingleProductAreNotLookedAt) {
    Problem problem = small();
    problem.batch_stride_a = -1;
    problem.batch_stride_c = 0;
    EXPECT_EQ(check_problem(problem).canonical.a.batch_stride, 0);
}

TEST(CanonicalProblem, ColumnMajorKeepsItsOperands) {
    Problem problem = small();
    problem.transpose_b = Transpose::yes;
    const CanonicalProblem canonical = check_problem(problem).canonical;
    EXPECT_FALSE(canonical.operands_swapped);
    EXPECT_EQ(canonical.m, 5);
    EXPECT_EQ(canonical.n, 7);
    EXPECT_EQ(canonical.k, 3);
    EXPECT_EQ(canonical.a.major, validate::Major::mn);
    EXPECT_EQ(canonical.b.major, validate::Major::mn);
    EXPECT_EQ(canonical.b.ld, 7);
    EXPECT_EQ(canonical.c.major, validate::Major::mn);
}

/// Row-major C = op(A) op(B) must canonicalise like column-major C^T = op(B)^T op(A)^T.
TEST(CanonicalProblem, RowMajorIsColumnMajorWithOperandsExchanged) {
    for (const Transpose ta : {Transpose::no, Transpose::yes}) {
        for (const Transpose tb : {Transpose::no, Transpose::yes}) {
            Problem row = small();
            row.layout = Layout::row_major;
            row.transpose_a = ta;
            row.transpose_b = tb;
            row.lda = 11;
            row.ldb = 12;
            row.ldc = 13;
            Problem column = row;
            column.layout = Layout::column_major;
            std::swap(column.m, column.n);
            std::swap(column.lda, column.ldb);
            // B's row-major storage is B^T in column-major order, and its flag keeps its meaning.
            std::swap(column.transpose_a, column.transpose_b);
            CanonicalProblem expected = check_problem(column).canonical;
            expected.operands_swapped = true;
            EXPECT_EQ(check_problem(row).canonical, expected);
        }
    }
}

/// A vector of contiguous elements lies along both indices: kernels are told the one that they read
/// by vectors of elements.
TEST(CanonicalProblem, ContiguousVectorsAreOneLine) {
    Problem problem;
    problem.m = 1;
    problem.n = 7;
    problem.k = 5;
    const CanonicalProblem row = check_problem(problem).canonical;
    EXPECT_EQ(row.a, (Operand{validate::Major::k, 5, 0, 1}));
    EXPECT_EQ(row.b, (Operand{validate::Major::k, 5, 0, 1}));
    EXPECT_EQ(row.c, (Operand{validate::Major::mn, 1, 0, 1}));

    problem.lda = 2; // no longer contiguous
    EXPECT_EQ(check_problem(problem).canonical.a, (Operand{validate::Major::mn, 2, 0, 1}));

    problem.m = 6;
    problem.n = 1;
    problem.lda = tight;
    problem.transpose_b = Transpose::yes;
    const CanonicalProblem column = check_problem(problem).canonical;
    EXPECT_EQ(column.a, (Operand{validate::Major::mn, 6, 0, 1}));
    EXPECT_EQ(column.b, (Operand{validate::Major::k, 5, 0, 1}));

    problem.n = 7;
    problem.k = 1;
    problem.transpose_a = Transpose::yes;
    problem.transpose_b = Transpose::no;
    const CanonicalProblem outer = check_problem(problem).canonical;
    EXPECT_EQ(outer.a, (Operand{validate::Major::mn, 6, 0, 1}));
    EXPECT_EQ(outer.b, (Operand{validate::Major::mn, 7, 0, 1}));
    const CanonicalProblem given = check_problem(problem, Vectors::as_given).canonical;
    EXPECT_EQ(given.a, (Operand{validate::Major::k, 1, 0, 1}));
    EXPECT_EQ(given.b, (Operand{validate::Major::k, 1, 0, 1}));
}

TEST(CanonicalProblem, VectorsOfABatchKeepTheirStride) {
    Problem problem;
    problem.m = 1;
    problem.n = 7;
    problem.k = 5;
    problem.batch_count = 3;
    problem.batch_stride_a = 2; // they may overlap
    EXPECT_EQ(check_problem(problem).canonical.a, (Operand{validate::Major::k, 5, 2, 1}));
}

TEST(Alignment, IsTheLargestPowerOfTwoUpTo64) {
    EXPECT_EQ(alignment_of(0), 64);
    EXPECT_EQ(alignment_of(1), 1);
    EXPECT_EQ(alignment_of(12), 4);
    EXPECT_EQ(alignment_of(64), 64);
    EXPECT_EQ(alignment_of(1024), 64);
    EXPECT_EQ(alignment_of(std::int64_t{1} << 40), 64);
}

} // namespace
} // namespace libsgemm::validate
