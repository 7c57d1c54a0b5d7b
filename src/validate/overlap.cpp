// SPDX-License-Identifier: Apache-2.0
#include "validate/overlap.hpp"

#include <algorithm>
#include <numeric>

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

/// Lines of matrices that one check may look at: a matter of milliseconds.
constexpr std::int64_t most_lines = 1 << 20;

std::int64_t batch_step(const Stored& stored) {
    return stored.batch > 1 ? stored.batch_stride : 0;
}

std::int64_t line_step(const Stored& stored) {
    return stored.lines > 1 ? stored.ld : 0;
}

/// Whether lines never meet because each stays in its own part of a common period: every line of x
/// begins at x_offset and every line of y at y_offset, modulo what divides all steps.
bool kept_apart_by_period(const Stored& x, const Stored& y, std::int64_t distance) {
    const std::int64_t period =
        std::gcd(std::gcd(batch_step(x), line_step(x)), std::gcd(batch_step(y), line_step(y)));
    if (period == 0) {
        return false; // two lines: looked at below
    }
    const std::int64_t y_begin = distance - floor_divide(distance, period) * period;
    return y_begin >= x.line && y_begin + y.line <= period;
}

/// Numbers of matrices: [first, last], none if last < first.
struct Range {
    std::int64_t first;
    std::int64_t last;
    std::int64_t count() const { return last - first + 1; }
};

/// The matrices of y that reach into `extent` elements which begin at `begin`, relative to y's first
/// element.
Range matrices_within_reach(const Stored& y, std::int64_t begin, std::int64_t extent) {
    const std::int64_t step = batch_step(y);
    if (step == 0) {
        return {0, 0};
    }
    return {std::max<std::int64_t>(0, floor_divide(begin - y.matrix_extent(), step) + 1),
            std::min(y.batch - 1, floor_divide(begin + extent - 1, step))};
}

/// Looks at pairs of matrices until one overlaps or the lines to look at are used up.
class PairSearch {
public:
    PairSearch(const Stored& x, const Stored& y)
        : x_(x), y_(y), lines_per_pair_(x.ld == y.ld ? 1 : std::min(x.lines, y.lines)) {}

    /// True if they overlap, or if nobody will know.
    bool meets(std::int64_t distance) {
        return !affords(lines_per_pair_) || blocks_overlap(x_, y_, distance);
    }
    /// False if so many lines are not left.
    bool affords(std::int64_t lines) {
        left_ -= std::min(left_, lines);
        return left_ > 0;
    }

private:
    const Stored& x_;
    const Stored& y_;
    std::int64_t lines_per_pair_;
    std::int64_t left_ = most_lines;
};

/// With a common stride only the difference of two matrices' numbers matters: matrix i of x and
/// matrix i + d of y lie as far apart as 0 and d. `begin`: x's first element, relative to y's; `step`
/// is positive.
bool batches_overlap_same_stride(const Stored& x, const Stored& y, std::int64_t begin,
                                 std::int64_t step) {
    PairSearch search(x, y);
    const std::int64_t first =
        std::max(-(x.batch - 1), floor_divide(begin - y.matrix_extent(), step) + 1);
    const std::int64_t last =
        std::min(y.batch - 1, floor_divide(begin + x.matrix_extent() - 1, step));
    for (std::int64_t d = first; d <= last; ++d) {
        if (search.meets(d * step - begin)) {
            return true;
        }
    }
    return false;
}

/// Each of x's matrices that reach into y, with each of y's that it reaches.
bool batches_overlap(const Stored& x, const Stored& y, std::int64_t begin) {
    const Range of_x = matrices_within_reach(x, -begin, y.extent());
    if (of_x.count() > matrices_within_reach(y, begin, x.extent()).count()) {
        return batches_overlap(y, x, -begin);
    }
    PairSearch search(x, y);
    for (std::int64_t i = of_x.first; i <= of_x.last; ++i) {
        if (!search.affords(1)) {
            return true;
        }
        const std::int64_t x_begin = begin + i * x.batch_stride;
        const Range of_y = matrices_within_reach(y, x_begin, x.matrix_extent());
        for (std::int64_t j = of_y.first; j <= of_y.last; ++j) {
            if (search.meets(j * y.batch_stride - x_begin)) {
                return true;
            }
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
    if (kept_apart_by_period(x, y, y_offset - x_offset)) {
        return false;
    }
    const std::int64_t begin = x_offset - y_offset;
    const std::int64_t step = batch_step(x);
    return step > 0 && step == batch_step(y) ? batches_overlap_same_stride(x, y, begin, step)
                                             : batches_overlap(x, y, begin);
}

bool overlaps_itself(const Stored& batch) {
    if (batch.empty() || batch.batch <= 1) {
        return false;
    }
    if (batch.batch_stride == 0) {
        return true;
    }
    PairSearch search(batch, batch);
    for (std::int64_t d = 1; d < batch.batch && d * batch.batch_stride < batch.matrix_extent();
         ++d) {
        if (search.meets(d * batch.batch_stride)) {
            return true;
        }
    }
    return false;
}

} // namespace sgemm::validate
