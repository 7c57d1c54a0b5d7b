// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "validate/problem.hpp"

#include <cstdint>

namespace sgemm::validate {

/// Whether two (batches of) matrices in one buffer share an element. Exact, not by bounding
/// intervals: blocks of one large matrix, interleaved in memory, do not overlap. Batches that interleave
/// by the million in a way that no common period explains count as overlapping: a call must not take
/// longer to check than to run.
bool overlaps(const Stored& x, std::int64_t x_offset, const Stored& y, std::int64_t y_offset);

/// Whether two matrices of one batch share an element; with the same limit.
bool overlaps_itself(const Stored& batch);

} // namespace sgemm::validate
