// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>

namespace sgemm::device {

/// For programs that measure: binds PoCL's threads to cores, unless the environment says otherwise. PoCL reads it when it starts.
/// Left to themselves, two of them may share one core for a while (ADR 10).
inline void bind_pocl_threads() {
    setenv("POCL_AFFINITY", "1", 0);
}

} // namespace sgemm::device
