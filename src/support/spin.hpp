// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace sgemm::support {

/// Tells the core that this thread looks at something again and again.
inline void pause_briefly() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

} // namespace sgemm::support
