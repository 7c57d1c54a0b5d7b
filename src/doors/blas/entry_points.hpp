// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// The names of SGEMM that libsgemm_blas.so defines. Arguments, semantics and errors are those of
// the reference BLAS; matrices are in host memory, and a call returns when C is there. Any thread
// may call.
extern "C" {

#define SGEMM_BLAS_API __attribute__((visibility("default")))

// Fortran: everything by reference. (Compilers add the letters' lengths, which nobody needs.)
#define SGEMM_BLAS_FORTRAN(name, Integer)                                                          \
    SGEMM_BLAS_API void name(const char* transa, const char* transb, const Integer* m,             \
                             const Integer* n, const Integer* k, const float* alpha,               \
                             const float* a, const Integer* lda, const float* b,                   \
                             const Integer* ldb, const float* beta, float* c, const Integer* ldc)
SGEMM_BLAS_FORTRAN(sgemm_, std::int32_t);
SGEMM_BLAS_FORTRAN(sgemm_64_, std::int64_t);
SGEMM_BLAS_FORTRAN(scipy_sgemm_, std::int32_t); // as NumPy's and SciPy's own packages do
SGEMM_BLAS_FORTRAN(scipy_sgemm_64_, std::int64_t);

// CBLAS: 101 row-major, 102 column-major; 111 no transpose, 112 transpose, 113 conjugate transpose.
#define SGEMM_BLAS_C(name, Integer)                                                                \
    SGEMM_BLAS_API void name(int layout, int transa, int transb, Integer m, Integer n, Integer k,  \
                             float alpha, const float* a, Integer lda, const float* b,             \
                             Integer ldb, float beta, float* c, Integer ldc)
SGEMM_BLAS_C(cblas_sgemm, std::int32_t);
SGEMM_BLAS_C(cblas_sgemm_64, std::int64_t); // as the reference names it
SGEMM_BLAS_C(cblas_sgemm64_, std::int64_t); // as OpenBLAS does
SGEMM_BLAS_C(scipy_cblas_sgemm, std::int32_t);
SGEMM_BLAS_C(scipy_cblas_sgemm64_, std::int64_t);
}
