// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <thread>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace libsgemm::detail {

/// Tells the core that this thread looks at something again and again.
inline void pause_briefly() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

/// For a few instructions at a time, where sleeping would take longer than waiting.
class SpinLock {
public:
    void lock() noexcept {
        constexpr int looks_between_yields = 1024;
        for (int look = 1; taken_.exchange(true, std::memory_order_acquire); ++look) {
            pause_briefly();
            if (look % looks_between_yields == 0) {
                std::this_thread::yield(); // who has it may need this core
            }
        }
    }
    void unlock() noexcept { taken_.store(false, std::memory_order_release); }

private:
    std::atomic<bool> taken_{false};
};

} // namespace libsgemm::detail
