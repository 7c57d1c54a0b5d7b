// SPDX-License-Identifier: Apache-2.0
#include "support/cores.hpp"

#ifdef __linux__
#include <pthread.h>
#include <sched.h>
#endif

namespace sgemm::support {

#ifdef __linux__

int current_core() noexcept {
    return sched_getcpu();
}

void keep_off(int core, std::span<std::thread> threads) noexcept {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (core < 0 || core >= CPU_SETSIZE || sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
        return;
    }
    CPU_CLR(static_cast<unsigned>(core), &allowed);
    if (CPU_COUNT(&allowed) == 0) {
        return;
    }
    for (std::thread& thread : threads) {
        pthread_setaffinity_np(thread.native_handle(), sizeof allowed, &allowed);
    }
}

#else

int current_core() noexcept {
    return -1;
}

void keep_off(int /*core*/, std::span<std::thread> /*threads*/) noexcept {}

#endif

} // namespace sgemm::support
