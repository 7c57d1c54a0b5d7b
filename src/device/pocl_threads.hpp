// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdlib>
#include <string>
#ifdef __linux__
#include <sched.h>
#endif

namespace libsgemm::device {

/// Whether the cores that this process may use are 0, 1, ... without a gap.
inline bool uses_first_cores() {
#ifdef __linux__
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
        return false;
    }
    const auto count = static_cast<std::size_t>(CPU_COUNT(&allowed));
    for (std::size_t core = 0; core < count; ++core) {
        if (!CPU_ISSET(core, &allowed)) {
            return false;
        }
    }
    return true;
#else
    return false;
#endif
}

/// For programs that measure: has PoCL bind its threads to cores, unless the environment says
/// otherwise. Left to themselves, two of them may share one core for a while (ADR 10). PoCL reads
/// POCL_AFFINITY when it starts, and then takes cores 0, 1, ... whatever the process may use, so
/// only where these are what it may use.
inline void bind_pocl_threads() {
    if (uses_first_cores()) {
        setenv("POCL_AFFINITY", "1", 0);
    }
}

/// For programs that want it: has PoCL offer the device that computes in the calling thread beside
/// that with threads, by their names since 4.0 and before, unless the environment says which it
/// shall offer. To be called before OpenCL is.
inline void offer_calling_thread() {
    setenv("POCL_DEVICES", "cpu cpu-minimal pthread basic", 0);
}

/// For the records of what was measured.
inline std::string pocl_affinity() {
    const char* const value = std::getenv("POCL_AFFINITY");
    return value == nullptr ? "unset" : value;
}

} // namespace libsgemm::device
