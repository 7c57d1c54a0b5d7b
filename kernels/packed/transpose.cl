// SPDX-License-Identifier: Apache-2.0
//
// Pre-pass for CPUs: writes the transpose of a block, transposed in registers.
//
//   out(i, j) = in(j, i) for all i < cols, j < rows
//
// Index map     the single work-item of work-group (gx, gy, batch) writes rows gx * TILE_ROWS ...
//               of columns gy * TILE_COLS ... of out, in squares of WIDTH x WIDTH elements, down
//               columns
// What is new   against prepass/transpose.cl: vector registers instead of local memory and a
//               barrier
// Defines       WIDTH                   elements of a vector: 4, 8, 16
//               TILE_ROWS, TILE_COLS    rows and columns of out per work-group
//               STREAMED                1 non-temporal stores, if out is in whole cache lines:
//                                       these are not read before they are written
// Constraints   WIDTH divides TILE_ROWS and TILE_COLS; STREAMED: 16, a cache line, divides
//               TILE_ROWS. rows_out and cols_out are not used: they are cols and rows.
// Launch        ceil(cols / TILE_ROWS) x ceil(rows / TILE_COLS) x batch work-groups of one
//               work-item
// Local memory  none

#if !defined(WIDTH) || !defined(TILE_ROWS) || !defined(TILE_COLS) || !defined(STREAMED)
#error "WIDTH, TILE_ROWS, TILE_COLS and STREAMED must be defined: vector width, a work-group's rows and columns, 0 or 1"
#endif
#if TILE_ROWS % WIDTH != 0 || TILE_COLS % WIDTH != 0
#error "WIDTH must divide TILE_ROWS and TILE_COLS"
#endif

#include "packed/vectors.clh"
#include "packed/work_group.clh"
#include "packed/transpose_squares.clh"

#if STREAMED && TILE_ROWS % LINE != 0
#error "a cache line of 16 elements must divide TILE_ROWS: it is to be written at once"
#endif

#define NUMBERS(N) COPY_NUMBERS(N)
NUMBERS_STRUCT(NUMBERS);

COMPILED_ONCE void transpose_group(Numbers numbers, WorkGroup group, global const float* restrict in,
                              global float* restrict out) {
    READ_NUMBERS(NUMBERS);
    const long row0 = group.id[0] * TILE_ROWS; // of out
    const long col0 = group.id[1] * TILE_COLS;
    const long row_end = min(row0 + TILE_ROWS, cols);
    const long col_end = min(col0 + TILE_COLS, rows);
    in += offset_in + group.id[2] * stride_in;
    out += offset_out + group.id[2] * stride_out;

    const bool streamed = STREAMED && (ulong)out % (LINE * sizeof(float)) == 0 && ld_out % LINE == 0;

    long j = col0;
    for (; j + WIDTH <= col_end; j += WIDTH) {
        long i = row0;
        for (; i + WIDTH <= row_end; i += WIDTH) {
            floatW x[WIDTH];
            EACH_ROW(r) x[r] = LOAD(global, in + (i + r) * ld_in + j);
            EACH_ROW(r) PREFETCH_LINE(in + (i + r + WIDTH) * ld_in + j); // of the next rows
            TURN_SQUARE(x);
            if (streamed)
                EACH_ROW(r) STORE_STREAMED(global, WIDTH, out + (j + r) * ld_out + i, x[r]);
            else
                EACH_ROW(r) STORE_ANYWHERE(global, WIDTH, out + (j + r) * ld_out + i, x[r]);
        }
        for (; i < row_end; ++i)
            for (int r = 0; r < WIDTH; ++r)
                out[(j + r) * ld_out + i] = in[i * ld_in + j + r];
    }
    for (; j < col_end; ++j)
        for (long i = row0; i < row_end; ++i)
            out[j * ld_out + i] = in[i * ld_in + j];
    if (streamed)
        END_STREAMED();
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
sgemm_packed_transpose(Numbers numbers, global const float* restrict in, global float* restrict out) {
    transpose_group(numbers, THIS_WORK_GROUP, in, out);
}
