// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace libsgemm::support {

/// ceil(value / by) of a non-negative value and a positive divisor.
constexpr std::int64_t ceil_div(std::int64_t value, std::int64_t by) {
    return value / by + (value % by != 0 ? 1 : 0);
}

/// The smallest multiple of `step` that is at least `value`; it must fit in 64 bits. As ceil_div().
constexpr std::int64_t round_up(std::int64_t value, std::int64_t step) {
    return ceil_div(value, step) * step;
}

} // namespace libsgemm::support
