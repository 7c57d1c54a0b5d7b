// SPDX-License-Identifier: Apache-2.0
#include "device/host_cpu.hpp"

#include <gtest/gtest.h>

namespace libsgemm::device {
namespace {

TEST(HostCpu, HasTheMicroarchitectureThatCompilersNameForItsFamilyAndModel) {
    const auto amd = [](unsigned family, unsigned model) {
        return microarchitecture_of({"AuthenticAMD", family, model});
    };
    EXPECT_EQ(amd(0x19, 0x01), "znver3"); // Milan
    EXPECT_EQ(amd(0x19, 0x50), "znver3"); // Cezanne
    EXPECT_EQ(amd(0x19, 0x11), "znver4"); // Genoa
    EXPECT_EQ(amd(0x19, 0x61), "znver4"); // Raphael
    EXPECT_EQ(amd(0x19, 0x75), "znver4"); // Phoenix
    EXPECT_EQ(amd(0x19, 0xa0), "znver4"); // Bergamo
    EXPECT_EQ(amd(0x1a, 0x02), "znver5"); // Turin
    EXPECT_EQ(amd(0x17, 0x01), "znver1"); // Naples
    EXPECT_EQ(amd(0x17, 0x18), "znver1"); // Picasso
    EXPECT_EQ(amd(0x17, 0x31), "znver2"); // Rome
    EXPECT_EQ(amd(0x17, 0x71), "znver2"); // Matisse
    EXPECT_EQ(amd(0x16, 0x00), "");
    EXPECT_EQ(microarchitecture_of({"GenuineIntel", 0x19, 0x11}), "");
    EXPECT_EQ(microarchitecture_of({}), "");
}

#if defined(__x86_64__) && defined(__GNUC__)
TEST(HostCpu, IsWhatTheCompilersOwnFunctionsSay) {
    __builtin_cpu_init();
    const CpuId cpu = host_cpu_id();
    EXPECT_EQ(cpu.vendor == "AuthenticAMD", __builtin_cpu_is("amd") != 0);
    EXPECT_EQ(cpu.vendor == "GenuineIntel", __builtin_cpu_is("intel") != 0);
    EXPECT_GT(cpu.family, 0U);
    EXPECT_EQ(microarchitecture_of(cpu) == "znver1", __builtin_cpu_is("znver1") != 0);
    EXPECT_EQ(microarchitecture_of(cpu) == "znver2", __builtin_cpu_is("znver2") != 0);
    if (__builtin_cpu_is("znver3") != 0) { // which older compilers say of a Zen 4, too
        EXPECT_EQ(cpu.family, 0x19U);
        EXPECT_NE(microarchitecture_of(cpu), "");
    }
}
#endif

} // namespace
} // namespace libsgemm::device
