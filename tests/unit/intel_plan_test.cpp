// SPDX-License-Identifier: Apache-2.0
// What the table of Intel's CPUs, measured with two cores, chooses for machines of more.
#include "plan/planner.hpp"
#include "support/fake_device.hpp"
#include "tables/device_table.hpp"
#include "validate/problem.hpp"

#include <gtest/gtest.h>

namespace sgemm::planning {
namespace {

std::string kernel_chosen_for_a_square(std::int64_t extent, std::uint32_t cores) {
    DeviceTraits device = sgemm_test::fake_device(DeviceType::cpu);
    device.architecture = "cpu-512bit";
    device.vendor_key = "intel";
    device.native_vector_width = 16;
    device.compute_units = cores;
    device.clock_mhz = 2300;
    device.local_memory_bytes = 2 * 1024 * 1024;
    const tables::DeviceTable table = tables::built_in_table(device);
    EXPECT_EQ(table.embedded, "cpu-512bit-intel.toml");
    Problem given;
    given.m = given.n = given.k = extent;
    auto problem = validate::check_problem(given).canonical;
    problem.a.offset_alignment = problem.b.offset_alignment = problem.c.offset_alignment = 64;
    const Ranking ranking = rank_plans(problem, {}, {device, table, catalog::kernel_catalog()});
    return std::string(ranking.plans.front().kernel->name);
}

/// Not for one that waits for the memory of two cores.
TEST(Intel, ComputesSquaresByPackedPanelsHoweverManyCoresThereAre) {
    for (const std::uint32_t cores : {1U, 2U, 16U, 64U}) {
        for (const std::int64_t extent : {1040, 2048}) {
            EXPECT_EQ(kernel_chosen_for_a_square(extent, cores), "packed")
                << cores << " cores, " << extent;
        }
    }
}

} // namespace
} // namespace sgemm::planning
