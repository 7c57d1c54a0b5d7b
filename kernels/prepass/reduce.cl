// SPDX-License-Identifier: Apache-2.0
//
// Post-pass of split-K: adds the partial products.
//
//   C(i, j) = alpha * sum over s < splits of P_s(i, j) + beta * C(i, j) for all i < rows, j < cols
//
// Index map     as pad.cl: work-item (x, y) of work-group (gx, gy) computes row gx * LOCAL_ROWS + x
//               of the columns gy * LOCAL_COLS * COLS_PER_ITEM + y + s * LOCAL_COLS. SHARERS
//               work-items, side by side in dimension 2, each add equally many consecutive P_s of
//               an element.
// Order of sums each sharer ascending in s, then sharers in ascending order
// Defines       LOCAL_ROWS, LOCAL_COLS    shape of a work-group
//               COLS_PER_ITEM             columns per work-item
//               SHARERS                   work-items that share an element
//               CONDITIONAL               defined: writes nothing where the range check of an FP32
//                                         emulation fails (conditional.clh)
// Constraints   splits > 0; P_s of batch b starts at offset_p + b * stride_p + s * stride_split;
//               beta == 0 never reads C
// Launch        ceil(rows / LOCAL_ROWS) x ceil(cols / (LOCAL_COLS * COLS_PER_ITEM)) x batch
//               work-groups of LOCAL_ROWS x LOCAL_COLS x SHARERS items
// Local memory  (SHARERS - 1) * LOCAL_ROWS * LOCAL_COLS * COLS_PER_ITEM * 4 bytes

#if !defined(LOCAL_ROWS) || !defined(LOCAL_COLS) || !defined(COLS_PER_ITEM) || !defined(SHARERS)
#error "LOCAL_ROWS, LOCAL_COLS, SHARERS (work-group shape) and COLS_PER_ITEM must be defined"
#endif

// Partial products whose loads are in flight together, to hide the latency of memory.
#define SUMS_AT_ONCE (COLS_PER_ITEM < 16 ? 16 / COLS_PER_ITEM : 1)

#define NUMBERS(N) N(long, rows) N(long, cols) N(long, splits) N(long, offset_p) N(long, ld_p)         \
    N(long, stride_p) N(long, stride_split) N(float, alpha) N(float, beta) N(long, offset_c)           \
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
    for (long s = first; s < last; s += SUMS_AT_ONCE) {
        float values[SUMS_AT_ONCE][COLS_PER_ITEM];
#pragma unroll
        for (int t = 0; t < SUMS_AT_ONCE; ++t) {
#pragma unroll
            for (int w = 0; w < COLS_PER_ITEM; ++w) {
                const long j = j0 + w * LOCAL_COLS;
                const bool is_there = i < rows && j < cols && s + t < last;
                values[t][w] = is_there ? p[(s + t) * stride_split + j * ld_p] : 0.0f;
            }
        }
#pragma unroll
        for (int t = 0; t < SUMS_AT_ONCE; ++t) {
#pragma unroll
            for (int w = 0; w < COLS_PER_ITEM; ++w)
                sums[w] += values[t][w]; // adding 0 is exact: a sum that begins with +0 is never -0
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
    barrier(CLK_LOCAL_MEM_FENCE); // the sums of all sharers are there
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
