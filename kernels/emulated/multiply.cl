// SPDX-License-Identifier: Apache-2.0
//
// FP32 emulation, multiply: the product of two packed operands (pack.cl), split by split.
//
//   C(i, j) = alpha * scale_y(i) * scale_x(j) * sum over p of Y(i, p) * X(j, p) + beta * C(i, j)
//
// Index map     X is op(B), its rows are the columns of C; Y is op(A). Persistent work-groups take
//               tiles of TSM x TSN, RASTER of them along n, then along m, then over the batch.
//               Split-K: C number batch * split_k + range is of one k range, with whole chains.
// What is new   against persistent.cl: products of splits. fp16, tf32: low * high, high * low, high
//               * high. bf16: the six of at most two steps below high * high. Small ones come
//               first. PROMOTE blocks of k are one chain of products, which is then added to sums
//               of single precision: tensor cores truncate what they add. With UNITS = 1, 128 of
//               384 work-items copy (one thread) and twice 128 multiply, half of the columns each,
//               or with TSN = 64 alternate chains each. STAGES pairs of blocks are a ring, filled
//               by bulk copies with mbarriers.
// Range check   conditional.clh, from words in memory or gathered from slots (a batch of one).
//               Where it fails, strict.clh computes the tile (STRICT_INSIDE), or a strict kernel
//               after this one.
// Defines       SCHEME              0 fp16, 1 tf32, 2 bf16 (split.clh)
//               UNITS               0 ordinary code, for tests on any device; 1 wgmma
//               TSM, TSN            work-group tile
//               STAGES              stages of the ring
//               PROMOTE             blocks of k in a chain
//               RASTER              tile swizzle: bands of so many tiles along n
//               STRICT_INSIDE       1: computes tiles that fail the range check, too
//               PACKS_NEXT          1: idle warps pack for the next launch (pack_beside.clh)
//               PACK_LAUNCHES, A_K_MAJOR, B_K_MAJOR: unused
// Constraints   UNITS = 0: TSM, TSN divide 128. UNITS = 1: TSN 64 and TSM 64, 96, 128, 144 or 192;
//               TSN 128 and TSM 64, 96 or 128; TSN 256 and TSM 128. STRICT_INSIDE: 16 divides TSM,
//               TSN. PACKS_NEXT: STRICT_INSIDE = 0. PROMOTE divides blocks; no k range is empty;
//               packed rows are multiples of 128 and of TSN; split-K: alpha = 1, beta = 0
// Launch        any number of work-groups of 256 (UNITS = 0) or 384 items
// Local memory  UNITS = 1: STAGES * (TSM + TSN) * 128 + (STAGES + 1) * (TSM + TSN) * 4 + 16 *
//               STAGES + 32 bytes; TSN = 64: and TSM * TSN * 4; STRICT_INSIDE: and 32 * (TSM +
//               min(TSN, 128) + 8) + 8; PACKS_NEXT: and 24600
// Credit        products, promotion and their order: Ootomo and Yokota 2022 (ideas)

#if !defined(UNITS) || !defined(TSM) || !defined(TSN) || !defined(STAGES) || !defined(PROMOTE) || !defined(RASTER)
#error "UNITS, TSM, TSN, STAGES, PROMOTE and RASTER must be defined"
#endif
#if !defined(STRICT_INSIDE)
#error "STRICT_INSIDE (0 or 1) must be defined"
#endif
#include "emulated/split.clh"
#if UNITS == 1
#include "emulated/wgmma.clh"
#endif
#if STRICT_INSIDE
#if UNITS == 1
#define STRICT_JOIN sgemm_join(2, STRICT_ITEMS)
#else
#define STRICT_JOIN barrier(CLK_LOCAL_MEM_FENCE)
#endif
#include "emulated/strict.clh"
#else
#define ALSO_STRICT_NUMBERS(N)
#define ALSO_STRICT
#endif

