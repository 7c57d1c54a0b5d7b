// SPDX-License-Identifier: Apache-2.0
//
// Scan and pack in one launch, for products that are so small that a launch counts: as emulated/scan.cl and
// emulated/pack.cl, by work-groups that have few rows and all of k.
//
// Index map     a work-group has 16 rows of one operand: first the groups of X, then those of Y. It goes through k
//               by 256 steps, for fp16 twice: down, for the largest magnitudes, and up again; the second time most of it
//               is in a cache. Rows and steps that are not the operand's are zeros.
// Control       each group leaves its words (emulated/verdict.clh) in a slot of its own behind the operand's words,
//               which no launch before this one has set; the main kernel gathers them.
// Defines       SCHEME
// Preconditions one matrix; blocks * BLOCK_K >= k
// Launch        dimension 0: (padded_x + padded_y) / 16 groups of 256
// Local memory  16 * 257 * 4 + 16 * 16 * 4 + 2 * 16 * 4 + 32 * 4 + 12 bytes
#include "emulated/split.clh"
#include "emulated/verdict.clh"
#include "emulated/operand.clh"
#include "emulated/parts.clh"

#define ROWS SLOT_ROWS
#define STEPS 256
#define ITEMS 256
#define LINE (STEPS + 1)
#define LOADS (ROWS * STEPS / ITEMS)
#define LANES (ITEMS / ROWS)    // work-items side by side along k where rows are contiguous
#define SWEEPS (STEPS / ITEMS)  // of all work-items along k where k is
#define PIECES (STEPS / PIECE)

// This work-item's share of the steps from k0 on.
#define LOAD(k0)                                                                                       \
    do {                                                                                               \
        if (!k_major) {                                                                                \
            const int row = item % ROWS, lane = item / ROWS;                                           \
            _Pragma("unroll") for (int i = 0; i < LOADS; ++i) {                                        \
                const long p = (k0) + lane + i * LANES;                                                \
                values[i] = row0 + row < rows && p < k ? elements[p * ld + row0 + row] : 0.0f;         \
            }                                                                                          \
        } else {                                                                                       \
            _Pragma("unroll") for (int i = 0; i < LOADS; ++i) {                                        \
                const long p = (k0) + item + (i % SWEEPS) * ITEMS, row = row0 + i / SWEEPS;            \
                values[i] = row < rows && p < k ? elements[row * ld + p] : 0.0f;                       \
            }                                                                                          \
        }                                                                                              \
    } while (0)

