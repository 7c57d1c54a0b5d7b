// SPDX-License-Identifier: Apache-2.0
//
// Post-pass: takes C out of a padded product P.
//
//   C(i, j) = P(i, j) + beta * C(i, j) for all i < rows, j < cols
//
// Index map     as pad.cl: work-item (x, y) of work-group (gx, gy) writes row gx * LOCAL_ROWS + x
//               of the columns gy * LOCAL_COLS * COLS_PER_ITEM + y + s * LOCAL_COLS
// Defines       LOCAL_ROWS, LOCAL_COLS    shape of a work-group
//               COLS_PER_ITEM             columns per work-item
// Constraints   P has at least rows x cols elements, alpha * A * B; beta == 0 never reads C
// Launch        ceil(rows / LOCAL_ROWS) x ceil(cols / (LOCAL_COLS * COLS_PER_ITEM)) x batch
//               work-groups of LOCAL_ROWS x LOCAL_COLS items
// Local memory  none
// Credit        after step 10 of Cedric Nugteren's OpenCL SGEMM tutorial (idea only)

#if !defined(LOCAL_ROWS) || !defined(LOCAL_COLS) || !defined(COLS_PER_ITEM)
#error "LOCAL_ROWS, LOCAL_COLS (work-group shape) and COLS_PER_ITEM must be defined"
#endif

#define NUMBERS(N) N(long, rows) N(long, cols) N(long, offset_p) N(long, ld_p) N(long, stride_p)       \
    N(float, beta) N(long, offset_c) N(long, ldc) N(long, stride_c)
NUMBERS_STRUCT(NUMBERS);

kernel __attribute__((reqd_work_group_size(LOCAL_ROWS, LOCAL_COLS, 1))) void
sgemm_unpad(Numbers numbers, global const float* restrict p, global float* c) {
    READ_NUMBERS(NUMBERS);
    const long i = (long)get_group_id(0) * LOCAL_ROWS + (long)get_local_id(0);
    const long j0 = (long)get_group_id(1) * (LOCAL_COLS * COLS_PER_ITEM) + (long)get_local_id(1);
    const long batch = (long)get_group_id(2);
    p += offset_p + batch * stride_p + i;
    c += offset_c + batch * stride_c + i;

#pragma unroll
    for (int s = 0; s < COLS_PER_ITEM; ++s) {
        const long j = j0 + s * LOCAL_COLS;
        if (i < rows && j < cols)
            STORE_C(c + j * ldc, p[j * ld_p], 1.0f, beta);
    }
}
