// SPDX-License-Identifier: Apache-2.0
//
// Post-pass: add the parts of a product whose k was split.
//
//   C(i, j) = alpha * sum over s < splits of P_s(i, j) + beta * C(i, j) for all i < rows, j < cols
//
// Index map     as in pad.cl: work-item (x, y) of work-group (gx, gy) owns row gx * LOCAL_ROWS + x of
//               the columns gy * LOCAL_COLS * COLS_PER_ITEM + y + s * LOCAL_COLS
// Order of sums ascending in s: results are bit-identical from run to run
// Defines       LOCAL_ROWS, LOCAL_COLS, COLS_PER_ITEM
// Condition     with CONDITIONAL nothing is written where emulated/verdict.clh says that no part was
// Preconditions splits > 0; P_s of batch b starts at offset_p + b * stride_p + s * stride_slice;
//               beta == 0 never reads C
// Launch        work-groups ceil(rows / LOCAL_ROWS) x ceil(cols / (LOCAL_COLS * COLS_PER_ITEM)) x
//               batch of LOCAL_ROWS x LOCAL_COLS items
// Local memory  none

#include "emulated/verdict.clh"

#if !defined(LOCAL_ROWS) || !defined(LOCAL_COLS) || !defined(COLS_PER_ITEM)
#error "LOCAL_ROWS, LOCAL_COLS (work-group shape) and COLS_PER_ITEM must be defined"
#endif

kernel __attribute__((reqd_work_group_size(LOCAL_ROWS, LOCAL_COLS, 1))) void
sgemm_reduce(long rows, long cols, long splits,
             global const float* restrict p, long offset_p, long ld_p, long stride_p,
             long stride_slice,
             float alpha, float beta,
             global float* c, long offset_c, long ldc, long stride_c CONDITION) {
    LEAVE_UNLESS_DONE;
    const long i = (long)get_group_id(0) * LOCAL_ROWS + (long)get_local_id(0);
    const long j0 = (long)get_group_id(1) * (LOCAL_COLS * COLS_PER_ITEM) + (long)get_local_id(1);
    const long batch = (long)get_group_id(2);
    p += offset_p + batch * stride_p + i;
    c += offset_c + batch * stride_c + i;

    // The columns advance together: COLS_PER_ITEM loads are on their way at once.
    float sums[COLS_PER_ITEM];
#pragma unroll
    for (int w = 0; w < COLS_PER_ITEM; ++w)
        sums[w] = 0.0f;
    for (long s = 0; s < splits; ++s, p += stride_slice) {
#pragma unroll
        for (int w = 0; w < COLS_PER_ITEM; ++w) {
            const long j = j0 + w * LOCAL_COLS;
            if (i < rows && j < cols)
                sums[w] += p[j * ld_p];
        }
    }

#pragma unroll
    for (int w = 0; w < COLS_PER_ITEM; ++w) {
        const long j = j0 + w * LOCAL_COLS;
        if (i < rows && j < cols)
            STORE_C(c + j * ldc, sums[w], alpha, beta);
    }
}