static uint sgemm_magnitude(float value) {
    return as_uint(value) & 0x7fffffffu;
}

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
sgemm_emulated_scan_pack(long k, long blocks, OPERAND(x), OPERAND(y), global uint* space) {
    local float staged[ROWS * LINE];
    local uint sixteenths[ROWS * 16];
    local float factors[ROWS];
    local int counted[ROWS]; // whether a row is looked at
    local uint kinds[ROWS * PIECES];
    local int least_large, most_small, unfit;
    const int groups_x = (int)(padded_x / ROWS);
    const int group = (int)get_group_id(0);
    const int second = group >= groups_x;
    CHOOSE_OPERAND(second);
    const int own = second ? group - groups_x : group;
    const long row0 = (long)own * ROWS;
    const int item = (int)get_local_id(0);
    const long chunks = (blocks * BLOCK_K + STEPS - 1) / STEPS;
    float values[LOADS];

    if (item == 0) {
        least_large = PIECE;
        most_small = 0;
        unfit = 0;
    }
#if SCHEME == 0
    uint largest[ROWS]; // of the rows that this work-item has steps of; [0] where it has one row
#pragma unroll
    for (int r = 0; r < ROWS; ++r)
        largest[r] = 0;
    for (long chunk = chunks - 1; chunk >= 0; --chunk) { // what the last round loads is packed first
        LOAD(chunk * STEPS);
        if (!k_major) {
#pragma unroll
            for (int i = 0; i < LOADS; ++i)
                largest[0] = max(largest[0], sgemm_magnitude(values[i]));
        } else {
#pragma unroll
            for (int i = 0; i < LOADS; ++i)
                largest[i / SWEEPS] = max(largest[i / SWEEPS], sgemm_magnitude(values[i]));
        }
    }
    local uint* lanes = (local uint*)staged;
    if (k_major) {
#pragma unroll
        for (int r = 0; r < ROWS; ++r)
            lanes[r * LINE + item] = largest[r];
    } else {
        sixteenths[item % ROWS * 16 + item / ROWS] = largest[0];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (k_major) {
        const int row = item / 16, lane = item % 16;
        uint most = 0;
        for (int i = 0; i < ITEMS / 16; ++i)
            most = max(most, lanes[row * LINE + i * 16 + lane]);
        sixteenths[row * 16 + lane] = most;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#else
    LOAD(0);
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    if (item < ROWS) {
        float factor = 1.0f;
        int counts = row0 + item < rows;
#if SCHEME == 0
        uint most = 0;
        for (int i = 0; i < 16; ++i)
            most = max(most, sixteenths[item * 16 + i]);
        float inverse;
        const int fits = sgemm_row_scales(most, &factor, &inverse);
        if (!fits)
            atomic_or(&unfit, 1);
        counts = counts && fits && most != 0;
        space[scales_at + row0 + item] = as_uint(inverse);
#endif
        factors[item] = factor;
        counted[item] = counts;
    }

    for (long chunk = 0; chunk < chunks; ++chunk) {
        const long k0 = chunk * STEPS;
        if (chunk > 0)
            LOAD(k0);
        if (!k_major) {
#pragma unroll
            for (int i = 0; i < LOADS; ++i)
                staged[item % ROWS * LINE + item / ROWS + i * LANES] = values[i];
        } else {
#pragma unroll
            for (int i = 0; i < LOADS; ++i)
                staged[i / SWEEPS * LINE + item + (i % SWEEPS) * ITEMS] = values[i];
        }
        if (item < ROWS * PIECES)
            kinds[item] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int i = 0; i < ROWS * STEPS / PIECE_ELEMENTS / ITEMS; ++i) {
            const int id = i * ITEMS + item;
            const int piece = id % PART_PIECES, row = id / PART_PIECES % ROWS;
            const int block = id / (PART_PIECES * ROWS);
            float taken[PIECE_ELEMENTS];
            uint kind = 0;
#pragma unroll
            for (int e = 0; e < PIECE_ELEMENTS; ++e) {
                const float raw = staged[row * LINE + block * BLOCK_K + piece * PIECE_ELEMENTS + e];
                taken[e] = raw * factors[row];
                kind += sgemm_kind(raw, taken[e]);
#if SCHEME != 0
                if (!(fabs(taken[e]) < 0x1p55f))
                    atomic_or(&unfit, 1);
#endif
            }
            if (kind != 0)
                atomic_add(&kinds[row * PIECES + block * BLOCK_K / PIECE], kind);
            const long block_k = k0 / BLOCK_K + block, packed_row = row0 + row;
            if (block_k < blocks)
                sgemm_store_parts(space + packed_at +
                                      ((packed_row / BLOCK_ROWS * blocks + block_k) * BLOCK_ROWS +
                                       packed_row % BLOCK_ROWS) * ROW_WORDS,
                                  (int)(packed_row % BLOCK_ROWS), piece, taken);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < ROWS * PIECES && counted[item / PIECES]) {
            const int steps = (int)min((long)PIECE, k - k0 - item % PIECES * PIECE);
            if (steps > 0)
                sgemm_keep_worst(kinds[item], steps, &least_large, &most_small);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
        global uint* words = space + control_at + (1 + own) * CONTROL_WORDS;
        words[CONTROL_LARGE] = SCHEME == 0 ? (uint)least_large : 0;
        words[CONTROL_SMALL] = (uint)most_small;
        words[CONTROL_UNFIT] = (uint)unfit;
    }
}
