// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace libsgemm::validate {

/// Which index of an operand is contiguous in memory: m of op(A) or n of op(B) ("mn-major"), or k.
enum class Major : std::uint8_t { mn, k };

inline Major other(Major major) {
    return major == Major::mn ? Major::k : Major::mn;
}

} // namespace libsgemm::validate
