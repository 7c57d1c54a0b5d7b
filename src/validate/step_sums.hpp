// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace sgemm::validate {

/// The numbers 0, step, ..., (count - 1) * step.
struct Steps {
    std::int64_t step = 1;  ///< positive
    std::int64_t count = 1; ///< positive
};

/// Whether numbers, one of each, add up to one in [low, high]. The largest sum fits in 62 bits. By Euclid's
/// algorithm where two of them are left that cannot be joined, which is exact; one value after the other of any more.
/// Nothing if that takes more than `most_tried` steps.
std::optional<bool> some_sum_is_within(std::vector<Steps> summands, std::int64_t low,
                                       std::int64_t high, std::int64_t most_tried);

} // namespace sgemm::validate
