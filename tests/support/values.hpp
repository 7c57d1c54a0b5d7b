// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <random>
#include <vector>

namespace sgemm_test {

/// What the matrices of a case hold.
enum class Values : std::uint8_t {
    uniform,        ///< multiples of 2^-23 in [-1, 1): products are never subnormal
    small_integers, ///< -8 .. 8: every partial sum is exact in fp32 up to k = 2^18
    outliers,       ///< uniform, one in 500 times 2^9
    nan_and_inf,    ///< uniform with zeros, and a few NaN, +Inf and -Inf
    all_nan,
};

std::ostream& operator<<(std::ostream& out, Values values);

/// `count` numbers, the same ones for the same seed on every platform.
std::vector<float> make_values(Values values, std::int64_t count, std::uint64_t seed);

} // namespace sgemm_test
