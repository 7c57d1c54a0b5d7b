// SPDX-License-Identifier: Apache-2.0
//
// Sums of scaled rows, for CPUs: few rows of C, vectors along the columns of an n-major B.
//
//   C(i, j) = alpha * sum over p of A(i, p) * B(p, j) + beta * C(i, j)
//
// Index map     the single work-item of a work-group computes up to COLUMNS columns of ROWS rows of
//               C. Dimension 1 shares the columns as equally as whole cache lines allow, dimension
//               0 is the groups of rows.
// What is new   against axpys, which scales columns of A: here rows of B are scaled, and neighbours
//               along a row of C are stored a leading dimension apart
// Order of sums ascending p, one accumulator per element
// Defines       WIDTH           elements of a vector: 4, 8, 16
//               ROWS, COLUMNS   rows and columns of C per work-group
//               STEPS           rows of B read at a time
//               A_K_MAJOR (0 or 1), B_K_MAJOR = 0
// Constraints   COLUMNS a multiple of 16, a cache line
// Launch        ceil(m / ROWS) x ceil(n / COLUMNS) x batch work-groups of one work-item
// Local memory  ROWS * COLUMNS * 4 bytes
// Credit        as axpys

#if !defined(WIDTH) || !defined(ROWS) || !defined(COLUMNS) || !defined(STEPS)
#error "WIDTH, ROWS, COLUMNS and STEPS must be defined: vector width, rows and columns of a work-group, rows of B at a time"
#endif
#if !defined(A_K_MAJOR) || !defined(B_K_MAJOR) || B_K_MAJOR
#error "B_K_MAJOR must be 0: vectors run along n; A_K_MAJOR must be defined"
#endif
#if COLUMNS % 16 != 0
#error "COLUMNS must be a multiple of 16, a cache line"
#endif

#include "packed/vectors.clh"
#include "packed/work_group.clh"

#define STEP_A (A_K_MAJOR ? 1 : lda)
#define ROW_A (A_K_MAJOR ? lda : 1)

#define THIN ROWS
#define LENGTH COLUMNS
#include "packed/scaled_lines.clh"

#define NUMBERS(N) GEMM_NUMBERS(N)
NUMBERS_STRUCT(NUMBERS);

// `sums`: room for ROWS rows of COLUMNS sums.
COMPILED_ONCE void multiply_group(Numbers numbers, WorkGroup group, global const float* restrict a,
                                  global const float* restrict b, global float* restrict c,
                                  local float* restrict sums) {
    READ_NUMBERS(NUMBERS);
    const long batch = group.id[2];
    const long i0 = group.id[0] * ROWS;
    const long lines = (n + LINE - 1) / LINE;
    const long j0 = LINE * SHARE_BEGIN(lines, group.groups[1], group.id[1]);
    const long j_end = min(LINE * SHARE_BEGIN(lines, group.groups[1], group.id[1] + 1), n);
    const int columns = (int)(j_end - j0);
    const int rows = (int)min((long)ROWS, m - i0);

    a += offset_a + batch * stride_a + i0 * ROW_A;
    b += offset_b + batch * stride_b + j0;
    c += offset_c + batch * stride_c + i0 + j0 * ldc;

    // Rows past the end are computed as the last one, and not stored.
    sum_lines(sums, b, ldb, columns, a, ROW_A, rows - 1, STEP_A, k);
    for (int r = 0; r < columns; ++r)
        for (int q = 0; q < rows; ++q)
            STORE_C(c + r * ldc + q, sums[q * COLUMNS + r], alpha, beta);
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
sgemm_axpys_rows(Numbers numbers, global const float* restrict a, global const float* restrict b,
                 global float* restrict c) {
    local float sums[ROWS * COLUMNS] __attribute__((aligned(64)));
    multiply_group(numbers, THIS_WORK_GROUP, a, b, c, sums);
}
