// SPDX-License-Identifier: Apache-2.0
#include "cpu_threads/cores.hpp"

#include <new>

#ifdef __linux__
#include <csignal>
#include <pthread.h>
#include <sched.h>
#endif

namespace libsgemm::detail {

#ifdef __linux__

int current_core() noexcept {
    return sched_getcpu();
}

Cores Cores::of_this_thread() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    Cores cores;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
        for (int core = 0; core < CPU_SETSIZE; ++core) {
            if (CPU_ISSET(static_cast<std::size_t>(core), &allowed)) {
                cores.numbers_.push_back(core);
            }
        }
    }
    return cores;
}

void Cores::let_run(std::span<std::thread> threads, int but_for) const noexcept {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    for (const int core : numbers_) {
        if (core != but_for) {
            CPU_SET(static_cast<std::size_t>(core), &allowed);
        }
    }
    if (CPU_COUNT(&allowed) == 0) {
        return;
    }
    for (std::thread& thread : threads) {
        pthread_setaffinity_np(thread.native_handle(), sizeof allowed, &allowed);
    }
}

class WithoutSignals::Mask {
public:
    sigset_t signals;
};

WithoutSignals::WithoutSignals() noexcept : before_(new (std::nothrow) Mask()) {
    sigset_t all;
    sigfillset(&all);
    if (before_ != nullptr && pthread_sigmask(SIG_SETMASK, &all, &before_->signals) != 0) {
        delete before_;
        before_ = nullptr;
    }
}

WithoutSignals::~WithoutSignals() {
    if (before_ != nullptr) {
        pthread_sigmask(SIG_SETMASK, &before_->signals, nullptr);
        delete before_;
    }
}

#else

int current_core() noexcept {
    return -1;
}

Cores Cores::of_this_thread() {
    return {};
}

void Cores::let_run(std::span<std::thread> /*threads*/, int /*but_for*/) const noexcept {}

class WithoutSignals::Mask {};

WithoutSignals::WithoutSignals() noexcept = default;

WithoutSignals::~WithoutSignals() = default;

#endif

} // namespace libsgemm::detail
