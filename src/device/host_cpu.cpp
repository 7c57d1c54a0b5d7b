// SPDX-License-Identifier: Apache-2.0
// Source: AMD64 Architecture Programmer's Manual, volume 3, appendix E (CPUID); models as in LLVM's
// Host.cpp, of family 0x17 as in GCC's cpuinfo.h.
#include "device/host_cpu.hpp"

#if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
#define SGEMM_HAS_CPUID 1
#include <cpuid.h>
#else
#define SGEMM_HAS_CPUID 0
#endif

#include <cstring>

namespace libsgemm::device {
namespace {

bool is_between(unsigned value, unsigned first, unsigned last) {
    return first <= value && value <= last;
}

} // namespace

#if SGEMM_HAS_CPUID
CpuId host_cpu_id() {
    CpuId cpu;
    unsigned eax = 0;
    unsigned ebx = 0;
    unsigned ecx = 0;
    unsigned edx = 0;
    if (__get_cpuid(0, &eax, &ebx, &ecx, &edx) == 0) {
        return cpu;
    }
    char name[12];
    std::memcpy(name, &ebx, 4);
    std::memcpy(name + 4, &edx, 4);
    std::memcpy(name + 8, &ecx, 4);
    cpu.vendor.assign(name, sizeof name);
    if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0) {
        const unsigned family = eax >> 8 & 0xf;
        cpu.family = family + (family == 0xf ? eax >> 20 & 0xff : 0);
        cpu.model = (eax >> 4 & 0xf) | (eax >> 12 & 0xf0);
    }
    return cpu;
}
#else
CpuId host_cpu_id() {
    return {};
}
#endif

std::string microarchitecture_of(const CpuId& cpu) {
    constexpr unsigned zen1_and_zen2 = 0x17;
    constexpr unsigned zen3_and_zen4 = 0x19;
    constexpr unsigned zen5 = 0x1a;
    if (cpu.vendor != "AuthenticAMD") {
        return {};
    }
    if (cpu.family == zen1_and_zen2) {
        return cpu.model < 0x30 ? "znver1" : "znver2"; // models from 0x10 on, Zen+, count as znver1
    }
    if (cpu.family == zen3_and_zen4) {
        const bool is_zen4 = is_between(cpu.model, 0x10, 0x1f) ||
                             is_between(cpu.model, 0x60, 0x7f) || is_between(cpu.model, 0xa0, 0xaf);
        return is_zen4 ? "znver4" : "znver3";
    }
    return cpu.family == zen5 ? "znver5" : "";
}

} // namespace libsgemm::device
