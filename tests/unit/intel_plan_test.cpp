// SPDX-License-Identifier: Apache-2.0
// What the table of Intel's CPUs, measured with two cores, chooses for machines of more.
#include "unit/cpu_plan.hpp"

#include <gtest/gtest.h>

namespace sgemm::planning {
namespace {

/// Not for one that waits for the memory of two cores.
TEST(Intel, ComputesSquaresByPackedPanelsHoweverManyCoresThereAre) {
    DeviceTraits device = sgemm_test::fake_cpu_with_512_bits("intel");
    device.clock_mhz = 2300;
    device.local_memory_bytes = 2 * 1024 * 1024;
    EXPECT_EQ(tables::built_in_table(device).embedded, "cpu-512bit-intel.toml");
    for (const std::uint32_t cores : {1U, 2U, 16U, 64U}) {
        device.compute_units = cores;
        for (const std::int64_t extent : {1040, 2048}) {
            EXPECT_EQ(first_choice(device, extent, extent, extent).kernel->name, "packed")
                << cores << " cores, " << extent;
        }
    }
}

} // namespace
} // namespace sgemm::planning
