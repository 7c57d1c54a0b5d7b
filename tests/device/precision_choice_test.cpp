// SPDX-License-Identifier: Apache-2.0
// The precision that a problem, or the environment, asks for: what runs, and what is said of it.
#include "device/kernel_fixture.hpp"
#include "support/case_data.hpp"
#include "support/environment_variable.hpp"

namespace sgemm_test {
namespace {

using libsgemm::Precision;

class PrecisionChoice : public DeviceTest {};

constexpr Precision precisions[] = {Precision::strict, Precision::emulated, Precision::fp16x2,
                                    Precision::tf32x3, Precision::bf16x3};

TEST_F(PrecisionChoice, EveryPrecisionRunsEverywhere) {
    for (const Precision precision : precisions) {
        for (const Extents& extents : {Extents{60, 70, 40}, Extents{300, 270, 260}}) {
            Case c = plain_case(extents.m, extents.n, extents.k);
            c.problem.precision = precision;
            ASSERT_TRUE(runs_right(device(), c));
        }
    }
}

TEST_F(PrecisionChoice, PlanSaysWhichSchemeRunsAndItsBound) {
    const bool has_units = device().handle().traits.compute_capability == 90;
    for (const Precision precision : precisions) {
        libsgemm::Problem problem = plain_case(1024, 1024, 1024).problem;
        problem.precision = precision;
        const libsgemm::Plan plan = library().plan(problem);
        EXPECT_NE(plan.precision(), Precision::emulated);
        if (!has_units || precision == Precision::strict) {
            EXPECT_EQ(plan.precision(), Precision::strict);
        } else if (precision != Precision::emulated) {
            EXPECT_EQ(plan.precision(), precision) << plan.describe();
        }
        EXPECT_EQ(plan.bound_terms(), 1028) << plan.describe();
        EXPECT_NE(plan.describe().find("|C - exact| <= 1028"), std::string::npos);
    }
}

TEST_F(PrecisionChoice, EnvironmentCountsWhereTheProblemLeavesItOpen) {
    {
        const EnvironmentVariable variable("SGEMM_PRECISION", "tf32x3");
        const libsgemm::Context library = device().make_library();
        libsgemm::Problem problem = plain_case(300, 300, 300).problem;
        const std::string text = library.plan(problem).describe();
        EXPECT_NE(text.find("tf32x3"), std::string::npos) << text;
        for (const Precision precision : {Precision::strict, Precision::bf16x3}) {
            problem.precision = precision;
            const std::string fixed = library.plan(problem).describe();
            EXPECT_EQ(fixed.find("tf32x3"), std::string::npos) << fixed;
        }
    }
    const EnvironmentVariable variable("SGEMM_PRECISION", "exact");
    EXPECT_THROW(device().make_library(), libsgemm::ArgumentError);
}

TEST_F(PrecisionChoice, WrongValuesAreArgumentErrors) {
    libsgemm::Problem problem = plain_case(4, 4, 4).problem;
    problem.precision = static_cast<Precision>(17);
    EXPECT_THROW(library().plan(problem), libsgemm::ArgumentError);
}

} // namespace
} // namespace sgemm_test
