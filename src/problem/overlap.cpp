// SPDX-License-Identifier: Apache-2.0
#include "problem/overlap.hpp"

#include "problem/step_sums.hpp"

namespace libsgemm::validate {
namespace {

/// What one check may try: a matter of a second.
constexpr std::int64_t most_combinations = std::int64_t{1} << 20U;

/// Adds the distances of a batch's elements from its first one, but for those along a line.
void append_steps(StepList& summands, const Stored& stored) {
    summands.push_back({stored.ld, stored.lines});
    if (stored.batch_stride > 0) { // else all are one matrix
        summands.push_back({stored.batch_stride, stored.batch});
    }
}

} // namespace

/// Counted from its last element backwards x's elements have the same distances as from its first:
/// one of x is one of y where a distance in x and one in y add up to what lies between y's first
/// and x's last element.
bool overlaps(const Stored& x, std::int64_t x_offset, const Stored& y, std::int64_t y_offset) {
    if (x.empty() || y.empty() || x_offset + x.extent() <= y_offset ||
        y_offset + y.extent() <= x_offset) {
        return false;
    }
    StepList summands;
    append_steps(summands, x);
    append_steps(summands, y);
    const std::int64_t between = x_offset + x.extent() - 1 - y_offset;
    return some_sum_is_within(summands, between - (x.line - 1) - (y.line - 1), between,
                              most_combinations)
        .value_or(true);
}

/// The same for matrix number i > 0 beside the first: any two are as far apart as those.
bool overlaps_itself(const Stored& batch) {
    if (batch.empty() || batch.batch <= 1 || batch.batch_stride >= batch.matrix_extent()) {
        return false;
    }
    if (batch.batch_stride == 0) {
        return true;
    }
    const std::int64_t between = batch.matrix_extent() - 1 - batch.batch_stride;
    return some_sum_is_within(
               {{batch.ld, 2 * batch.lines - 1}, {batch.batch_stride, batch.batch - 1}},
               between - 2 * (batch.line - 1), between, most_combinations)
        .value_or(true);
}

} // namespace libsgemm::validate
