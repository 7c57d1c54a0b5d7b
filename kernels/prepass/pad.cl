// SPDX-License-Identifier: Apache-2.0
//
// Pre-pass: copies a block and pads it with zeros.
//
//   out(i, j) = in(i, j) for i < rows and j < cols, else 0; for all i < rows_out, j < cols_out
//
// Index map     work-item (x, y) of work-group (gx, gy) writes row i = gx * LOCAL_ROWS + x of the
//               columns gy * LOCAL_COLS * COLS_PER_ITEM + y + s * LOCAL_COLS. Neighbours in x read
//               and write neighbouring elements.
// Defines       LOCAL_ROWS, LOCAL_COLS    shape of a work-group
//               COLS_PER_ITEM             columns per work-item
// Constraints   none; rows_out and cols_out may be smaller than rows and cols
// Launch        ceil(rows_out / LOCAL_ROWS) x ceil(cols_out / (LOCAL_COLS * COLS_PER_ITEM)) x batch
//               work-groups of LOCAL_ROWS x LOCAL_COLS items
// Local memory  none
// Credit        after step 10 of Cedric Nugteren's OpenCL SGEMM tutorial (idea only)

#if !defined(LOCAL_ROWS) || !defined(LOCAL_COLS) || !defined(COLS_PER_ITEM)
#error "LOCAL_ROWS, LOCAL_COLS (work-group shape) and COLS_PER_ITEM must be defined"
#endif

#define NUMBERS(N) COPY_NUMBERS(N)
NUMBERS_STRUCT(NUMBERS);

kernel __attribute__((reqd_work_group_size(LOCAL_ROWS, LOCAL_COLS, 1))) void
sgemm_pad(Numbers numbers, global const float* restrict in, global float* restrict out) {
    READ_NUMBERS(NUMBERS);
    const long i = (long)get_group_id(0) * LOCAL_ROWS + (long)get_local_id(0);
    const long j0 = (long)get_group_id(1) * (LOCAL_COLS * COLS_PER_ITEM) + (long)get_local_id(1);
    const long batch = (long)get_group_id(2);
    in += offset_in + batch * stride_in + i;
    out += offset_out + batch * stride_out + i;

#pragma unroll
    for (int s = 0; s < COLS_PER_ITEM; ++s) {
        const long j = j0 + s * LOCAL_COLS;
        if (i < rows_out && j < cols_out)
            out[j * ld_out] = i < rows && j < cols ? in[j * ld_in] : 0.0f;
    }
}
