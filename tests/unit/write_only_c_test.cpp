// SPDX-License-Identifier: Apache-2.0
// Plans for a C that kernels may only write.
#include "planner_fixture.hpp"
#include "sgemm/error.hpp"
#include "support/fake_device.hpp"

namespace sgemm_test {
namespace {

class WriteOnlyC : public PlannerTest {
protected:
    libsgemm::planning::Ranking rank_write_only(const libsgemm::ExpertPlanOptions& options) const {
        auto problem = canonical(native(64, 32, 64));
        problem.c_is_write_only = true;
        return libsgemm::planning::rank_plans(problem, options, context());
    }
};

TEST_F(WriteOnlyC, PlansThatAddToItAreRejected) {
    libsgemm::ExpertPlanOptions in_parts;
    in_parts.kernel = "whole";
    in_parts.parts_k = 2;
    const auto plain = rank(native(64, 32, 64), in_parts);
    ASSERT_TRUE(adds_to_c(plain.plans.front())) << "the second launch adds to what the first wrote";
    EXPECT_FALSE(plain.first_by_access);
    try {
        rank_write_only(in_parts);
        ADD_FAILURE() << "a forced plan that reads C is taken";
    } catch (const libsgemm::UnsupportedError& error) {
        EXPECT_NE(std::string(error.what()).find("kernels may only write"), std::string::npos);
    }
}

TEST_F(WriteOnlyC, AnotherPlanIsTaken) {
    const auto ranking = rank_write_only({});
    for (const auto& plan : ranking.plans) {
        EXPECT_FALSE(adds_to_c(plan)) << plan.to_string();
    }
    EXPECT_FALSE(ranking.first_by_access) << "nothing better was given up";
}

/// On a CPU a large B that lies along n is transposed, and multiplied, one range of k after
/// another.
TEST(WriteOnlyCOnCpu, WhatIsGivenUpIsSaid) {
    const libsgemm::DeviceTraits cpu = fake_cpu_with_512_bits("intel");
    const auto table = libsgemm::tables::built_in_table(cpu);
    libsgemm::Problem given;
    given.m = given.n = 1000;
    given.k = 20000;
    given.transpose_b = libsgemm::Transpose::yes;
    auto problem = libsgemm::validate::check_problem(given).canonical;
    const auto rank = [&] {
        return libsgemm::planning::rank_plans(problem, {},
                                              {cpu, table, libsgemm::catalog::kernel_catalog()});
    };
    ASSERT_TRUE(adds_to_c(rank().plans.front())) << rank().plans.front().to_string();
    problem.c_is_write_only = true;
    const auto ranking = rank();
    EXPECT_TRUE(ranking.first_by_access);
    EXPECT_FALSE(adds_to_c(ranking.plans.front()));
    EXPECT_GT(ranking.as_asked, 0U);
}

} // namespace
} // namespace sgemm_test
