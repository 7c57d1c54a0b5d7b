// SPDX-License-Identifier: Apache-2.0
//
// Post-pass: add the parts of a product whose k was split.
//
//   C(i, j) = alpha * sum over s < splits of P_s(i, j) + beta * C(i, j) for all i < rows, j < cols
//
// Index map     as in pad.cl: work-item (x, y) of work-group (gx, gy) owns row gx * LOCAL_ROWS + x of
//               the columns gy * LOCAL_COLS * COLS_PER_ITEM + y + s * LOCAL_COLS. SHARERS of them, side by side in
//               dimension 2, have as many slices each, one behind the other.
// Order of sums ascending in s within each share, then share by share: results are bit-identical from run to run
// Defines       LOCAL_ROWS, LOCAL_COLS, COLS_PER_ITEM, SHARERS
// Condition     with CONDITIONAL nothing is written where emulated/verdict.clh says that no part was
// Preconditions splits > 0; P_s of batch b starts at offset_p + b * stride_p + s * stride_slice;
//               beta == 0 never reads C
// Launch        work-groups ceil(rows / LOCAL_ROWS) x ceil(cols / (LOCAL_COLS * COLS_PER_ITEM)) x
//               batch of LOCAL_ROWS x LOCAL_COLS x SHARERS items
// Local memory  (SHARERS - 1) * LOCAL_ROWS * LOCAL_COLS * COLS_PER_ITEM * 4 bytes

#include "emulated/verdict.clh"

#if !defined(LOCAL_ROWS) || !defined(LOCAL_COLS) || !defined(COLS_PER_ITEM) || !defined(SHARERS)
#error "LOCAL_ROWS, LOCAL_COLS, SHARERS (work-group shape) and COLS_PER_ITEM must be defined"
#endif

// So many loads are on their way at once: adding is fast, waiting for memory is not.
#define SLICES_AT_ONCE (COLS_PER_ITEM < 16 ? 16 / COLS_PER_ITEM : 1)

#define NUMBERS(N) N(long, rows) N(long, cols) N(long, splits) N(long, offset_p) N(long, ld_p)         \
    N(long, stride_p) N(long, stride_slice) N(float, alpha) N(float, beta) N(long, offset_c)           \
    N(long, ldc) N(long, stride_c) CONDITION_NUMBERS(N)
NUMBERS_STRUCT(NUMBERS);

kernel __attribute__((reqd_work_group_size(LOCAL_ROWS, LOCAL_COLS, SHARERS))) void
sgemm_reduce(Numbers numbers, global const float* restrict p, global float* c CONDITION) {
    READ_NUMBERS(NUMBERS);
    LEAVE_UNLESS_DONE;
    const long i = (long)get_group_id(0) * LOCAL_ROWS + (long)get_local_id(0);
    const long j0 = (long)get_group_id(1) * (LOCAL_COLS * COLS_PER_ITEM) + (long)get_local_id(1);
    const long batch = (long)get_group_id(2);
    const long share = (splits + SHARERS - 1) / SHARERS;
    const long first = (long)get_local_id(2) * share;
    const long last = min(splits, first + share);
    p += offset_p + batch * stride_p + i;
    c += offset_c + batch * stride_c + i;

    float sums[COLS_PER_ITEM];
#pragma unroll
    for (int w = 0; w < COLS_PER_ITEM; ++w)
        sums[w] = 0.0f;
    for (long s = first; s < last; s += SLICES_AT_ONCE) {
        float values[SLICES_AT_ONCE][COLS_PER_ITEM];
#pragma unroll
        for (int t = 0; t < SLICES_AT_ONCE; ++t) {
#pragma unroll
            for (int w = 0; w < COLS_PER_ITEM; ++w) {
                const long j = j0 + w * LOCAL_COLS;
                const bool is_there = i < rows && j < cols && s + t < last;
                values[t][w] = is_there ? p[(s + t) * stride_slice + j * ld_p] : 0.0f;
            }
        }
#pragma unroll
        for (int t = 0; t < SLICES_AT_ONCE; ++t) {
#pragma unroll
            for (int w = 0; w < COLS_PER_ITEM; ++w)
                sums[w] += values[t][w]; // 0 changes none: a sum that begins with +0 is never -0
        }
    }

#if SHARERS > 1
    local float shares[SHARERS - 1][COLS_PER_ITEM][LOCAL_COLS][LOCAL_ROWS];
    const int sharer = (int)get_local_id(2), x = (int)get_local_id(0), y = (int)get_local_id(1);
    if (sharer > 0) {
#pragma unroll
        for (int w = 0; w < COLS_PER_ITEM; ++w)
            shares[sharer - 1][w][y][x] = sums[w];
    }
    barrier(CLK_LOCAL_MEM_FENCE); // the shares are there
    if (sharer > 0)
        return;
    for (int other = 0; other < SHARERS - 1; ++other) {
#pragma unroll
        for (int w = 0; w < COLS_PER_ITEM; ++w)
            sums[w] += shares[other][w][y][x];
    }
#endif

#pragma unroll
    for (int w = 0; w < COLS_PER_ITEM; ++w) {
        const long j = j0 + w * LOCAL_COLS;
        if (i < rows && j < cols)
            STORE_C(c + j * ldc, sums[w], alpha, beta);
    }
}
