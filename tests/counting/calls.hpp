// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sgemm_test {

/// What this thread has asked OpenCL and the heap for. The program defines the entry points of
/// OpenCL that do such things, and operator new, itself: they count and pass on.
struct Calls {
    std::uint64_t kernels = 0;     ///< kernels enqueued
    std::uint64_t transfers = 0;   ///< other commands enqueued: copies, fills, maps, ...
    std::uint64_t objects = 0;     ///< buffers, sub-buffers, kernels, programs and queues created
    std::uint64_t builds = 0;      ///< programs built
    std::uint64_t waits = 0;       ///< calls that wait for the device
    std::uint64_t host_blocks = 0; ///< operator new, but not from inside a call of OpenCL

    bool operator==(const Calls&) const = default;
};

Calls calls_so_far() noexcept;
/// Arguments of kernels that this thread has set to values or buffers.
std::uint64_t arguments_set_so_far() noexcept;
Calls operator-(const Calls& after, const Calls& before) noexcept;

} // namespace sgemm_test
