// SPDX-License-Identifier: Apache-2.0
//
// Pre-pass: writes the transpose of a block.
//
//   out(i, j) = in(j, i) for all i < cols, j < rows
//
// Index map     work-group (gx, gy) writes the TILE x TILE elements of out from (gx * TILE, gy *
//               TILE) on. Work-item (x, y) reads in((gy * TILE + x) + r, (gx * TILE + y) + s) and
//               writes out((gx * TILE + x) + r, (gy * TILE + y) + s), r in steps of LOCAL_ROWS and
//               s in steps of LOCAL_COLS: both along columns in memory.
// What is new   against a plain copy: a tile in local memory transposes. Its columns are TILE + 1
//               elements long, so that neighbours store to different banks.
// Defines       TILE                      extent of a tile
//               LOCAL_ROWS, LOCAL_COLS    shape of a work-group
// Constraints   LOCAL_ROWS and LOCAL_COLS divide TILE. rows_out and cols_out are not used: they are
//               cols and rows.
// Launch        ceil(cols / TILE) x ceil(rows / TILE) x batch work-groups of LOCAL_ROWS x
//               LOCAL_COLS items
// Local memory  TILE * (TILE + 1) * 4 bytes
// Credit        after step 5 of Cedric Nugteren's OpenCL SGEMM tutorial (idea only)

#if !defined(TILE) || !defined(LOCAL_ROWS) || !defined(LOCAL_COLS)
#error "TILE, LOCAL_ROWS and LOCAL_COLS must be defined: tile extent, work-group shape"
#endif
#if TILE % LOCAL_ROWS != 0 || TILE % LOCAL_COLS != 0
#error "LOCAL_ROWS and LOCAL_COLS must divide TILE"
#endif

// Row r and column s of the tile, for all elements that this work-item copies. Not unrolled: a
// CPU's work-item may copy the whole tile.
#define FOR_EACH_COPY(r, s)                                                                            \
    for (int s = y, s0 = 0; s0 < TILE; s0 += LOCAL_COLS, s += LOCAL_COLS)                              \
        for (int r = x, r0 = 0; r0 < TILE; r0 += LOCAL_ROWS, r += LOCAL_ROWS)

#define NUMBERS(N) COPY_NUMBERS(N)
NUMBERS_STRUCT(NUMBERS);

kernel __attribute__((reqd_work_group_size(LOCAL_ROWS, LOCAL_COLS, 1))) void
sgemm_transpose(Numbers numbers, global const float* restrict in, global float* restrict out) {
    READ_NUMBERS(NUMBERS);
    local float tile[TILE][TILE + 1]; // [column of in][row of in]

    const int x = (int)get_local_id(0);
    const int y = (int)get_local_id(1);
    const long row0 = (long)get_group_id(0) * TILE; // of out
    const long col0 = (long)get_group_id(1) * TILE;
    const long batch = (long)get_group_id(2);
    in += offset_in + batch * stride_in + col0 + row0 * ld_in;
    out += offset_out + batch * stride_out + row0 + col0 * ld_out;

    // Most tiles are whole, and are copied without bounds checks.
    const bool whole = row0 + TILE <= cols && col0 + TILE <= rows;
    if (whole) {
        FOR_EACH_COPY(r, s) tile[s][r] = in[r + s * ld_in];
    } else {
        FOR_EACH_COPY(r, s) if (col0 + r < rows && row0 + s < cols) tile[s][r] = in[r + s * ld_in];
    }
    barrier(CLK_LOCAL_MEM_FENCE); // the tile is complete

    if (whole) {
        FOR_EACH_COPY(r, s) out[r + s * ld_out] = tile[r][s];
    } else {
        FOR_EACH_COPY(r, s) if (row0 + r < cols && col0 + s < rows) out[r + s * ld_out] = tile[r][s];
    }
}
