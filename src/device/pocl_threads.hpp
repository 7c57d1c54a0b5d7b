// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>
#ifdef __linux__
#include <sched.h>
#endif

namespace libsgemm::device {

/// How many cores this process may use, if they are 0, 1, ... without a gap; else, or where that
/// cannot be told, 0.
inline std::size_t first_cores() {
#ifdef __linux__
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
        return 0;
    }
    const auto count = static_cast<std::size_t>(CPU_COUNT(&allowed));
    for (std::size_t core = 0; core < count; ++core) {
        if (!CPU_ISSET(core, &allowed)) {
            return 0;
        }
    }
    return count;
#else
    return 0;
#endif
}

/// Threads that the environment asks PoCL for, by the variables of before and since 4.0; 0: it
/// does not.
inline std::size_t wished_pocl_threads() {
    std::size_t most = 0;
    for (const char* const name : {"POCL_MAX_PTHREAD_COUNT", "POCL_CPU_MAX_CU_COUNT"}) {
        if (const char* const value = std::getenv(name)) {
            most = std::max<std::size_t>(most, std::strtoul(value, nullptr, 10));
        }
    }
    return most;
}

/// For programs that measure: has PoCL bind its threads to cores, unless the environment says
/// otherwise. Left to themselves, two of them may share one core for a while (ADR 10). PoCL reads
/// POCL_AFFINITY when it starts, and then takes cores 0, 1, ... whatever the process may use, and
/// ends the process where one is not there, so only where these are what it may use, and enough.
inline void bind_pocl_threads() {
    const std::size_t cores = first_cores();
    if (cores > 0 && wished_pocl_threads() <= cores) {
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