#if !defined(PACKS_NEXT)
#define PACKS_NEXT 0
#endif
#if PACKS_NEXT && STRICT_INSIDE
#error "PACKS_NEXT needs STRICT_INSIDE = 0"
#endif
#if STRICT_INSIDE && (TSM % 16 != 0 || TSN % 16 != 0)
#error "16 must divide TSM and TSN where STRICT_INSIDE"
#endif
#if UNITS == 0 && (BLOCK_ROWS % TSM != 0 || BLOCK_ROWS % TSN != 0)
#error "TSM and TSN must divide 128"
#endif
#if UNITS == 1 && !((TSN == 64 && (TSM == 64 || TSM == 96 || TSM == 128 || TSM == 144 || TSM == 192)) || \
                    (TSN == 128 && (TSM == 64 || TSM == 96 || TSM == 128)) || (TSN == 256 && TSM == 128))
#error "TSN must be 64 and TSM 64, 96, 128, 144 or 192, or TSN 128 and TSM up to 128, or TSN 256 and TSM 128"
#endif

// Tile `index` of `tiles_m` x `tiles_n`, in bands of RASTER tiles along n.
static int2 sgemm_tile(int index, int tiles_m, int tiles_n) {
    const int band = index / (RASTER * tiles_m), rest = index - band * RASTER * tiles_m;
    const int left = tiles_n - band * RASTER, width = left < RASTER ? left : RASTER;
    return (int2)(rest / width, band * RASTER + rest % width);
}

#define TILES_M ((int)((m + TSM - 1) / TSM))
#define TILES_N ((int)((n + TSN - 1) / TSN))
// Blocks of each k range but the last.
#define SHARE ((blocks / PROMOTE + split_k - 1) / split_k * PROMOTE)
// The matrix of an operand: the only one where the batch shares it.
#define MATRIX(matrices, index) ((matrices) == 1 ? 0 : (index))
// `gathered`: 1 words gathered from slots hold, or are not known yet; -1 they fail; 0 words are in
// memory.
#define HOLDS(index)                                                                                   \
    (gathered                                                                                          \
         ? gathered > 0                                                                                \
         : sgemm_scheme_holds((global const int*)space_x + control_x + MATRIX(matrices_x, index) * CONTROL_WORDS, \
                       (global const int*)space_y + control_y + MATRIX(matrices_y, index) * CONTROL_WORDS))
