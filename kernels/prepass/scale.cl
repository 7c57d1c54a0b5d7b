// SPDX-License-Identifier: Apache-2.0
//
// Pass: scales C where nothing is multiplied (k == 0 or alpha == 0).
//
//   C(i, j) = beta * C(i, j) for all i < rows, j < cols; zero if beta == 0, without reading C
//
// Index map     as pad.cl: work-item (x, y) of work-group (gx, gy) writes row gx * LOCAL_ROWS + x
//               of the columns gy * LOCAL_COLS * COLS_PER_ITEM + y + s * LOCAL_COLS
// Defines       LOCAL_ROWS, LOCAL_COLS    shape of a work-group
//               COLS_PER_ITEM             columns per work-item
// Constraints   none
// Launch        ceil(rows / LOCAL_ROWS) x ceil(cols / (LOCAL_COLS * COLS_PER_ITEM)) x batch
//               work-groups of LOCAL_ROWS x LOCAL_COLS items
// Local memory  none

#if !defined(LOCAL_ROWS) || !defined(LOCAL_COLS) || !defined(COLS_PER_ITEM)
#error "LOCAL_ROWS, LOCAL_COLS (work-group shape) and COLS_PER_ITEM must be defined"
#endif

#define NUMBERS(N) N(long, rows) N(long, cols) N(float, beta) N(long, offset_c) N(long, ldc)           \
    N(long, stride_c)
NUMBERS_STRUCT(NUMBERS);

kernel __attribute__((reqd_work_group_size(LOCAL_ROWS, LOCAL_COLS, 1))) void
sgemm_scale(Numbers numbers, global float* c) {
    READ_NUMBERS(NUMBERS);
    const long i = (long)get_group_id(0) * LOCAL_ROWS + (long)get_local_id(0);
    const long j0 = (long)get_group_id(1) * (LOCAL_COLS * COLS_PER_ITEM) + (long)get_local_id(1);
    c += offset_c + (long)get_group_id(2) * stride_c + i;

#pragma unroll
    for (int s = 0; s < COLS_PER_ITEM; ++s) {
        const long j = j0 + s * LOCAL_COLS;
        if (i < rows && j < cols)
            c[j * ldc] = beta == 0.0f ? 0.0f : beta * c[j * ldc];
    }
}
