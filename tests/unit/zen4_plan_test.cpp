// SPDX-License-Identifier: Apache-2.0
// What the table of a Zen 4 chooses where columns of B crowd its first-level cache.
#include "unit/cpu_plan.hpp"

#include <gtest/gtest.h>

namespace libsgemm::planning {
namespace {

int columns_chosen(std::int64_t m, std::int64_t n, std::int64_t k) {
    DeviceTraits device = sgemm_test::fake_cpu_with_512_bits("amd");
    device.microarchitecture = "znver4";
    device.clock_mhz = 2600;
    device.local_memory_bytes = 1024 * 1024;
    const PlanValue plan = first_choice(device, m, n, k);
    EXPECT_EQ(plan.kernel->name, "packed");
    return plan.parameters["columns"];
}

TEST(Zen4, TakesTilesOfFewColumnsWhereMoreCrowdASetOfEightLines) {
    EXPECT_LE(columns_chosen(1024, 16, 1024), 8);
    EXPECT_LE(columns_chosen(16, 1024, 1024), 8);
    EXPECT_LE(columns_chosen(32, 32, 16384), 8);
    EXPECT_EQ(columns_chosen(1024, 16, 1040), 16) << "these lie in sets of their own";
}

} // namespace
} // namespace libsgemm::planning
