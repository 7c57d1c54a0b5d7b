// SPDX-License-Identifier: Apache-2.0
//
// FP32 emulation, pack: splits both operands into what multiply.cl multiplies, in the blocks that
// it copies, and counts for the range check.
//
//   X(row, p) * 2^s(row) = split 0 + split 1 (+ split 2) + remainder;   scales(row) = 2^-s(row)
//
// Index map     a work-group has 64 rows and 128 steps along k of one operand: first the
//               work-groups of X, then those of Y. It copies them to local memory, neighbours in
//               global memory first, and takes them from there in 16-byte pieces of splits. What is
//               outside the operand is zero.
// Range check   of 128 steps of each row, elements that the format represents less well ("small")
//               and those near the row's maximum ("large") are counted; conditional.clh says what
//               for. fp16: small below 2^-2, large from 2^4 on, with the maximum below 2^15. tf32:
//               2^-7, 2^5, 2^20. bf16: small below 2^-50, unfit from 2^55 on, since it is not
//               scaled.
// Defines       SCHEME    0 fp16, 1 tf32, 2 bf16 (split.clh)
// Constraints   runs after the scan with the same `stretch`, for bf16 after begin; blocks * BLOCK_K
//               >= k
// Launch        dimension 0: (padded_x + padded_y) / 64 * ceil(blocks * BLOCK_K / 128) work-groups
//               of 256 items; dimension 2: the matrices of the larger batch
// Local memory  64 * 129 * 4 + 2 * 64 * 4 + 16 bytes

#include "emulated/split.clh"
#include "emulated/operand.clh"
#include "emulated/parts.clh"

#define ROWS 64
#define STEPS PIECE
#define ITEMS 256
#define LINE (STEPS + 1) // of local memory; one more against bank conflicts
#define LOADS (ROWS * STEPS / ITEMS)

#define NUMBERS(N) N(long, k) N(long, stretch) N(long, blocks) OPERAND_NUMBERS(N, x) OPERAND_NUMBERS(N, y)
NUMBERS_STRUCT(NUMBERS);

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
sgemm_emulated_pack(Numbers numbers, global const float* restrict x, global const float* restrict y, global uint* space) {
    READ_NUMBERS(NUMBERS);
    local float staged[ROWS * LINE];
    local float factors[ROWS];
    local uint kinds[ROWS];
    local int least_large, most_small, most_tail, unfit;
    const int k_groups = (int)((blocks * BLOCK_K + STEPS - 1) / STEPS);
    const int groups_x = (int)(padded_x / ROWS) * k_groups;
    // In reverse: what the scan has read last is in the cache.
    const int group = (int)(get_num_groups(0) - 1 - get_group_id(0));
    const int second = group >= groups_x;
    CHOOSE_OPERAND(second);
    const int own = second ? group - groups_x : group;
    const long row0 = (long)(own / k_groups) * ROWS;
    const long k0 = (long)(own % k_groups) * STEPS;
    const int item = (int)get_local_id(0);

    {
        float values[LOADS];
        if (!k_major) {
            const int row = item % ROWS, step = item / ROWS;
            global const float* from = elements + (k0 + step) * ld + row0 + row;
#pragma unroll
            for (int i = 0; i < LOADS; ++i) {
                const int p = i * (ITEMS / ROWS);
                values[i] = row0 + row < rows && k0 + step + p < k ? from[p * ld] : 0.0f;
            }
#pragma unroll
            for (int i = 0; i < LOADS; ++i)
                staged[row * LINE + step + i * (ITEMS / ROWS)] = values[i];
        } else {
            const int step = item % STEPS, row = item / STEPS;
            global const float* from = elements + (row0 + row) * ld + k0 + step;
#pragma unroll
            for (int i = 0; i < LOADS; ++i) {
                const int r = i * (ITEMS / STEPS);
                values[i] = row0 + row + r < rows && k0 + step < k ? from[r * ld] : 0.0f;
            }
#pragma unroll
            for (int i = 0; i < LOADS; ++i)
                staged[(row + i * (ITEMS / STEPS)) * LINE + step] = values[i];
        }
    }
    if (item == 0) {
        least_large = PIECE;
        most_small = most_tail = 0;
        unfit = 0;
    }
    int counts = 0; // whether the row of this work-item is part of the range check
    int row_unfit = 0;
    if (item < ROWS) {
        kinds[item] = 0;
        float factor = 1.0f, inverse = 1.0f;
        counts = row0 + item < rows;
#if SCALED
        if (counts) {
            const int stretches = (int)((k + stretch - 1) / stretch);
            global const uint* maxima = space + maxima_at + matrix * stretches * padded + row0 + item;
            uint largest = 0;
            for (int i = 0; i < stretches; ++i)
                largest = max(largest, maxima[i * padded]);
            row_unfit = !sgemm_row_scales(largest, &factor, &inverse);
            counts = largest != 0 && !row_unfit;
        }
        if (k0 == 0 && !idle)
            space[scales_at + matrix * padded + row0 + item] = as_uint(inverse);
#endif
        factors[item] = factor;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (row_unfit)
        atomic_or(&unfit, 1);

#pragma unroll
    for (int i = 0; i < ROWS * STEPS / PIECE_ELEMENTS / ITEMS; ++i) {
        const int id = i * ITEMS + item;
        const int piece = id % PART_PIECES, row = id / PART_PIECES % ROWS, block = id / (PART_PIECES * ROWS);
        float values[PIECE_ELEMENTS];
        uint kind = 0;
#pragma unroll
        for (int e = 0; e < PIECE_ELEMENTS; ++e) {
            const float raw = staged[row * LINE + block * BLOCK_K + piece * PIECE_ELEMENTS + e];
            values[e] = raw * factors[row];
            kind += sgemm_kind(raw, values[e]);
#if !SCALED
            if (!(fabs(values[e]) < 0x1p55f))
                atomic_or(&unfit, 1);
#endif
        }
        if (kind != 0)
            atomic_add(&kinds[row], kind);
        const long block_k = k0 / BLOCK_K + block;
        if (block_k < blocks && !idle) {
            const long packed_row = row0 + row;
            global uint* to = space + packed_at +
                              (((matrix * padded + packed_row) / BLOCK_ROWS * blocks + block_k) * BLOCK_ROWS +
                               packed_row % BLOCK_ROWS) * ROW_WORDS;
            sgemm_store_parts(to, row, piece, values);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (counts) {
        const int steps = (int)min((long)STEPS, k - k0);
        if (steps > 0)
            sgemm_keep_worst(kinds[item], steps, (int)(k / PIECE), &least_large, &most_small,
                             &most_tail);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
        volatile global int* words = (volatile global int*)(space + control_at + matrix * CONTROL_WORDS);
        if (SCALED && least_large < PIECE)
            atomic_min(words + CONTROL_LARGE, least_large);
        if (most_small > 0)
            atomic_max(words + CONTROL_SMALL, most_small);
        if (unfit)
            atomic_or(words + CONTROL_UNFIT, 1);
        if (most_tail > 0)
            atomic_max(words + CONTROL_TAIL, most_tail);
    }
}
