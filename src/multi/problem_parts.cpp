// SPDX-License-Identifier: Apache-2.0
#include "multi/problem_parts.hpp"

namespace sgemm::detail {

Problem resolved(Problem problem, const validate::CheckedProblem& checked) {
    problem.lda = checked.a.ld;
    problem.ldb = checked.b.ld;
    problem.ldc = checked.c.ld;
    problem.batch_stride_a = checked.a.batch_stride;
    problem.batch_stride_b = checked.b.batch_stride;
    problem.batch_stride_c = checked.c.batch_stride;
    return problem;
}

bool cuts_batch(const Problem& problem) {
    return problem.batch_count > 1;
}

std::int64_t units_of(const Problem& problem) {
    if (cuts_batch(problem)) {
        return problem.batch_count;
    }
    return problem.layout == Layout::row_major ? problem.m : problem.n;
}

Problem part_problem(Problem problem, std::int64_t units) {
    if (cuts_batch(problem)) {
        problem.batch_count = units;
    } else if (problem.layout == Layout::row_major) {
        problem.m = units;
    } else {
        problem.n = units;
    }
    return problem;
}

Steps steps_of(const Problem& p) {
    if (cuts_batch(p)) {
        return {p.batch_stride_a, p.batch_stride_b, p.batch_stride_c};
    }
    if (p.layout == Layout::row_major) { // rows of op(A)
        return {p.transpose_a == Transpose::no ? p.lda : 1, 0, p.ldc};
    }
    return {0, p.transpose_b == Transpose::no ? p.ldb : 1, p.ldc};
}

Matrix moved(Matrix matrix, std::int64_t elements) {
    matrix.offset += elements;
    return matrix;
}

} // namespace sgemm::detail
