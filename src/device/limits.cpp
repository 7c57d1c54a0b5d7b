// SPDX-License-Identifier: Apache-2.0
#include "device/limits.hpp"

#include <algorithm>

namespace libsgemm::device {

CompilerLimits compiler_limits(const DeviceTraits& device) {
    constexpr std::int64_t kib = 1024;
    CompilerLimits limits;
    limits.local_memory = device.local_memory_bytes;
    // NVIDIA's driver reports 48 KiB. Measured on an H200: arrays of a kernel get 224.
    if (device.compute_capability == 90) {
        limits.local_memory = std::max(limits.local_memory, 224 * kib);
    }
    // Compilers for CPUs run the work-items of a group one after the other between barriers, and
    // keep what each has in registers on the stack of one thread, which has 8 MiB, usually.
    if (device.type == DeviceType::cpu) {
        limits.private_memory = 4 * kib * kib;
    }
    return limits;
}

} // namespace libsgemm::device
