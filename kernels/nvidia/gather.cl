// SPDX-License-Identifier: Apache-2.0
//
// Post-pass of persistent.cl: adds the partial sums of tiles whose k several work-groups have
// shared.
//
//   C(i, j) = alpha * sum over those work-groups of their partial sums + beta * C(i, j)
//
// Index map     work-group (x, y, q): rows x * ITEMS_M and columns y * ITEMS_N * COLUMNS on of the
//               q-th stream-K tile. A work-item has one row of COLUMNS columns.
// Order of sums ascending work-groups, which is ascending k
// Defines       TSM, TSN, RASTER    those of persistent.cl
// Constraints   the partial sums of a work-group's first and last tile lie at offset_partials +
//               slot * TSM * TSN, column by column; beta == 0 never reads C
// Launch        (TSM / ITEMS_M) x (TSN / (ITEMS_N * COLUMNS)) x (stream-K tiles) work-groups of
//               ITEMS_M x ITEMS_N items
// Local memory  none

#if !defined(TSM) || !defined(TSN) || !defined(RASTER)
#error "TSM, TSN and RASTER must be defined: those of persistent.cl"
#endif
#define ITEMS_M 32
#define ITEMS_N 8
#define COLUMNS 4
#define PARTS_AT_ONCE 4 // loads of a column in flight together

#include "nvidia/tile_list.clh"

#define NUMBERS(N) N(long, m) N(long, n) N(float, alpha) N(long, offset_partials) N(long, whole)       \
    N(long, units_per_tile) N(long, share) N(float, beta) N(long, offset_c) N(long, ldc)               \
    N(long, stride_c)
NUMBERS_STRUCT(NUMBERS);

kernel __attribute__((reqd_work_group_size(ITEMS_M, ITEMS_N, 1))) void
sgemm_gather(Numbers numbers, global const float* restrict partials, global float* c) {
    READ_NUMBERS(NUMBERS);
    const uint q = (uint)get_group_id(2);
    const uint begin = q * (uint)units_per_tile;
    const uint first = begin / (uint)share;
    const uint last = (begin + (uint)units_per_tile - 1) / (uint)share;
    if (first == last)
        return; // the one work-group has stored the tile

    const uint tiles_m = (uint)((m + TSM - 1) / TSM);
    const uint tiles_n = (uint)((n + TSN - 1) / TSN);
    const struct TilePlace place = sgemm_place_of((uint)whole + q, tiles_m, tiles_n);
    const int row = (int)get_group_id(0) * ITEMS_M + (int)get_local_id(0);
    const int column = (int)get_group_id(1) * (ITEMS_N * COLUMNS) + (int)get_local_id(1);

    float sums[COLUMNS];
#pragma unroll
    for (int w = 0; w < COLUMNS; ++w)
        sums[w] = 0.0f;
    partials += offset_partials + column * TSM + row;
    for (uint group = first; group <= last; group += PARTS_AT_ONCE) {
        float values[PARTS_AT_ONCE][COLUMNS];
#pragma unroll
        for (uint t = 0; t < PARTS_AT_ONCE; ++t) {
            const bool is_first = (group + t) * (uint)share >= begin;
            const long part = sgemm_slot_of(group + t, is_first) * (TSM * TSN);
#pragma unroll
            for (int w = 0; w < COLUMNS; ++w)
                values[t][w] =
                    group + t <= last ? partials[part + w * ITEMS_N * TSM] : 0.0f;
        }
#pragma unroll
        for (uint t = 0; t < PARTS_AT_ONCE; ++t) {
#pragma unroll
            for (int w = 0; w < COLUMNS; ++w)
                sums[w] += values[t][w]; // adding 0 is exact: a sum that begins with +0 is never -0
        }
    }

    const long i = (long)place.gx * TSM + row;
    const long j = (long)place.gy * TSN + column;
    c += offset_c + (long)place.batch * stride_c;
#pragma unroll
    for (int w = 0; w < COLUMNS; ++w)
        if (i < m && j + w * ITEMS_N < n)
            STORE_C(c + (j + w * ITEMS_N) * ldc + i, sums[w], alpha, beta);
}