// Blocks and scales of operand X (x or y) from `row` on.
#define BLOCKS_OF(X, index, row)                                                                       \
    (space_##X + packed_##X +                                                                          \
     (MATRIX(matrices_##X, index) * padded_##X + (row)) / BLOCK_ROWS * blocks * BLOCK_WORDS)
#define SCALES_OF(X, index, row)                                                                       \
    ((global const float*)space_##X + scales_##X + MATRIX(matrices_##X, index) * padded_##X + (row))

#include "emulated/gather_words.clh"

#if PACKS_NEXT
#include "emulated/operand.clh"
#include "emulated/parts.clh"
#include "emulated/pack_beside.clh"
#define ALSO_NEXT_NUMBERS(N) NEXT_NUMBERS(N)
#define ALSO_NEXT , global const float *next, global uint *space_next
#else
#define ALSO_NEXT_NUMBERS(N)
#define ALSO_NEXT
#endif

#define PACKED_NUMBERS(N, X)                                                                           \
    N(long, padded_##X) N(long, matrices_##X) N(long, scales_##X) N(long, control_##X) N(long, packed_##X) \
    N(long, slots_##X)
#define NUMBERS(N)                                                                                     \
    N(long, m) N(long, n) N(long, blocks) N(float, alpha) N(float, beta) N(long, offset_c) N(long, ldc) \
    N(long, stride_c) N(long, batch) N(long, split_k) PACKED_NUMBERS(N, x) PACKED_NUMBERS(N, y)         \
    ALSO_STRICT_NUMBERS(N) ALSO_NEXT_NUMBERS(N)
NUMBERS_STRUCT(NUMBERS);

#if UNITS == 0

#define ITEMS 256

// Elements 2 * w and 2 * w + 1 of a split of `row` in a block.
static float2 sgemm_pair(global const uint* block, int row, int part, int w) {
    global const uint* const words = block + row * ROW_WORDS;
#if SCHEME == 1
    if (part == 0) {
        global const uint* const pair = words + PIECE_AT(row, w / 2) + w % 2 * 2;
        return (float2)(as_float(pair[0]), as_float(pair[1]));
    }
#endif
    const int in_piece = PIECE_ELEMENTS / 2;
    const uint both = words[PIECE_AT(row, PIECE_OF_PART(part) + w / in_piece) + w % in_piece];
    return sgemm_widen(both);
}

// sum += the products of two splits of a block.
static float sgemm_add_products(float sum, global const uint* x, int row_x, int part_x, global const uint* y,
                                int row_y, int part_y) {
    for (int w = 0; w < BLOCK_K / 2; ++w) {
        const float2 of_x = sgemm_pair(x, row_x, part_x, w);
        const float2 of_y = sgemm_pair(y, row_y, part_y, w);
        sum = FMA(of_x.y, of_y.y, FMA(of_x.x, of_y.x, sum));
    }
    return sum;
}

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
sgemm_emulated_multiply(Numbers numbers, global float* c, global const uint* space_x,
                        global const uint* space_y ALSO_STRICT ALSO_NEXT) {
    READ_NUMBERS(NUMBERS);
    const int item = (int)get_local_id(0);
#if STRICT_INSIDE
    local float strict_steps[STRICT_WORDS] __attribute__((aligned(16)));
#endif
    GATHER_WORDS
    const int tiles_m = TILES_M, tiles_n = TILES_N;
    const long tiles = (long)tiles_m * tiles_n;
    for (long turn = get_group_id(0); turn < tiles * batch * split_k; turn += get_num_groups(0)) {
        const long part = turn / tiles, index = part / split_k;
        const long first = (part - index * split_k) * SHARE, end = min(blocks, first + SHARE);
        const int2 tile = sgemm_tile((int)(turn % tiles), tiles_m, tiles_n);
        if (!HOLDS(index)) {
#if STRICT_INSIDE
            MULTIPLY_STRICTLY(item, index, tile, first, end);
#endif
            continue;
        }
        for (int element = item; element < TSM * TSN; element += ITEMS) {
            const long i = (long)tile.x * TSM + element % TSM, j = (long)tile.y * TSN + element / TSM;
            if (i >= m || j >= n)
                continue;
            const int row_x = (int)(j % BLOCK_ROWS), row_y = (int)(i % BLOCK_ROWS);
            global const uint* x = BLOCKS_OF(x, index, j) + first * BLOCK_WORDS;
            global const uint* y = BLOCKS_OF(y, index, i) + first * BLOCK_WORDS;
            float sum = 0.0f;
            for (long block = first; block < end; block += PROMOTE) {
                float chain = 0.0f;
                for (int b = 0; b < PROMOTE; ++b) {
#if SCHEME == 2
                    chain = sgemm_add_products(chain, x, row_x, 0, y, row_y, 2);
                    chain = sgemm_add_products(chain, x, row_x, 2, y, row_y, 0);
                    chain = sgemm_add_products(chain, x, row_x, 1, y, row_y, 1);
#endif
#if SCHEME == 1 // one factor of 2^-5, one of 2^5
                    chain = sgemm_add_products(chain, x, row_x, 1, y, row_y, 2);
                    chain = sgemm_add_products(chain, x, row_x, 2, y, row_y, 1);
#else
                    chain = sgemm_add_products(chain, x, row_x, 0, y, row_y, 1);
                    chain = sgemm_add_products(chain, x, row_x, 1, y, row_y, 0);
#endif
                    chain = sgemm_add_products(chain, x, row_x, 0, y, row_y, 0);
                    x += BLOCK_WORDS;
                    y += BLOCK_WORDS;
                }
                sum += chain;
            }
#if SCALED
            sum *= *SCALES_OF(x, index, j) * *SCALES_OF(y, index, i);
#endif
            STORE_C(c + offset_c + part * stride_c + j * ldc + i, sum, alpha, beta);
        }
    }
#if PACKS_NEXT
    if (item < PACKERS) {
        Packer packer = {0};
        PACK_NEXT(packer, item);
    }
#endif
}

#else

#define ITEMS 384
// Two groups of four warps multiply. IN_TURN: they take chains alternately, with one half block of
// X for both.
#define IN_TURN (TSN < 128)
#define HALVES (IN_TURN ? 1 : TSN / 128) // half blocks of X that a group multiplies one by one
#define FIRST_HALF (IN_TURN ? 0 : who * HALVES)
#define BLOCK_BYTES (BLOCK_WORDS * 4)
#define STAGE_X (TSN * ROW_WORDS * 4)
#define COPY_X (IN_TURN ? STAGE_X : BLOCK_BYTES)
#define STAGE_Y (TSM * ROW_WORDS * 4)
#define STAGE_BYTES (STAGE_X + STAGE_Y)
#define SUMS (TSM / 2) // of a work-item, of 64 rows of X
#define IN_TWO_BLOCKS (BLOCK_ROWS % TSM != 0) // rows of Y may lie in two blocks
#define SCALES (TSM + TSN)
#define SCALE_SETS (STAGES + 1) // copies are never further ahead
#define MULTIPLIERS 8           // warps
#if PACKS_NEXT
#define REGISTERS_TO_COPY 40
#define REGISTERS_TO_MULTIPLY 232
#else
#define REGISTERS_TO_COPY 24
#define REGISTERS_TO_MULTIPLY 240
#endif

// The products of a block, small ones first. +2: the second half of k or, bf16 and for tf32 after
// +4, the next split.
#if SCHEME == 2
#define MULTIPLY_BLOCK(FIRST, sums, x, y)                                                              \
    do {                                                                                               \
        FIRST(sums, (x), (y) + 4);                                                                     \
        WGMMA(sums, (x) + 4, (y));                                                                     \
        WGMMA(sums, (x) + 2, (y) + 2);                                                                 \
        WGMMA(sums, (x) + 2, (y));                                                                     \
        WGMMA(sums, (x), (y) + 2);                                                                     \
        WGMMA(sums, (x), (y));                                                                         \
    } while (0)
#elif SCHEME == 1
#define MULTIPLY_BLOCK(FIRST, sums, x, y)                                                              \
    do {                                                                                               \
        FIRST(sums, (x) + 4, (y) + 6);                                                                 \
        WGMMA_LOW(sums, (x) + 6, (y) + 4);                                                             \
        WGMMA_OTHER_SHAPE;                                                                             \
        WGMMA(sums, (x), (y));                                                                         \
        WGMMA(sums, (x) + 2, (y) + 2);                                                                 \
    } while (0)
#else
#define MULTIPLY_BLOCK(FIRST, sums, x, y)                                                              \
    do {                                                                                               \
        FIRST(sums, (x), (y) + 4);                                                                     \
        WGMMA(sums, (x) + 2, (y) + 6);                                                                 \
        WGMMA(sums, (x) + 4, (y));                                                                     \
        WGMMA(sums, (x) + 6, (y) + 2);                                                                 \
        WGMMA(sums, (x), (y));                                                                         \
        WGMMA(sums, (x) + 2, (y) + 2);                                                                 \
    } while (0)
#endif

#if SCHEME == 1
#define BEGIN_NEXT_BLOCK WGMMA_OTHER_SHAPE
#else
#define BEGIN_NEXT_BLOCK
#endif

// Sums of 64 rows of X += the products of PROMOTE stages from `stage` on.
#define MULTIPLY_HALF(half, sums)                                                                      \
    do {                                                                                               \
        WGMMA_BEGIN;                                                                                   \
        {                                                                                              \
            const uint at = stages_at + stage * STAGE_BYTES;                                           \
            const ulong dx = sgemm_describe(at + (FIRST_HALF + (half)) * (BLOCK_BYTES / 2));           \
            const ulong dy = sgemm_describe(at + STAGE_X);                                             \
            MULTIPLY_BLOCK(WGMMA_LOW_FIRST, chain, dx, dy);                                            \
        }                                                                                              \
        int next = stage;                                                                              \
        _Pragma("unroll") for (int more = 1; more < PROMOTE; ++more) {                                 \
            next = next + 1 == STAGES ? 0 : next + 1;                                                  \
            const uint at = stages_at + next * STAGE_BYTES;                                            \
            const ulong dx = sgemm_describe(at + (FIRST_HALF + (half)) * (BLOCK_BYTES / 2));           \
            const ulong dy = sgemm_describe(at + STAGE_X);                                             \
            BEGIN_NEXT_BLOCK;                                                                          \
            MULTIPLY_BLOCK(WGMMA_LOW, chain, dx, dy);                                                  \
        }                                                                                              \
        WGMMA_COMMIT;                                                                                  \
        WGMMA_WAIT;                                                                                    \
    } while (0)

// The next stage of the ring; each lap has the other parity.
#define ADVANCE(stage, parity)                                                                         \
    if (++stage == STAGES) {                                                                           \
        stage = 0;                                                                                     \
        parity ^= 1;                                                                                   \
    }
// Copies steps [begin, end) of tile number `turn`.
#define COPY_STEPS(turn, begin, end)                                                                   \
    do {                                                                                               \
        const int part = (turn) / tiles, index = part / (int)split_k;                                   \
        const int2 tile = sgemm_tile((turn) - part * tiles, tiles_m, tiles_n);                         \
        const long skipped = ((part - index * (int)split_k) * share + (begin)) * (long)BLOCK_WORDS;     \
        global const uint* x = BLOCKS_OF(x, (long)index, (long)tile.y * TSN) + skipped +               \
                               tile.y * TSN % BLOCK_ROWS * ROW_WORDS;                                  \
        global const uint* y = BLOCKS_OF(y, (long)index, (long)tile.x * TSM) + skipped +               \
                               tile.x * TSM % BLOCK_ROWS * ROW_WORDS;                                  \
        /* the rows in the next block, or any rows where there are none */                             \
        const int bytes_y =                                                                            \
            IN_TWO_BLOCKS ? min(TSM, BLOCK_ROWS - tile.x * TSM % BLOCK_ROWS) * ROW_WORDS * 4 : STAGE_Y; \
        const long to_next_y =                                                                         \
            BLOCKS_OF(y, (long)index, min(tile.x * (long)TSM + TSM, padded_y) - 1) + skipped - y;      \
        for (int step = (begin); step < (end); ++step) {                                               \
            sgemm_wait(emptied_at + 8 * to_stage, to_parity);                                          \
            const uint full = filled_at + 8 * to_stage, to = stages_at + to_stage * STAGE_BYTES;       \
            const int with_scales = SCALED && step == 0;                                               \
            sgemm_expect(full, with_scales ? STAGE_BYTES + 4 * SCALES : STAGE_BYTES);                  \
            if (with_scales) {                                                                         \
                const uint scales_to = (uint)(ulong)scales + to_set * (4 * SCALES);                    \
                sgemm_bulk_copy(scales_to,                                                             \
                                (global const uint*)SCALES_OF(x, (long)index, (long)tile.y * TSN),     \
                                4 * TSN, full);                                                        \
                sgemm_bulk_copy(scales_to + 4 * TSN,                                                   \
                                (global const uint*)SCALES_OF(y, (long)index, (long)tile.x * TSM),     \
                                4 * TSM, full);                                                        \
                to_set = to_set + 1 == SCALE_SETS ? 0 : to_set + 1;                                    \
            }                                                                                          \
            sgemm_bulk_copy(to, x, COPY_X, full);                                                      \
            if (HALVES == 2)                                                                           \
                sgemm_bulk_copy(to + BLOCK_BYTES, x + blocks * BLOCK_WORDS, BLOCK_BYTES, full);        \
            sgemm_bulk_copy(to + STAGE_X, y, bytes_y, full);                                           \
            if (IN_TWO_BLOCKS && bytes_y < STAGE_Y)                                                    \
                sgemm_bulk_copy(to + STAGE_X + bytes_y, y + to_next_y, STAGE_Y - bytes_y, full);       \
            x += BLOCK_WORDS;                                                                          \
            y += BLOCK_WORDS;                                                                          \
            ADVANCE(to_stage, to_parity)                                                               \
        }                                                                                              \
    } while (0)
// Steps of tile number `turn`.
#define STEPS_OF(turn) min((int)blocks - (turn) / tiles % (int)split_k * share, share)
// Waits until the next PROMOTE stages, a chain, are filled.
#define WAIT_FOR_CHAIN                                                                                 \
    do {                                                                                               \
        int next = stage;                                                                              \
        uint next_parity = parity;                                                                     \
        _Pragma("unroll") for (int more = 0; more < PROMOTE; ++more) {                                 \
            sgemm_wait(filled_at + 8 * next, next_parity);                                             \
            ADVANCE(next, next_parity)                                                                 \
        }                                                                                              \
    } while (0)
#define LEAVE_CHAIN                                                                                    \
    do {                                                                                               \
        _Pragma("unroll") for (int more = 0; more < PROMOTE; ++more) {                                 \
            if (lane == 0)                                                                             \
                sgemm_arrive(emptied_at + 8 * stage);                                                  \
            ADVANCE(stage, parity)                                                                     \
        }                                                                                              \
    } while (0)
// Skips a chain of the other group. It is waited for and released all the same, so that no group
// gets more than a phase ahead, and both see the scales that come with a tile's first stage.
#define PASS_CHAIN                                                                                     \
    do {                                                                                               \
        WAIT_FOR_CHAIN;                                                                                \
        sgemm_join_warp(); /* lane 0 releases for all, and no product has synchronized the warp */     \
        LEAVE_CHAIN;                                                                                   \
    } while (0)

// Exchanges half of the sums with the other group. The first half of `sums` is then the total of
// both, for rows of Y from TSM / 2 * who on. It selects values, not indices: sums stay in
// registers.
#define ADD_SUMS_OF_OTHER(sums)                                                                        \
    do {                                                                                               \
        sgemm_join(1, 2 * 128); /* all have read `passed` of the tile before */                        \
        _Pragma("unroll") for (int i = 0; i < SUMS / 2; ++i) {                                         \
            const float low = sums[i], high = sums[SUMS / 2 + i];                                      \
            passed[who][i][own] = who == 0 ? high : low;                                               \
            sums[i] = who == 0 ? low : high;                                                           \
        }                                                                                              \
        sgemm_join(1, 2 * 128);                                                                        \
        _Pragma("unroll") for (int i = 0; i < SUMS / 2; ++i)                                           \
            sums[i] += passed[1 - who][i][own];                                                        \
    } while (0)

// Rows of Y that a group stores, in units of 8.
#define STORED_EIGHTS (TSM / 8 / (IN_TURN ? 2 : 1))
// Lane l of a warp has rows l / 4 and l / 4 + 8 of the warp's 16 rows of X, and of the TSM rows of
// Y (IN_TURN: the TSM / 2 rows from TSM / 2 * who on) the two from 8 * q + 2 * (l % 4) on, q <
// STORED_EIGHTS.
#define STORE_HALF(half, sums)                                                                         \
    do {                                                                                               \
        _Pragma("unroll") for (int r = 0; r < 2; ++r) {                                                \
            const int row = (half)*64 + 8 * r;                                                         \
            global float* column = first + row * ldc;                                                  \
            const float scale = SCALED ? scale_x[row] : 1.0f;                                          \
            if (whole) {                                                                               \
                _Pragma("unroll") for (int q = 0; q < STORED_EIGHTS; ++q) {                            \
                    const float2 scale_2 = SCALED ? scale * *(local const float2*)(scale_y + 8 * q)    \
                                                  : (float2)(1.0f);                                    \
                    const float2 sum = (float2)(sums[4 * q + 2 * r], sums[4 * q + 2 * r + 1]) * scale_2; \
                    STORE_C_WIDE(2, 1, column + 8 * q, sum, alpha, beta);                              \
                }                                                                                      \
            } else if (j0 + row < n) {                                                                 \
                _Pragma("unroll") for (int e = 0; e < 2 * STORED_EIGHTS; ++e) {                        \
                    const int i = 8 * (e >> 1) + (e & 1);                                              \
                    if (i0 + i < m) {                                                                  \
                        const float scale_1 = SCALED ? scale * scale_y[i] : 1.0f;                      \
                        STORE_C(column + i, sums[4 * (e >> 1) + 2 * r + (e & 1)] * scale_1, alpha, beta); \
                    }                                                                                  \
                }                                                                                      \
            }                                                                                          \
        }                                                                                              \
    } while (0)

#if STRICT_INSIDE
#include "emulated/few_tiles.clh"
#else
#include "emulated/many_tiles.clh"
#endif

#endif
