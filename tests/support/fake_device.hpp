// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/device.hpp"

namespace sgemm_test {

/// A device that is not there: roomy limits, so that a test takes away what it is about.
inline libsgemm::DeviceTraits fake_device(libsgemm::DeviceType type = libsgemm::DeviceType::gpu) {
    libsgemm::DeviceTraits traits;
    traits.name = "Fake Device 9000";
    traits.vendor = "Fakes";
    traits.vendor_key = "other";
    traits.type = type;
    traits.compute_units = 16;
    traits.clock_mhz = 1000;
    traits.max_work_group_size = 1024;
    traits.max_work_item_sizes[0] = 1024;
    traits.max_work_item_sizes[1] = 1024;
    traits.max_work_item_sizes[2] = 64;
    traits.local_memory_bytes = 48 * 1024;
    traits.local_memory_dedicated = true;
    traits.global_memory_bytes = std::int64_t{16} << 30;
    traits.max_allocation_bytes = std::int64_t{4} << 30;
    traits.native_vector_width = 4;
    return traits;
}

/// The same with PTX, of that compute capability (10 * major + minor), but no larger local memory.
inline libsgemm::DeviceTraits fake_nvidia_device(int capability = 80) {
    libsgemm::DeviceTraits traits = fake_device();
    traits.vendor_key = "nvidia";
    traits.has_nvidia_ptx = true;
    traits.compute_capability = capability;
    return traits;
}

/// What the built-in table of the H200 is for, and plans ask about.
inline libsgemm::DeviceTraits fake_h200() {
    libsgemm::DeviceTraits traits = fake_nvidia_device(90);
    traits.name = "NVIDIA H200";
    traits.architecture = "sm_90";
    traits.compute_units = 132;
    traits.clock_mhz = 1980;
    traits.max_allocation_bytes = std::int64_t{37} << 30;
    return traits;
}

/// Two cores that tables for vectors of 512 bits are for.
inline libsgemm::DeviceTraits fake_cpu_with_512_bits(const char* vendor_key) {
    libsgemm::DeviceTraits traits = fake_device(libsgemm::DeviceType::cpu);
    traits.vendor_key = vendor_key;
    traits.architecture = "cpu-512bit";
    traits.native_vector_width = 16;
    traits.compute_units = 2;
    return traits;
}

} // namespace sgemm_test
