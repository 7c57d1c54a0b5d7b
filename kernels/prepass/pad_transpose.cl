// SPDX-License-Identifier: Apache-2.0
//
// Pre-pass: writes the transpose of a block and pads it with zeros.
//
//   out(i, j) = in(j, i) for i < cols and j < rows, else 0; for all i < rows_out, j < cols_out
//
// Index map     as transpose.cl: work-group (gx, gy) writes the TILE x TILE elements of out from
//               (gx * TILE, gy * TILE) on, through a tile in local memory
// What is new   against transpose.cl: what lies outside `in` enters the tile as zero
// Defines       TILE                      extent of a tile
//               LOCAL_ROWS, LOCAL_COLS    shape of a work-group
// Constraints   LOCAL_ROWS and LOCAL_COLS divide TILE
// Launch        ceil(rows_out / TILE) x ceil(cols_out / TILE) x batch work-groups of
//               LOCAL_ROWS x LOCAL_COLS items
// Local memory  TILE * (TILE + 1) * 4 bytes
// Credit        after step 10 of Cedric Nugteren's OpenCL SGEMM tutorial (idea only)

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
sgemm_pad_transpose(Numbers numbers, global const float* restrict in, global float* restrict out) {
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
    if (row0 + TILE <= cols && col0 + TILE <= rows) {
        FOR_EACH_COPY(r, s) tile[s][r] = in[r + s * ld_in];
    } else {
        FOR_EACH_COPY(r, s)
            tile[s][r] = col0 + r < rows && row0 + s < cols ? in[r + s * ld_in] : 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE); // the tile is complete

    if (row0 + TILE <= rows_out && col0 + TILE <= cols_out) {
        FOR_EACH_COPY(r, s) out[r + s * ld_out] = tile[r][s];
    } else {
        FOR_EACH_COPY(r, s)
            if (row0 + r < rows_out && col0 + s < cols_out)
                out[r + s * ld_out] = tile[r][s];
    }
}
