// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge/shape.hpp"
#include "sgemm/problem.hpp"

namespace libsgemm::judge {

/// The sizes of a shape as the library's problem, column-major.
inline Problem to_problem(const Shape& shape) {
    Problem problem(shape.m, shape.n, shape.k);
    problem.transpose_a = shape.transpose_a ? Transpose::yes : Transpose::no;
    problem.transpose_b = shape.transpose_b ? Transpose::yes : Transpose::no;
    problem.lda = shape.lda;
    problem.ldb = shape.ldb;
    problem.ldc = shape.ldc;
    return problem;
}

} // namespace libsgemm::judge
