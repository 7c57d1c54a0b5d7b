// SPDX-License-Identifier: Apache-2.0
#include "judge/operands.hpp"
#include "judge/reference.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace libsgemm::judge {
namespace {

/// C as a plain loop computes it, in gaps the poison.
std::vector<float> multiply(const Workload& workload, Operands& operands) {
    const Shape& s = workload.shape;
    std::vector<float> c(static_cast<std::size_t>(s.elements_c()), poison());
    const auto at = [](const std::vector<float>& x, std::int64_t index) {
        return x[static_cast<std::size_t>(index)];
    };
    for (std::int64_t j = 0; j < s.n; ++j) {
        for (std::int64_t i = 0; i < s.m; ++i) {
            float sum = 0.0F;
            for (std::int64_t p = 0; p < s.k; ++p) {
                const float a = at(operands.a(), s.transpose_a ? i * s.lda + p : p * s.lda + i);
                const float b = at(operands.b(), s.transpose_b ? p * s.ldb + j : j * s.ldb + p);
                sum += a * b;
            }
            const std::int64_t index = j * s.ldc + i;
            const float before = workload.beta == 0.0F ? 0.0F : at(operands.c(), index);
            c[static_cast<std::size_t>(index)] = workload.alpha * sum + workload.beta * before;
        }
    }
    return c;
}

Reference whole_reference(const Workload& workload, Operands& operands) {
    return {workload,
            operands.a().data(),
            operands.b().data(),
            operands.c().data(),
            sample_indices(workload.shape.m, workload.shape.m, 1),
            sample_indices(workload.shape.n, workload.shape.n, 1)};
}

class VerifyAllOps : public testing::TestWithParam<const char*> {};

TEST_P(VerifyAllOps, AcceptsARightResultAndNamesAWrongElement) {
    const Shape shape = with_leading_dimensions(make_shape(GetParam(), 7, 5, 11), 13, 12, 9);
    const Workload workload{shape, 1.5F, -0.5F};
    Operands operands({shape}, 3);
    auto c = multiply(workload, operands);
    const Reference reference = whole_reference(workload, operands);

    Errors errors;
    EXPECT_EQ(reference.check(c.data(), errors), "");
    EXPECT_GT(errors.largest, 0.0);
    EXPECT_LE(errors.largest, 1.0);
    EXPECT_GT(errors.frobenius, 0.0);
    EXPECT_LT(errors.frobenius, 0x1p-21);

    c[static_cast<std::size_t>(4 * shape.ldc + 6)] += 0.01F;
    EXPECT_NE(reference.check(c.data(), errors).find("times the bound at (6, 4)"),
              std::string::npos);
    EXPECT_GT(errors.largest, 1.0);
    double squares = 0.0;
    for (std::int64_t j = 0; j < shape.n; ++j) {
        for (std::int64_t i = 0; i < shape.m; ++i) {
            const double element = c[static_cast<std::size_t>(j * shape.ldc + i)];
            squares += element * element;
        }
    }
    EXPECT_NEAR(errors.frobenius, 0.01 / std::sqrt(squares), 0.02 * errors.frobenius);
}

INSTANTIATE_TEST_SUITE_P(Ops, VerifyAllOps, testing::Values("NN", "NT", "TN", "TT"));

TEST(Verify, FindsElementsLeftOutAndStrayWrites) {
    const Shape shape = with_leading_dimensions(make_shape("NN", 4, 3, 2), 4, 2, 6);
    const Workload workload{shape, 1.0F, 0.0F};
    Operands operands({shape}, 3);
    const auto right = multiply(workload, operands);
    const Reference reference = whole_reference(workload, operands);
    Errors errors;

    auto c = right;
    c[static_cast<std::size_t>(shape.ldc + 2)] = poison();
    EXPECT_EQ(reference.check(c.data(), errors), "C is NaN or was not written at (2, 1)");
    EXPECT_TRUE(std::isinf(errors.largest));
    EXPECT_TRUE(std::isinf(errors.frobenius));

    c = right;
    c[static_cast<std::size_t>(shape.ldc + 5)] = 0.0F;
    EXPECT_EQ(reference.check(c.data(), errors), "wrote beyond C's column at (5, 1)");
}

TEST(Verify, BoundIsTheDerivedOne) {
    EXPECT_DOUBLE_EQ(error_bound(12, 2.0), 16.0 * std::ldexp(1.0, -24) * 2.0);
}

TEST(Verify, SamplesHoldTheEndsAscendingWithoutRepeats) {
    const auto sample = sample_indices(1000, 16, 42);
    ASSERT_EQ(sample.size(), 16U);
    EXPECT_EQ(sample.front(), 0);
    EXPECT_EQ(sample.back(), 999);
    for (std::size_t i = 1; i < sample.size(); ++i) {
        EXPECT_LT(sample[i - 1], sample[i]);
    }
    EXPECT_EQ(sample_indices(3, 16, 42), (std::vector<std::int64_t>{0, 1, 2}));
    EXPECT_EQ(sample_indices(1, 16, 42), (std::vector<std::int64_t>{0}));
}

TEST(Operands, AreSymmetricNeverZeroAndDependOnlyOnTheSeed) {
    const std::vector<Shape> shapes{make_shape("NN", 100, 90, 80)};
    Operands operands(shapes, 7);
    Operands same(shapes, 7);
    Operands other(shapes, 8);
    double sum = 0.0;
    for (const float element : operands.a()) {
        ASSERT_NE(element, 0.0F);
        ASSERT_LT(std::abs(element), 1.0F);
        sum += static_cast<double>(element);
    }
    EXPECT_LT(std::abs(sum / 8000.0), 0.03);
    EXPECT_EQ(operands.a(), same.a());
    EXPECT_NE(operands.a(), other.a());
    EXPECT_NE(operands.a().front(), operands.b().front());
}

TEST(Operands, AreOfTheKindThatWasAskedFor) {
    const std::vector<Shape> shapes{make_shape("NN", 200, 90, 100)};
    Operands positive(shapes, 7, Values::positive);
    Operands normal(shapes, 7, Values::normal);
    double sum = 0.0, squares = 0.0, fourth_powers = 0.0;
    for (const float element : positive.a()) {
        ASSERT_GT(element, 0.0F);
        ASSERT_LT(element, 1.0F);
        sum += static_cast<double>(element);
    }
    EXPECT_NEAR(sum / 20000.0, 0.5, 0.01);
    sum = 0.0;
    for (const float element : normal.a()) {
        const double value = element;
        ASSERT_NE(value, 0.0);
        sum += value;
        squares += value * value;
        fourth_powers += value * value * value * value;
    }
    EXPECT_NEAR(sum / 20000.0, 0.0, 0.03);
    EXPECT_NEAR(squares / 20000.0, 1.0, 0.05);
    EXPECT_NEAR(fourth_powers / 20000.0, 3.0, 0.3); // 1.8 if it were uniform
}

} // namespace
} // namespace libsgemm::judge
