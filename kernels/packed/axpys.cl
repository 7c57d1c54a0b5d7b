// SPDX-License-Identifier: Apache-2.0
//
// Sums of scaled columns, for CPUs: few columns of C, vectors along the rows of an m-major A.
//
//   C(i, j) = alpha * sum over p of A(i, p) * B(p, j) + beta * C(i, j)
//
// Index map     the single work-item of a work-group computes up to ROWS rows of COLUMNS columns of
//               C. Dimension 0 shares the rows as equally as whole cache lines allow, dimension 1
//               is the groups of columns.
// What is new   against packed, which keeps a register tile while all of k passes: for one column
//               that tile is a few cache lines of A, and each step along k is on another page. Here
//               ROWS elements of STEPS columns of A are read from end to end
//               (packed/scaled_lines.clh).
// Order of sums ascending p, one accumulator per element
// Defines       WIDTH           elements of a vector: 4, 8, 16
//               ROWS, COLUMNS   rows and columns of C per work-group
//               STEPS           columns of A read at a time
//               A_K_MAJOR = 0, B_K_MAJOR (0 or 1)
// Constraints   ROWS a multiple of 16, a cache line
// Launch        ceil(m / ROWS) x ceil(n / COLUMNS) x batch work-groups of one work-item
// Local memory  ROWS * COLUMNS * 4 bytes
// Credit        reference BLAS computes SGEMV with an untransposed matrix column by column

#if !defined(WIDTH) || !defined(ROWS) || !defined(COLUMNS) || !defined(STEPS)
#error "WIDTH, ROWS, COLUMNS and STEPS must be defined: vector width, rows and columns of a work-group, columns of A at a time"
#endif
#if !defined(A_K_MAJOR) || A_K_MAJOR || !defined(B_K_MAJOR)
#error "A_K_MAJOR must be 0: vectors run along m; B_K_MAJOR must be defined"
#endif
#if ROWS % 16 != 0
#error "ROWS must be a multiple of 16, a cache line"
#endif

#include "packed/vectors.clh"
#include "packed/work_group.clh"

#define STEP_B (B_K_MAJOR ? 1 : ldb)
#define COLUMN_B (B_K_MAJOR ? ldb : 1)

#define THIN COLUMNS
#define LENGTH ROWS
#include "packed/scaled_lines.clh"

#define NUMBERS(N) GEMM_NUMBERS(N)
NUMBERS_STRUCT(NUMBERS);

// `sums`: room for COLUMNS columns of ROWS sums.
COMPILED_ONCE void multiply_group(Numbers numbers, WorkGroup group, global const float* restrict a,
                                  global const float* restrict b, global float* restrict c,
                                  local float* restrict sums) {
    READ_NUMBERS(NUMBERS);
    const long batch = group.id[2];
    const long j0 = group.id[1] * COLUMNS;
    const long lines = (m + LINE - 1) / LINE;
    const long i0 = LINE * SHARE_BEGIN(lines, group.groups[0], group.id[0]);
    const long i_end = min(LINE * SHARE_BEGIN(lines, group.groups[0], group.id[0] + 1), m);
    const int rows = (int)(i_end - i0);
    const int columns = (int)min((long)COLUMNS, n - j0);

    a += offset_a + batch * stride_a + i0;
    b += offset_b + batch * stride_b + j0 * COLUMN_B;
    c += offset_c + batch * stride_c + i0 + j0 * ldc;

    // Columns past the end are computed as the last one, and not stored.
    sum_lines(sums, a, lda, rows, b, COLUMN_B, columns - 1, STEP_B, k);
    for (int q = 0; q < columns; ++q)
        for (int r = 0; r < rows; ++r)
            STORE_C(c + q * ldc + r, sums[q * ROWS + r], alpha, beta);
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
sgemm_axpys(Numbers numbers, global const float* restrict a, global const float* restrict b,
            global float* restrict c) {
    local float sums[COLUMNS * ROWS] __attribute__((aligned(64)));
    multiply_group(numbers, THIS_WORK_GROUP, a, b, c, sums);
}
