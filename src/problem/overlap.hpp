// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "problem/stored.hpp"

#include <cstdint>

namespace libsgemm::validate {

/// Whether two (batches of) matrices in one buffer share an element. Decided by arithmetic on
/// strides, whatever the sizes: blocks of one large matrix, interleaved in memory, do not overlap.
/// Only where three leading dimensions and batch strides that are no multiples of each other
/// interleave by the million are combinations tried, and more than 2^20 of them count as
/// overlapping: a call must not take longer to check than to run.
bool overlaps(const Stored& x, std::int64_t x_offset, const Stored& y, std::int64_t y_offset);

/// Whether two matrices of one batch share an element; always exact.
bool overlaps_itself(const Stored& batch);

} // namespace libsgemm::validate
