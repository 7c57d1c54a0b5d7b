// SPDX-License-Identifier: Apache-2.0
//
// FP32 emulation, scan and pack in one launch: as scan.cl and pack.cl, with few rows and all of k
// per work-group.
//
// Index map     a work-group has SLOT_ROWS rows of one operand: first the work-groups of X, then
//               those of Y. It goes through k in rounds of STEPS = ITEMS * VALUES / SLOT_ROWS
//               steps. In a round a work-item has whole 16-byte pieces of splits of one row in
//               registers. Where k is contiguous neighbours have the other pieces of that row, else
//               the other rows. What is outside the operand is zero.
// What is new   against scan.cl and pack.cl: each value is read once, unless it grows. fp16, tf32:
//               the first round's maxima decide the scales, with a factor of two to four to spare.
//               A work-group that finds a value above that scans the rounds that it has not seen,
//               and packs all again. bf16: no scales, one pass.
// Loads         of 16 bytes where k is contiguous, a multiple of 4, and rows are aligned to that;
//               else of 4
// Range check   each work-group stores its words (conditional.clh) in a slot of its own after the
//               operand's words, which no earlier launch has set. The main kernel gathers them.
// Defines       SCHEME       0 fp16, 1 tf32, 2 bf16 (split.clh)
//               SLOT_ROWS    rows per work-group
//               ITEMS        work-items per work-group
//               VALUES       values of a work-item in a round, in registers
// Constraints   SLOT_ROWS, ITEMS powers of two, 16 * SLOT_ROWS <= ITEMS; 8 divides VALUES; one
//               matrix; blocks * BLOCK_K >= k
// Launch        dimension 0: (padded_x + padded_y) / SLOT_ROWS work-groups of ITEMS items. Few rows
//               make few work-groups, so each needs much in flight.
// Local memory  (SLOT_ROWS * (PART_PIECES + 2 * STEPS / 128 + 3) + 4) * 4 bytes

#include "emulated/split.clh"
#include "emulated/operand.clh"
#include "emulated/parts.clh"

#define ROWS SLOT_ROWS
#define TAKEN (VALUES / PIECE_ELEMENTS)
#define ABREAST (ITEMS / (ROWS * PART_PIECES)) // blocks taken side by side
#define DISTANCE (ABREAST * BLOCK_K)           // steps from one piece of a work-item to its next
#define STEPS (TAKEN * DISTANCE)
#define PIECES (STEPS / PIECE)
#if DISTANCE < PIECE
#error "16 SLOT_ROWS must not exceed ITEMS: each of a work-item's pieces is counted in a stretch of its own"
#endif

// Keeps the compiler from holding the address of each load of a round in registers all the time.
#if defined(__NV_CL_C_VERSION)
#define FORGET(type, variable)                                                                     \
    do {                                                                                           \
        ulong bits = (ulong)(variable);                                                            \
        asm volatile("" : "+l"(bits));                                                             \
        (variable) = (type)bits;                                                                   \
    } while (0)
#else
#define FORGET(type, variable)
#endif

// Loads a work-item's values of a round. Its pieces begin at `from`, and the operand has `left`
// steps there.
static void sgemm_load(float* values, global const float* from, int left, int k_major, int wide,
                       long ld) {
    FORGET(global const float*, from);
    if (wide) {
#pragma unroll
        for (int i = 0; i < VALUES; i += 4) {
            const int step = i / PIECE_ELEMENTS * DISTANCE + i % PIECE_ELEMENTS;
            float4 four = 0.0f;
            if (step < left)
                four = *(global const float4*)(from + step);
            values[i] = four.x;
            values[i + 1] = four.y;
            values[i + 2] = four.z;
            values[i + 3] = four.w;
        }
    } else {
        long distance = k_major ? 1 : ld;
        FORGET(long, distance);
#pragma unroll
        for (int i = 0; i < VALUES; ++i) {
            const int step = i / PIECE_ELEMENTS * DISTANCE + i % PIECE_ELEMENTS;
            values[i] = step < left ? *from : 0.0f;
            from += distance * ((i + 1) % PIECE_ELEMENTS == 0 ? DISTANCE - PIECE_ELEMENTS + 1 : 1);
            FORGET(global const float*, from);
        }
    }
}

