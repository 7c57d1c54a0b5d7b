// SPDX-License-Identifier: Apache-2.0
#include "doors/blas/entry_points.hpp"

#include "doors/blas/dispatch.hpp"
#include "doors/blas/gemm_call.hpp"
#include "doors/blas/xerbla.hpp"

#include <optional>
#include <utility>

namespace libsgemm::blas {
namespace {

/// Whether a letter says transpose; empty for letters that say nothing.
std::optional<bool> transposes(char letter) {
    switch (letter) {
    case 'N':
    case 'n':
        return false;
    case 'T':
    case 't':
    case 'C':
    case 'c':
        return true;
    default:
        return std::nullopt;
    }
}

std::optional<bool> transposes(int cblas) {
    constexpr int none = 111, transpose = 112, conjugate = 113;
    if (cblas == none) {
        return false;
    }
    return cblas == transpose || cblas == conjugate ? std::optional(true) : std::nullopt;
}

template <class Integer>
void call_fortran(char transa, char transb, GemmCall call) {
    const auto a = transposes(transa);
    const auto b = transposes(transb);
    if (!a || !b) {
        return report<Integer>(a ? 2 : 1);
    }
    call.transpose_a = *a;
    call.transpose_b = *b;
    if (const int wrong = first_wrong_argument(call)) {
        return report<Integer>(wrong);
    }
    multiply(call);
}

/// The column-major call that does the same: a row-major C is its transpose, B' A'.
GemmCall exchanged(GemmCall call) {
    std::swap(call.transpose_a, call.transpose_b);
    std::swap(call.m, call.n);
    std::swap(call.a, call.b);
    std::swap(call.lda, call.ldb);
    return call;
}

void call_cblas(int layout, int transa, int transb, GemmCall call) {
    constexpr int row_major = 101, column_major = 102;
    if (layout != row_major && layout != column_major) {
        return report_cblas(1, false, "Illegal layout setting, %d\n", layout);
    }
    const bool by_rows = layout == row_major;
    const auto a = transposes(transa);
    const auto b = transposes(transb);
    if (!a) {
        return report_cblas(2, by_rows, "Illegal TransA setting, %d\n", transa);
    }
    if (!b) {
        return report_cblas(3, by_rows, "Illegal TransB setting, %d\n", transb);
    }
    call.transpose_a = *a;
    call.transpose_b = *b;
    const GemmCall by_columns = by_rows ? exchanged(call) : call;
    if (const int wrong = first_wrong_argument(by_columns)) {
        return report_cblas(wrong + 1, by_rows, "", 0);
    }
    multiply(by_columns);
}

} // namespace

} // namespace libsgemm::blas

using libsgemm::blas::call_cblas;
using libsgemm::blas::call_fortran;

// As declared, with a body.
#define SGEMM_BLAS_DEFINE_FORTRAN(name, Integer)                                                   \
    SGEMM_BLAS_FORTRAN(name, Integer) {                                                            \
        call_fortran<Integer>(                                                                     \
            *transa, *transb,                                                                      \
            {false, false, *m, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc});                 \
    }
SGEMM_BLAS_DEFINE_FORTRAN(sgemm_, std::int32_t)
SGEMM_BLAS_DEFINE_FORTRAN(sgemm_64_, std::int64_t)
SGEMM_BLAS_DEFINE_FORTRAN(scipy_sgemm_, std::int32_t)
SGEMM_BLAS_DEFINE_FORTRAN(scipy_sgemm_64_, std::int64_t)

#define SGEMM_BLAS_DEFINE_C(name, Integer)                                                         \
    SGEMM_BLAS_C(name, Integer) {                                                                  \
        call_cblas(layout, transa, transb,                                                         \
                   {false, false, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc});                  \
    }
SGEMM_BLAS_DEFINE_C(cblas_sgemm, std::int32_t)
SGEMM_BLAS_DEFINE_C(cblas_sgemm_64, std::int64_t)
SGEMM_BLAS_DEFINE_C(cblas_sgemm64_, std::int64_t)
SGEMM_BLAS_DEFINE_C(scipy_cblas_sgemm, std::int32_t)
SGEMM_BLAS_DEFINE_C(scipy_cblas_sgemm64_, std::int64_t)
