// SPDX-License-Identifier: Apache-2.0
#include "cpu_threads/problem_parts.hpp"

namespace libsgemm::detail {

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

Steps product_steps(const Problem& p) {
    return {p.batch_stride_a, p.batch_stride_b, p.batch_stride_c};
}

Steps row_steps(const Problem& p) {
    const bool by_rows = p.layout == Layout::row_major;
    const bool along_memory = by_rows == (p.transpose_a == Transpose::yes);
    return {along_memory ? 1 : p.lda, 0, by_rows ? p.ldc : 1};
}

Steps column_steps(const Problem& p) {
    const bool by_rows = p.layout == Layout::row_major;
    const bool along_memory = by_rows == (p.transpose_b == Transpose::no);
    return {0, along_memory ? 1 : p.ldb, by_rows ? 1 : p.ldc};
}

Steps steps_of(const Problem& problem) {
    if (cuts_batch(problem)) {
        return product_steps(problem);
    }
    return problem.layout == Layout::row_major ? row_steps(problem) : column_steps(problem);
}

Matrix moved(Matrix matrix, std::int64_t elements) {
    matrix.offset += elements;
    return matrix;
}

} // namespace libsgemm::detail