#define NUMBERS(N) N(long, k) N(long, blocks) OPERAND_NUMBERS(N, x) OPERAND_NUMBERS(N, y)
NUMBERS_STRUCT(NUMBERS);

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
sgemm_emulated_scan_pack(Numbers numbers, global const float* restrict x, global const float* restrict y, global uint* space) {
    READ_NUMBERS(NUMBERS);
    local uint maxima[ROWS * PART_PIECES]; // several per row, against contention
    local uint kinds[2][PIECES * ROWS];    // of a round, and of the next while these are evaluated
    local int words_of_rows[3 * ROWS];     // whether a row is checked, least_large, most_small
    local int unfit, most_tail;
    local int outgrown[2]; // in a round, and in the next while the first is evaluated
    const int groups_x = (int)(padded_x / ROWS);
    const int group = (int)get_group_id(0);
    const int second = group >= groups_x;
    CHOOSE_OPERAND(second);
    const int own = second ? group - groups_x : group;
    const long row0 = (long)own * ROWS;
    const int item = (int)get_local_id(0);
    const int row = (k_major ? (uint)item / PART_PIECES : item) & (ROWS - 1);
    const int piece = (k_major ? item : (uint)item / ROWS) & (PART_PIECES - 1);
    const int block = (uint)item / (PART_PIECES * ROWS);
    const int step = block * BLOCK_K + piece * PIECE_ELEMENTS;
    const int counter = block * BLOCK_K / PIECE * ROWS + row; // index in kinds
    const int rounds = (int)((blocks * BLOCK_K + STEPS - 1) / STEPS);
    const int left = row0 + row < rows ? (int)k - step : 0;
    const int wide = // the same in the whole group
        k_major && (((size_t)elements / 4 | (size_t)ld | (size_t)k) & 3) == 0;
    global const float* from =
        elements + (k_major ? (row0 + row) * ld + step : step * ld + row0 + row);
    const long round_distance = STEPS * (k_major ? 1 : ld);
    float values[VALUES];

    if (item < ROWS * PART_PIECES)
        maxima[item] = 0;
    if (item < PIECES * ROWS)
        kinds[0][item] = kinds[1][item] = 0;
    if (item < 2)
        outgrown[item] = 0;

    const long packed_row = row0 + row;
    global uint* to =
        space + packed_at +
        ((packed_row / BLOCK_ROWS * blocks + block) * BLOCK_ROWS + packed_row % BLOCK_ROWS) *
            ROW_WORDS;
    int unseen = 0, last = 0; // rounds to scan for the scales
    int again;
    do {
        if (item < ROWS) {
            words_of_rows[item] = row0 + item < rows;
            words_of_rows[ROWS + item] = PIECE;
            words_of_rows[2 * ROWS + item] = 0;
        }
        if (item == 0)
            unfit = most_tail = 0;
        barrier(CLK_LOCAL_MEM_FENCE);

        float factor = 1.0f;
#if SCALED
        uint most = 0;
        for (int round = last; round >= unseen; --round) {
            sgemm_load(values, from + round * round_distance, left - round * STEPS, k_major, wide, ld);
#pragma unroll
            for (int i = 0; i < VALUES; ++i)
                most = max(most, sgemm_magnitude(values[i]));
        }
        if (unseen > 0)
            sgemm_load(values, from, left, k_major, wide, ld);
        atomic_max(&maxima[row * PART_PIECES + piece], most);
        barrier(CLK_LOCAL_MEM_FENCE);
        most = 0;
#pragma unroll
        for (int i = 0; i < PART_PIECES; ++i)
            most = max(most, maxima[row * PART_PIECES + i]);
        float inverse;
        const int fits = sgemm_row_scales(most, &factor, &inverse);
        // Of a row that is zero or unfit nothing larger is allowed, since that might make it fit.
        const uint limit = fits && most != 0 ? sgemm_most_of_scales(most) : most;
        if (step == 0) { // one work-item of each row
            if (!fits)
                atomic_or(&unfit, 1);
            if (!fits || most == 0)
                words_of_rows[row] = 0;
            space[scales_at + row0 + row] = as_uint(inverse);
        }
#else
        sgemm_load(values, from, left, k_major, wide, ld);
#endif

        again = 0;
        for (int round = 0; round < rounds && !again; ++round) {
            local uint* own_kinds = kinds[round % 2];
#if SCALED
            uint most_of_round = 0;
#endif
#pragma unroll
            for (int i = 0; i < TAKEN; ++i) {
                const int ahead = round * (TAKEN * ABREAST) + i * ABREAST; // blocks
                if (ahead + block < (int)blocks) {
                    float taken[PIECE_ELEMENTS];
                    uint kind = 0;
#pragma unroll
                    for (int e = 0; e < PIECE_ELEMENTS; ++e) {
                        const float raw = values[i * PIECE_ELEMENTS + e];
                        taken[e] = raw * factor;
                        kind += sgemm_kind(raw, taken[e]);
#if SCALED
                        most_of_round = max(most_of_round, sgemm_magnitude(raw));
#else
                        if (!(fabs(taken[e]) < 0x1p55f))
                            atomic_or(&unfit, 1);
#endif
                    }
                    if (kind != 0)
                        atomic_add(&own_kinds[i * (DISTANCE / PIECE) * ROWS + counter], kind);
                    sgemm_store_parts(to + (long)ahead * BLOCK_WORDS, (int)packed_row, piece, taken);
                }
            }
#if SCALED
            if (most_of_round > most) {
                atomic_max(&maxima[row * PART_PIECES + piece], most_of_round);
                if (most_of_round > limit)
                    atomic_or(&outgrown[round % 2], 1);
            }
#endif
            if (round + 1 < rounds) // in flight while others are waited for
                sgemm_load(values, from + (round + 1) * round_distance, left - (round + 1) * STEPS,
                           k_major, wide, ld);
            barrier(CLK_LOCAL_MEM_FENCE);
            if (item < PIECES * ROWS) {
                const int steps = min(PIECE, (int)k - round * STEPS - item / ROWS * PIECE);
                local int* words = words_of_rows + item % ROWS;
                if (steps > 0 && words[0])
                    sgemm_keep_worst(own_kinds[item], steps, (int)(k / PIECE), words + ROWS,
                                     words + 2 * ROWS, &most_tail);
                own_kinds[item] = 0;
            }
            again = outgrown[round % 2];
            unseen = round + 1;
        }
        last = rounds - 1;
        barrier(CLK_LOCAL_MEM_FENCE); // all have read `outgrown`, and the words of rows are there
        if (item < 2)
            outgrown[item] = 0;
    } while (again);
    if (item == 0) {
        int large = PIECE, small = 0;
        for (int i = 0; i < ROWS; ++i) {
            large = min(large, words_of_rows[ROWS + i]);
            small = max(small, words_of_rows[2 * ROWS + i]);
        }
        global uint* words = space + control_at + (1 + own) * CONTROL_WORDS;
        words[CONTROL_LARGE] = SCALED ? (uint)large : 0;
        words[CONTROL_SMALL] = (uint)small;
        words[CONTROL_UNFIT] = (uint)unfit;
        words[CONTROL_TAIL] = (uint)most_tail;
    }
}
