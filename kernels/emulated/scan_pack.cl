// SPDX-License-Identifier: Apache-2.0
//
// Scan and pack in one launch, for products that are so small that a launch counts: as emulated/scan.cl and
// emulated/pack.cl, by work-groups that have few rows and all of k.
//
// Index map     a work-group has SLOT_ROWS rows of one operand: first the groups of X, then those of Y. It goes through k
//               by rounds of VALUES * ITEMS / SLOT_ROWS steps. In a round a work-item has what becomes whole 16-byte pieces of parts, all of one
//               row, in registers; its neighbours have the other pieces of that row of a block where k is
//               contiguous, else the other rows. Rows and steps that are not the operand's are zeros.
// Rounds        fp16: down, for the largest magnitudes, and up again to pack; what the last one down has loaded is packed
//               first, so that only what is beyond one round is read twice. tf32, bf16: up only.
// Loads         of 16 bytes where k is contiguous, a multiple of 4, and each row aligned to that; else of 4
// Control       each group leaves its words (emulated/verdict.clh) in a slot of its own behind the operand's words,
//               which no launch before this one has set; the main kernel gathers them.
// Defines       SCHEME, SLOT_ROWS, ITEMS, VALUES (of a work-item in a round, in registers)
// Constraints   powers of two; SLOT_ROWS >= 8, VALUES a multiple of 8, a round has whole pieces of 128 steps side by side
// Preconditions one matrix; blocks * BLOCK_K >= k
// Launch        dimension 0: (padded_x + padded_y) / SLOT_ROWS groups of ITEMS. At 1024 rows there is about one for each
//               compute unit, so that a group has to have in flight all that a unit can.
// Local memory  (SLOT_ROWS * PART_PIECES + 2 * VALUES * ITEMS / 128 + 3 * SLOT_ROWS + 1) * 4 bytes
#include "emulated/split.clh"
#include "emulated/verdict.clh"
#include "emulated/operand.clh"
#include "emulated/parts.clh"

#define ROWS SLOT_ROWS
#define TAKEN (VALUES / PIECE_ELEMENTS)
#define ABREAST (ITEMS / (ROWS * PART_PIECES)) // blocks that are taken side by side
#define DISTANCE (ABREAST * BLOCK_K)           // steps from one piece of a work-item to its next
#define STEPS (TAKEN * DISTANCE)
#define PIECES (STEPS / PIECE)
#if DISTANCE % PIECE != 0 || PIECES * ROWS > ITEMS
#error "SLOT_ROWS, ITEMS and VALUES do not fit each other"
#endif

// Keeps compilers from having the address of each load of a round in registers all the time.
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

// Of a work-item's values: how many steps element `i` is behind the first; and from there to the next.
#define STEP_OF(i) ((i) / PIECE_ELEMENTS * DISTANCE + (i) % PIECE_ELEMENTS)
#define TO_NEXT(i) (STEP_OF((i) + 1) - STEP_OF(i))

// A work-item's values of a round: its pieces begin at `from`, of which `left` steps are the operand's.
static void sgemm_load(float* values, global const float* from, int left, int k_major, int wide,
                       long ld) {
    FORGET(global const float*, from);
    long distance = k_major ? 1 : ld;
    FORGET(long, distance);
    if (wide) {
#pragma unroll
        for (int i = 0; i < VALUES; i += 4) {
            float4 four = 0.0f;
            if (STEP_OF(i) < left)
                four = *(global const float4*)(from + STEP_OF(i));
            values[i] = four.x;
            values[i + 1] = four.y;
            values[i + 2] = four.z;
            values[i + 3] = four.w;
        }
    } else if (STEP_OF(VALUES - 1) < left) { // most often; an instruction or two less for each
#pragma unroll
        for (int i = 0; i < VALUES; ++i) {
            values[i] = *from;
            from += distance * TO_NEXT(i);
            FORGET(global const float*, from);
        }
    } else {
#pragma unroll
        for (int i = 0; i < VALUES; ++i) {
            values[i] = STEP_OF(i) < left ? *from : 0.0f;
            from += distance * TO_NEXT(i);
            FORGET(global const float*, from);
        }
    }
}

#if SCHEME == 0 && defined(__NV_CL_C_VERSION)
// The larger magnitude, NaN above all, as sgemm_magnitude() has them in order.
static uint sgemm_larger(uint most, float value) {
    float larger;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(as_float(most)), "f"(fabs(value)));
    return as_uint(larger);
}
#else
#define sgemm_larger(most, value) max(most, sgemm_magnitude(value))
#endif

