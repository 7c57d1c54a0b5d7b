// SPDX-License-Identifier: Apache-2.0
// What the table of a Zen 4 chooses where columns of B crowd its first-level cache.
#include "plan/planner.hpp"
#include "support/fake_device.hpp"
#include "tables/device_table.hpp"
#include "validate/problem.hpp"

#include <gtest/gtest.h>

namespace sgemm::planning {
namespace {

int columns_chosen(std::int64_t m, std::int64_t n, std::int64_t k) {
    DeviceTraits device = sgemm_test::fake_device(DeviceType::cpu);
    device.architecture = "cpu-512bit";
    device.microarchitecture = "znver4";
    device.native_vector_width = 16;
    device.compute_units = 2;
    device.clock_mhz = 2600;
    device.local_memory_bytes = 1024 * 1024;
    const tables::DeviceTable table = tables::built_in_table(device);
    Problem given;
    given.m = m;
    given.n = n;
    given.k = k;
    auto problem = validate::check_problem(given).canonical;
    problem.a.offset_alignment = problem.b.offset_alignment = problem.c.offset_alignment = 64;
    const Ranking ranking = rank_plans(problem, {}, {device, table, catalog::kernel_catalog()});
    EXPECT_EQ(ranking.plans.front().kernel->name, "packed");
    return ranking.plans.front().parameters["columns"];
}

TEST(Zen4, TakesTilesOfFewColumnsWhereMoreCrowdASetOfEightLines) {
    EXPECT_LE(columns_chosen(1024, 16, 1024), 8);
    EXPECT_LE(columns_chosen(16, 1024, 1024), 8);
    EXPECT_LE(columns_chosen(32, 32, 16384), 8);
    EXPECT_EQ(columns_chosen(1024, 16, 1040), 16) << "these lie in sets of their own";
}

} // namespace
} // namespace sgemm::planning
