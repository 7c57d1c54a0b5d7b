// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace libsgemm::blas {

/// A call of SGEMM: C = alpha * op(A) * op(B) + beta * C, column-major, host memory. Sizes and
/// leading dimensions count elements. A plain value.
struct GemmCall {
    bool transpose_a = false;
    bool transpose_b = false;
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    float alpha = 1;
    const float* a = nullptr;
    std::int64_t lda = 1;
    const float* b = nullptr;
    std::int64_t ldb = 1;
    float beta = 0;
    float* c = nullptr;
    std::int64_t ldc = 1;
};

/// Number of the first argument of Fortran's SGEMM that is wrong, as XERBLA gets it; 0 if all are
/// right. The letters' own numbers are 1 and 2.
int first_wrong_argument(const GemmCall& call) noexcept;

/// Whether the call leaves C as it is.
bool changes_nothing(const GemmCall& call) noexcept;

/// The number of rows and columns of a square problem that does as much arithmetic for each element
/// that has to be moved: what decides whether a device is worth the way there.
double square_equivalent(const GemmCall& call) noexcept;

/// The product by three loops: for when there is neither a device nor another BLAS. BLAS semantics.
void multiply_plainly(const GemmCall& call) noexcept;

} // namespace libsgemm::blas