// Keeps what was counted of the pieces of a round; `item` has one of them, of the row of these words. (PoCL 3.1 passes
// another address where an argument is a local array as it stands.)
static void sgemm_keep_round(local uint* kinds, local int* words, int item, int round, int k, int blocks) {
    const int begin = round * STEPS + item / ROWS * PIECE;
    const int steps = min(PIECE, k - begin), counted = min(PIECE, blocks * BLOCK_K - begin);
    if (steps > 0 && words[0])
        sgemm_keep_worst(*kinds, counted, steps, words + ROWS, words + 2 * ROWS);
    *kinds = 0;
}

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
sgemm_emulated_scan_pack(long k, long blocks, OPERAND(x), OPERAND(y), global uint* space) {
    local uint maxima[ROWS * PART_PIECES]; // several of a row, so that few change the same
    local uint kinds[2][PIECES * ROWS];    // of a round, and of the next while these are looked at
    local int words_of_rows[3 * ROWS];     // whether they are looked at, least_large, most_small
    local int unfit;
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
    const int counter = block * BLOCK_K / PIECE * ROWS + row; // of its kinds
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
    if (item < ROWS) {
        words_of_rows[item] = row0 + item < rows;
        words_of_rows[ROWS + item] = PIECE;
        words_of_rows[2 * ROWS + item] = 0;
    }
    if (item == 0)
        unfit = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    const long packed_row = row0 + row;
    const int at = PIECE_AT(row, piece);
    global uint* to = space + packed_at +
                      ((packed_row / BLOCK_ROWS * blocks + block) * BLOCK_ROWS + packed_row % BLOCK_ROWS) * ROW_WORDS + at;
    float factor = 1.0f;
    uint most = 0;
    // Rounds down are turns below 0; both ways meet in turn 0.
    for (int turn = SCHEME == 0 ? 1 - rounds : 0; turn < rounds; ++turn) {
        const int round = turn < 0 ? -turn : turn;
        sgemm_load(values, from + round * round_distance, left - round * STEPS, k_major, wide, ld);
#if SCHEME == 0
        if (turn <= 0) {
#pragma unroll
            for (int i = 0; i < VALUES; ++i)
                most = sgemm_larger(most, values[i]);
        }
        if (turn == 0)
            atomic_max(&maxima[row * PART_PIECES + piece], most);
#endif
        barrier(CLK_LOCAL_MEM_FENCE); // in each turn, also where nobody waits for anything: there are few
        if (turn < 0)
            continue;
#if SCHEME == 0
        if (turn == 0) {
            most = 0;
#pragma unroll
            for (int i = 0; i < PART_PIECES; ++i)
                most = max(most, maxima[row * PART_PIECES + i]);
            float inverse;
            const int fits = sgemm_row_scales(most, &factor, &inverse);
            if (step == 0) { // one work-item of each row
                if (!fits)
                    atomic_or(&unfit, 1);
                if (!fits || most == 0)
                    words_of_rows[row] = 0;
                space[scales_at + row0 + row] = as_uint(inverse);
            }
        }
#endif
        if (turn > 0 && item < PIECES * ROWS)
            sgemm_keep_round(&kinds[(turn - 1) % 2][item], &words_of_rows[item % ROWS], item, turn - 1, (int)k,
                             (int)blocks);
        local uint* own_kinds = kinds[turn % 2] + counter;
#pragma unroll
        for (int i = 0; i < TAKEN; ++i) {
            const int ahead = turn * (TAKEN * ABREAST) + i * ABREAST; // blocks
            if (ahead + block < (int)blocks &&
                sgemm_pack_piece(to + i * (ABREAST * BLOCK_WORDS), at, values + i * PIECE_ELEMENTS, factor,
                                 own_kinds + i * (DISTANCE / PIECE) * ROWS))
                atomic_or(&unfit, 1);
        }
        to += TAKEN * ABREAST * BLOCK_WORDS;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < PIECES * ROWS)
        sgemm_keep_round(&kinds[(rounds - 1) % 2][item], &words_of_rows[item % ROWS], item, rounds - 1, (int)k,
                         (int)blocks);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
        int large = PIECE, small = 0;
        for (int i = 0; i < ROWS; ++i) {
            large = min(large, words_of_rows[ROWS + i]);
            small = max(small, words_of_rows[2 * ROWS + i]);
        }
        global uint* words = space + control_at + (1 + own) * CONTROL_WORDS;
        words[CONTROL_LARGE] = SCHEME == 0 ? (uint)large : 0;
        words[CONTROL_SMALL] = (uint)small;
        words[CONTROL_UNFIT] = (uint)unfit;
    }
}
