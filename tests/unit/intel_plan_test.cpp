// SPDX-License-Identifier: Apache-2.0
// What the table of Intel's CPUs, measured with two cores, chooses for machines of more.
#include "support/define_of.hpp"
#include "unit/cpu_plan.hpp"

#include <gtest/gtest.h>

namespace libsgemm::planning {
namespace {

DeviceTraits with_cores(std::uint32_t cores) {
    DeviceTraits device = sgemm_test::fake_cpu_with_512_bits("intel");
    device.clock_mhz = 2300;
    device.local_memory_bytes = 2 * 1024 * 1024;
    device.compute_units = cores;
    return device;
}

/// Not for one that waits for the memory of two cores.
TEST(Intel, ComputesSquaresByPackedPanelsHoweverManyCoresThereAre) {
    EXPECT_EQ(tables::built_in_table(with_cores(2)).embedded, "cpu-512bit-intel.toml");
    for (const std::uint32_t cores : {1U, 2U, 16U, 64U}) {
        const DeviceTraits device = with_cores(cores);
        for (const std::int64_t extent : {1040, 2048}) {
            EXPECT_EQ(first_choice(device, extent, extent, extent).kernel->name, "packed")
                << cores << " cores, " << extent;
        }
    }
}

/// With 250 columns tiles of 12 would leave one of two cores a tile more, and misaligned rows cost
/// them more.
TEST(Intel, GivesBothCoresAsMuch) {
    const PlanValue choice = first_choice(with_cores(2), 250, 250, 250);
    EXPECT_EQ(choice.kernel->name, "packed");
    EXPECT_EQ(sgemm_test::define_of(choice.steps.back(), "NR"), "8");
}

Problem with_ld(Transpose transpose_a, std::int64_t extent, std::int64_t ld) {
    Problem problem;
    problem.transpose_a = transpose_a;
    problem.transpose_b = Transpose::yes;
    problem.m = problem.n = problem.k = extent;
    problem.lda = problem.ldb = problem.ldc = ld;
    return problem;
}

/// B along n: both operands are copied where cache sets are crowded, if C is small.
TEST(Intel, CopiesBothOperandsWhereTheyLieBadly) {
    const DeviceTraits device = with_cores(2);
    for (const Transpose a : {Transpose::no, Transpose::yes}) {
        for (const std::int64_t ld : {1024, 2048, 4096}) {
            EXPECT_EQ(first_choice(device, with_ld(a, 512, ld)).kernel->name, "blocked") << ld;
        }
        EXPECT_EQ(first_choice(device, with_ld(a, 512, 1040)).kernel->name, "packed");
        EXPECT_EQ(first_choice(device, with_ld(a, 1024, 1024)).kernel->name, "packed");
        EXPECT_EQ(first_choice(device, with_ld(a, 2048, 4096)).kernel->name, "packed");
    }
    EXPECT_EQ(sgemm_test::define_of(
                  first_choice(device, with_ld(Transpose::no, 512, 4112)).steps.back(), "A_PACKED"),
              "0");
}

} // namespace
} // namespace libsgemm::planning
