// SPDX-License-Identifier: Apache-2.0
//
// Sums of scaled columns: few columns of C, vectors along the rows of an m-major A, for CPUs.
//
//   C(i, j) = alpha * sum over p of A(i, p) * B(p, j) + beta * C(i, j)
//
// Index map     the single work-item of a work-group computes up to ROWS rows of COLUMNS columns of C; work-groups share the
//               rows as equally as whole cache lines allow. Dimension 1 of the launch is the groups of columns.
// New here      beside `packed`, whose tile stays in registers while all of k passes: where C has one column that tile is a
//               few lines of A, and each step along k another page. Here STEPS columns of A, ROWS elements of each, are
//               read from one end to the other, as the hardware expects it; sums are in local memory, which is memory
//               of the thread and stays in the first-level cache.
// Asks for      the next STEPS columns of A while these are read: a column is too short for the hardware to follow it.
// Order of sums ascending p in one accumulator per element
// Defines       WIDTH (4, 8, 16: elements of a vector), ROWS, COLUMNS, STEPS, A_K_MAJOR (must be 0), B_K_MAJOR
// Preconditions none
// Launch        work-groups ceil(m / ROWS) x ceil(n / COLUMNS) x batch of one work-item
// Local memory  ROWS * COLUMNS * 4 bytes
// Source        reference BLAS's SGEMV computes a product with an untransposed matrix so, column after column

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

#define EACH_COLUMN(q) _Pragma("unroll") for (int q = 0; q < COLUMNS; ++q)
#define EACH_STEP(steps, s) _Pragma("unroll") for (int s = 0; s < (steps); ++s)

// Adds the products of `steps` columns of A, known when compiling, from `a` on; b_columns[q] points to as many elements of B.
#define ADD_COLUMNS(steps)                                                                             \
    do {                                                                                               \
        float factors[COLUMNS][steps];                                                                 \
        EACH_COLUMN(q) EACH_STEP(steps, s) factors[q][s] = b_columns[q][s * STEP_B];                   \
        int r = 0;                                                                                     \
        for (; r + WIDTH <= rows; r += WIDTH) {                                                        \
            floatW column[steps];                                                                      \
            EACH_STEP(steps, s) column[s] = LOAD(global, a + s * lda + r);                             \
            if (r % LINE == 0)                                                                         \
                EACH_STEP(steps, s) PREFETCH_LINE(a + (s + (steps)) * lda + r);                        \
            EACH_COLUMN(q) {                                                                           \
                local float* at = sums + q * ROWS + r;                                                 \
                floatW sum = LOAD(local, at);                                                          \
                EACH_STEP(steps, s) sum = FMA(column[s], (floatW)(factors[q][s]), sum);                \
                STORE_ANYWHERE(local, WIDTH, at, sum);                                                 \
            }                                                                                          \
        }                                                                                              \
        for (; r < rows; ++r)                                                                          \
            EACH_COLUMN(q) EACH_STEP(steps, s)                                                         \
                sums[q * ROWS + r] = FMA(a[s * lda + r], factors[q][s], sums[q * ROWS + r]);           \
        a += (steps) * lda;                                                                            \
        EACH_COLUMN(q) b_columns[q] += (steps) * STEP_B;                                               \
    } while (0)

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

    a += offset_a + batch * stride_a + i0;
    b += offset_b + batch * stride_b;
    c += offset_c + batch * stride_c + i0;

    // Columns past the end are computed as the last one, and not stored.
    global const float* b_columns[COLUMNS];
    EACH_COLUMN(q) b_columns[q] = b + min(j0 + q, n - 1) * COLUMN_B;
    EACH_COLUMN(q) for (int r = 0; r < rows; ++r) sums[q * ROWS + r] = 0.0f;
    long p = 0;
    for (; p + STEPS <= k; p += STEPS)
        ADD_COLUMNS(STEPS);
    for (; p < k; ++p)
        ADD_COLUMNS(1);
    for (int q = 0; q < COLUMNS && j0 + q < n; ++q)
        for (int r = 0; r < rows; ++r)
            STORE_C(c + (j0 + q) * ldc + r, sums[q * ROWS + r], alpha, beta);
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
sgemm_axpys(Numbers numbers, global const float* restrict a, global const float* restrict b,
            global float* restrict c) {
    local float sums[COLUMNS * ROWS] __attribute__((aligned(64)));
    multiply_group(numbers, THIS_WORK_GROUP, a, b, c, sums);
}
