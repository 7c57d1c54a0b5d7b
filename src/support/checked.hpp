// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace libsgemm::support {

/// Arithmetic on non-negative 64-bit counts that says when a result does not fit. Empty operands
/// stay empty, so that a chain needs one test at its end.
using Count = std::optional<std::int64_t>;

inline Count checked_add(Count x, Count y) {
    if (!x || !y || *x > std::numeric_limits<std::int64_t>::max() - *y) {
        return std::nullopt;
    }
    return *x + *y;
}

inline Count checked_multiply(Count x, Count y) {
    if (!x || !y || (*y != 0 && *x > std::numeric_limits<std::int64_t>::max() / *y)) {
        return std::nullopt;
    }
    return *x * *y;
}

/// The smallest multiple of `step` (> 0) that is at least `x`.
inline Count checked_round_up(Count x, std::int64_t step) {
    const Count raised = checked_add(x, step - 1);
    return raised ? Count(*raised / step * step) : std::nullopt;
}

} // namespace libsgemm::support
