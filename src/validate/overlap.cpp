// SPDX-License-Identifier: Apache-2.0
#include "validate/overlap.hpp"

#include <algorithm>

namespace sgemm::validate {
namespace {

std::int64_t floor_divide(std::int64_t x, std::int64_t positive) {
    return x >= 0 ? x / positive : -((-x + positive - 1) / positive);
}

/// Whether the run [begin, begin + length), relative to the block's first element, meets a line.
bool run_meets_block(const Stored& block, std::int64_t begin, std::int64_t length) {
    if (begin < 0) {
        return begin + length > 0;
    }
    const std::int64_t line = begin / block.ld;
    if (line >= block.lines) {
        return false;
    }
    const bool starts_inside = begin - line * block.ld < block.line;
    const bool reaches_next = line + 1 < block.lines && begin + length > (line + 1) * block.ld;
    return starts_inside || reaches_next;
}

/// With a common ld element (i, j) of x is element (i', j') of y exactly when
/// distance = (i - i') + (j - j') * ld, and |i - i'| < ld leaves two candidates for j - j'.
bool blocks_overlap_same_ld(const Stored& x, const Stored& y, std::int64_t distance) {
    const std::int64_t quotient = floor_divide(distance, x.ld);
    const std::int64_t rest = distance - quotient * x.ld;
    const auto possible = [&](std::int64_t di, std::int64_t dj) {
        return -y.line < di && di < x.line && -y.lines < dj && dj < x.lines;
    };
    return possible(rest, quotient) || possible(rest - x.ld, quotient + 1);
}

/// `distance`: y's first element minus x's.
bool blocks_overlap(const Stored& x, const Stored& y, std::int64_t distance) {
    if (distance >= x.matrix_extent() || -distance >= y.matrix_extent()) {
        return false;
    }
    if (x.ld == y.ld) {
        return blocks_overlap_same_ld(x, y, distance);
    }
    if (x.lines < y.lines) {
        return blocks_overlap(y, x, -distance); // walk the lines of the one that has fewer
    }
    for (std::int64_t line = 0; line < y.lines; ++line) {
        if (run_meets_block(x, distance + line * y.ld, y.line)) {
            return true;
        }
    }
    return false;
}

} // namespace

bool overlaps(const Stored& x, std::int64_t x_offset, const Stored& y, std::int64_t y_offset) {
    if (x.empty() || y.empty() || x_offset + x.extent() <= y_offset ||
        y_offset + y.extent() <= x_offset) {
        return false;
    }
    const std::int64_t y_last = y.batch_stride == 0 ? 0 : y.batch - 1;
    for (std::int64_t i = 0; i < x.batch; ++i) {
        const std::int64_t begin = x_offset + i * x.batch_stride - y_offset; // relative to y
        std::int64_t first = 0;
        std::int64_t last = y_last;
        if (y.batch_stride > 0) {
            first = std::max(first, floor_divide(begin - y.matrix_extent(), y.batch_stride) + 1);
            last = std::min(last, floor_divide(begin + x.matrix_extent() - 1, y.batch_stride));
        }
        for (std::int64_t j = first; j <= last; ++j) {
            if (blocks_overlap(x, y, j * y.batch_stride - begin)) {
                return true;
            }
        }
        if (x.batch_stride == 0) {
            break;
        }
    }
    return false;
}

bool overlaps_itself(const Stored& batch) {
    if (batch.empty() || batch.batch <= 1) {
        return false;
    }
    if (batch.batch_stride == 0) {
        return true;
    }
    // Matrices that interleave by the million are refused rather than looked at one by one.
    constexpr std::int64_t most = 1 << 20;
    if (std::min(batch.batch, batch.matrix_extent() / batch.batch_stride) > most) {
        return true;
    }
    for (std::int64_t d = 1; d < batch.batch && d * batch.batch_stride < batch.matrix_extent();
         ++d) {
        if (blocks_overlap(batch, batch, d * batch.batch_stride)) {
            return true;
        }
    }
    return false;
}

} // namespace sgemm::validate
