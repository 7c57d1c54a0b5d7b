// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace libsgemm::detail {

/// Products of a batch of offsets that one strided batch computes: those from number `first` on.
struct OffsetRun {
    std::size_t first = 0;
    std::int64_t count = 1;
    std::int64_t stride_a = 0;
    std::int64_t stride_b = 0;
    std::int64_t stride_c = 0;
};

/// Divides a batch into runs, in order: from left to right the longest one with equal distances,
/// none negative and C's no less than `extent_c`, if it is four products or more; one product each
/// else, as each run of a new kind needs a plan of its own. Empty vectors for A and B stand for
/// zeros.
std::vector<OffsetRun> equidistant_runs(const std::vector<std::int64_t>& a,
                                        const std::vector<std::int64_t>& b,
                                        const std::vector<std::int64_t>& c, std::int64_t extent_c);

} // namespace libsgemm::detail
