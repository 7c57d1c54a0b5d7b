// SPDX-License-Identifier: Apache-2.0
#include "support/storage.hpp"

#include <algorithm>

namespace sgemm_test {
namespace {

using libsgemm::Layout;
using libsgemm::Transpose;

/// Whether op(X) is contiguous along its rows' index: a column-major X, or the transpose of a
/// row-major one.
bool contiguous_down(Layout layout, Transpose transpose) {
    return (layout == Layout::column_major) == (transpose == Transpose::no);
}

std::int64_t smallest(Layout layout, Transpose transpose, std::int64_t rows, std::int64_t columns) {
    return std::max<std::int64_t>(1, contiguous_down(layout, transpose) ? rows : columns);
}

Storage storage(Layout layout, Transpose transpose, std::int64_t rows, std::int64_t columns,
                std::int64_t ld, std::int64_t batch, std::int64_t batch_stride) {
    const bool down = contiguous_down(layout, transpose);
    const std::int64_t step =
        ld == libsgemm::tight ? smallest(layout, transpose, rows, columns) : ld;
    Storage result{rows, columns, down ? 1 : step, down ? step : 1, 1, 0};
    result.batch = batch;
    if (batch > 1) {
        const std::int64_t whole = step * (down ? columns : rows);
        result.batch_stride = batch_stride == libsgemm::tight ? whole : batch_stride;
    }
    return result;
}

} // namespace

ProblemStorage storage_of(const libsgemm::Problem& p) {
    return {storage(p.layout, p.transpose_a, p.m, p.k, p.lda, p.batch_count, p.batch_stride_a),
            storage(p.layout, p.transpose_b, p.k, p.n, p.ldb, p.batch_count, p.batch_stride_b),
            storage(p.layout, Transpose::no, p.m, p.n, p.ldc, p.batch_count, p.batch_stride_c)};
}

LeadingDimensions smallest_leading_dimensions(const libsgemm::Problem& p) {
    return {smallest(p.layout, p.transpose_a, p.m, p.k),
            smallest(p.layout, p.transpose_b, p.k, p.n),
            smallest(p.layout, Transpose::no, p.m, p.n)};
}

void spread(libsgemm::Problem& problem, LeadingDimensions gaps, std::int64_t batch_gap) {
    const LeadingDimensions least = smallest_leading_dimensions(problem);
    problem.lda = least.a + gaps.a;
    problem.ldb = least.b + gaps.b;
    problem.ldc = least.c + gaps.c;
    libsgemm::Problem single = problem;
    single.batch_count = 1;
    const ProblemStorage one = storage_of(single);
    problem.batch_stride_a = one.a.span() + batch_gap;
    problem.batch_stride_b = one.b.span() + batch_gap;
    problem.batch_stride_c = one.c.span() + batch_gap;
}

} // namespace sgemm_test
