// SPDX-License-Identifier: Apache-2.0
//
// Dot products in vector registers, for CPUs: k-major A and B.
//
//   C(i, j) = alpha * sum over p of A(i, p) * B(p, j) + beta * C(i, j)
//
// Index map     the single work-item of a work-group computes TILES_M x TILES_N register tiles of
//               ROWS x COLUMNS elements of C. Those of the same rows follow each other along n, so
//               that the rows of A stay in the L1 cache. Lane l of an element's vector sums the
//               products of p = l, l + WIDTH, l + 2 * WIDTH, ...
// What is new   against packed: vectors run along k, so that k-major operands are read in place and
//               no pass transposes them. Where C is thin, each operand is read about once, in long
//               runs.
// Order of sums ascending p in each lane, the last vector filled with zeros. Lanes are added
//               pairwise: l and l + WIDTH / 2, then WIDTH / 4, ...
// Defines       WIDTH               elements of a vector: 4, 8, 16
//               ROWS, COLUMNS       register tile
//               TILES_M, TILES_N    register tiles per work-group
//               A_K_MAJOR = 1, B_K_MAJOR = 1
// Constraints   k > 0; split_k >= 1, the k ranges of split-K; more than one: alpha = 1, beta = 0,
//               split_k divides stride_c
// Launch        ceil(m / (TILES_M * ROWS)) x ceil(n / (TILES_N * COLUMNS)) x (batch * split_k)
//               work-groups of one work-item
// Local memory  none

#if !defined(WIDTH) || !defined(ROWS) || !defined(COLUMNS)
#error "WIDTH, ROWS and COLUMNS must be defined: vector width and extents of a register tile"
#endif
#if !defined(TILES_M) || !defined(TILES_N)
#error "TILES_M and TILES_N must be defined: register tiles of a work-group"
#endif
#if !defined(A_K_MAJOR) || !defined(B_K_MAJOR) || !A_K_MAJOR || !B_K_MAJOR
#error "A_K_MAJOR and B_K_MAJOR must be 1: vectors run along k"
#endif

#include "packed/vectors.clh"
#include "packed/work_group.clh"
#include "packed/lanes.clh"

#define EACH_ROW(r) _Pragma("unroll") for (int r = 0; r < ROWS; ++r)
#define EACH_COLUMN(columns, q) _Pragma("unroll") for (int q = 0; q < (columns); ++q)

// Adds the products of one vector of each row and column; FROM(p) reads it.
#define ADD_PRODUCTS(columns, FROM)                                                                    \
    do {                                                                                               \
        floatW a_values[ROWS];                                                                         \
        EACH_ROW(r) a_values[r] = FROM(a_rows[r]);                                                     \
        EACH_COLUMN(columns, q) {                                                                      \
            const floatW b_value = FROM(b_columns[q]);                                                 \
            EACH_ROW(r) sums[q][r] = FMA(a_values[r], b_value, sums[q][r]);                            \
        }                                                                                              \
    } while (0)
#define WHOLE(x) LOAD(global, (x) + p)
// The last `rest` elements, at the end of a vector. Its first elements have been added already.
#define REST(x) select((floatW)(0.0f), LOAD(global, (x) + steps - WIDTH), LANES >= WIDTH - rest)

// ROWS x `columns` elements of C from (i0, j0) on. Rows and columns past the end repeat the last
// one and are not stored.
#define REGISTER_TILE(columns)                                                                         \
    do {                                                                                               \
        global const float* a_rows[ROWS];                                                              \
        global const float* b_columns[columns];                                                        \
        EACH_ROW(r) a_rows[r] = a + min(i0 + r, m - 1) * lda;                                          \
        EACH_COLUMN(columns, q) b_columns[q] = b + min(j0 + q, n - 1) * ldb;                           \
        floatW sums[columns][ROWS];                                                                    \
        EACH_COLUMN(columns, q) EACH_ROW(r) sums[q][r] = (floatW)(0.0f);                               \
        long p = 0;                                                                                    \
        for (; p + WIDTH <= steps; p += WIDTH)                                                         \
            ADD_PRODUCTS(columns, WHOLE);                                                              \
        const int rest = (int)(steps - p);                                                             \
        if (rest > 0 && steps >= WIDTH)                                                                \
            ADD_PRODUCTS(columns, REST);                                                               \
        EACH_COLUMN(columns, q) EACH_ROW(r) {                                                          \
            float sum = SUM(sums[q][r]);                                                               \
            if (steps < WIDTH)                                                                         \
                for (int l = 0; l < (int)steps; ++l)                                                   \
                    sum = FMA(a_rows[r][l], b_columns[q][l], sum);                                     \
            if (i0 + r < m && j0 + q < n)                                                              \
                STORE_C(c + (j0 + q) * ldc + i0 + r, sum, alpha, beta);                                \
        }                                                                                              \
    } while (0)

#define NUMBERS(N) GEMM_NUMBERS(N) N(long, split_k)
NUMBERS_STRUCT(NUMBERS);

COMPILED_ONCE void multiply_group(Numbers numbers, WorkGroup group, global const float* restrict a,
                                  global const float* restrict b, global float* restrict c) {
    READ_NUMBERS(NUMBERS);
    const long batch = group.id[2] / split_k;
    const long range = group.id[2] % split_k;

    // The k range of this work-group. Lengths differ by one step at most.
    const long begin = SHARE_BEGIN(k, split_k, range);
    const long steps = SHARE_BEGIN(k, split_k, range + 1) - begin;
    a += offset_a + batch * stride_a + begin;
    b += offset_b + batch * stride_b + begin;
    c += offset_c + batch * stride_c + range * (stride_c / split_k);

    const long i_first = group.id[0] * (TILES_M * ROWS);
    const long j_first = group.id[1] * (TILES_N * COLUMNS);
    const long i_end = min(m, i_first + TILES_M * ROWS);
    const long j_end = min(n, j_first + TILES_N * COLUMNS);
    for (long i0 = i_first; i0 < i_end; i0 += ROWS) {
        for (long j0 = j_first; j0 < j_end; j0 += COLUMNS) {
            const long left = n - j0;
            if (COLUMNS > 1 && left == 1) // a thin C is bound by what it reads
                REGISTER_TILE(1);
            else if (COLUMNS > 2 && left == 2)
                REGISTER_TILE(2);
            else
                REGISTER_TILE(COLUMNS);
        }
    }
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
sgemm_dots(Numbers numbers, global const float* restrict a, global const float* restrict b,
           global float* restrict c) {
    multiply_group(numbers, THIS_WORK_GROUP, a, b, c);
}
