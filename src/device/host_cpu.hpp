// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace libsgemm::device {

/// What the CPUID instruction says of a CPU.
struct CpuId {
    /// "AuthenticAMD", "GenuineIntel"; empty: no such instruction, or a compiler without <cpuid.h>.
    std::string vendor;
    unsigned family = 0;
    unsigned model = 0;
};

/// Of the CPU that this process runs on.
CpuId host_cpu_id();

/// As compilers name it (-march), for tables that tell CPUs apart by it: "znver1" to "znver5"; of
/// others empty.
std::string microarchitecture_of(const CpuId& cpu);

} // namespace libsgemm::device
