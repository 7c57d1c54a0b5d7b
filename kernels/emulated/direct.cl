// SPDX-License-Identifier: Apache-2.0
//
// FP32 emulation, direct: splits operands while it multiplies them in half precision, in one
// launch. For products so small that launches count, or with an operand that few work-groups read.
//
//   C(i, j) = alpha * sum over p of A(i, p) * B(p, j) + beta * C(i, j)
//
// Index map     X is op(B), its rows are the columns of C; Y is op(A). A work-group computes a tile
//               of TSM x TSN of C. Work-group z has k range z % split_k of matrix z / split_k.
// What is new   against multiply.cl: no pass before it. 256 work-items scale and split a block of
//               32 steps along k (raw_blocks.clh, split_blocks.clh) while tensor cores multiply the
//               one before. Y is in local memory, X in registers (UNITS = 0: in local memory, too).
// Products      low * high, high * low, high * high: small ones first. Those of a block are one
//               chain, which is added to sums of single precision.
// Scales        powers of two per row, from the first block with a nonzero element of the row: the
//               largest of these comes to [2^13, 2^14), later elements may be four times as large.
//               One that overflows half precision makes sums infinite or NaN. The tile is then
//               multiplied again, with scales from all of k.
// Range check   docs/internals/emulation.md: small elements of each row are counted, large ones in
//               the first four blocks. strict.clh multiplies a tile that fails or has sums that are
//               not finite.
// Split-K       each k range has whole blocks and a C of its own, range * stride_c / split_k
//               further on, or with SUM_IN_LAUNCH a slot: `split_k` for each tile (sum_slots.clh)
// Defines       SCHEME                  0
//               UNITS                   0 ordinary code, for tests on any device; 1 wgmma
//               TSM, TSN                work-group tile
//               LOADA, LOADB            elements per load: 1, 2, 4
//               SUM_IN_LAUNCH           1 fused reduction of split-K
//               A_K_MAJOR, B_K_MAJOR    storage of A and B, 0 or 1
// Constraints   TSM = 64 or 128, TSN = 128; k > 0; elements at multiples of LOADA and LOADB;
//               split-K without SUM_IN_LAUNCH: alpha = 1, beta = 0, split_k divides stride_c
// Launch        ceil(m / TSM) x ceil(n / TSN) x (batch * split_k) work-groups of 256 items
// Local memory  256 * TSM (UNITS = 0: 256 * (TSM + TSN)) + 48 * (TSM + TSN) + 288 bytes
// Credit        products and their order after Ootomo and Yokota 2022 (ideas)

#if !defined(UNITS) || !defined(TSM) || !defined(TSN) || !defined(LOADA) || !defined(LOADB)
#error "UNITS, TSM, TSN, LOADA and LOADB must be defined"
#endif
#if !defined(SUM_IN_LAUNCH) || !defined(A_K_MAJOR) || !defined(B_K_MAJOR)
#error "SUM_IN_LAUNCH, A_K_MAJOR and B_K_MAJOR (0 or 1) must be defined"
#endif
#if (TSM != 64 && TSM != 128) || TSN != 128
#error "TSM must be 64 or 128, and TSN 128"
#endif
#define HIGHEST 13 // exponent of the largest element of a row's first block
#include "emulated/split.clh"
#include "emulated/operand.clh"
#include "emulated/parts.clh"

#define ITEMS 256
#define COUNTED_BLOCKS 4 // in which large elements are counted
#define GUARD_SHARE max(1l, min(k, 1l << 20) / 256) // times 32 terms of the bound
// Sums of a work-item: two rows of X side by side, wgmma's rows g and g + 8, and of Y the two rows
// from 8 q + 2 t on.
#define SUMS (TSM / 2)

#if UNITS == 1
#include "emulated/wgmma.clh"
#define UNROLL _Pragma("unroll")
#else
#define UNROLL
#endif
#define JOIN barrier(CLK_LOCAL_MEM_FENCE)
#define STRICT_JOIN JOIN
#include "emulated/strict.clh"
#include "emulated/raw_blocks.clh"
#include "emulated/split_blocks.clh"

// A stage has the rows of Y. Where X does not come from registers, the rows of X are before them.
#define PLACE_IN_STAGE_X 0
#define PLACE_IN_STAGE_Y (UNITS == 1 ? 0 : TSN)
#define STAGE_WORDS ((PLACE_IN_STAGE_Y + TSM) * ROW_WORDS)

#if UNITS == 1
// Issues the products of a stage. They are complete only after WAIT_FOR_PRODUCTS.
#define BEGIN_PRODUCTS(stage)                                                                          \
    do {                                                                                               \
        const ulong dy = sgemm_describe((uint)(ulong)(ring + (stage)*STAGE_WORDS));                    \
        WGMMA_BEGIN;                                                                                   \
        WGMMA_X_FIRST(chain, parts_X[stage][0], 0, dy + 4);                                            \
        WGMMA_X(chain, parts_X[stage][0], 1, dy + 6);                                                  \
        WGMMA_X(chain, parts_X[stage][1], 0, dy);                                                      \
        WGMMA_X(chain, parts_X[stage][1], 1, dy + 2);                                                  \
        WGMMA_X(chain, parts_X[stage][0], 0, dy);                                                      \
        WGMMA_X(chain, parts_X[stage][0], 1, dy + 2);                                                  \
        WGMMA_COMMIT;                                                                                  \
    } while (0)
#define WAIT_FOR_PRODUCTS                                                                              \
    asm volatile("wgmma.wait_group.sync.aligned 0;" : SGEMM_SUMS(SGEMM_CHANGED, chain)::"memory")
// Makes stores of work-items visible to tensor cores, which read through another proxy.
#define SHOW_UNIT asm volatile("fence.proxy.async.shared::cta;" ::: "memory")
// Multiplies block `b`, in a stage and its registers, and splits the next block into the other
// ones.
#define MULTIPLY_AND_SPLIT_NEXT(b, stage)                                                              \
    do {                                                                                               \
        BEGIN_PRODUCTS(stage);                                                                         \
        if ((b) + 1 < blocks)                                                                          \
            SPLIT_BLOCK((b) + 1, 1 - (stage));                                                         \
        WAIT_FOR_PRODUCTS;                                                                             \
        UNROLL for (int s = 0; s < SUMS; ++s)                                                          \
            sums[s] += chain[s];                                                                       \
        JOIN;                                                                                          \
    } while (0)
#else
// Elements 2 * w and 2 * w + 1 of a split (0 high, 1 low) of a row.
static float2 sgemm_pair(local const uint* rows, int row, int part, int w) {
    const int words = PIECE_ELEMENTS / 2;
    const uint both =
        rows[row * ROW_WORDS + PIECE_AT(row, part * PART_PIECES + w / words) + w % words];
    return sgemm_widen(both);
}
static float sgemm_add_products(float sum, local const uint* words, int j, int part_x, int i, int part_y) {
    for (int w = 0; w < BLOCK_K / 2; ++w) {
        const float2 x = sgemm_pair(words, j, part_x, w);
        const float2 y = sgemm_pair(words, PLACE_IN_STAGE_Y + i, part_y, w);
        sum = FMA(x.y, y.y, FMA(x.x, y.x, sum));
    }
    return sum;
}
#define ADD_PRODUCTS(words)                                                                            \
    for (int s = 0; s < SUMS; ++s) {                                                                   \
        const int j = column + s / 2 % 2, i = 8 * (s / 4) + row + s % 2;                               \
        float chain = sgemm_add_products(0.0f, words, j, 0, i, 1);                                     \
        chain = sgemm_add_products(chain, words, j, 1, i, 0);                                          \
        sums[s] += sgemm_add_products(chain, words, j, 0, i, 0);                                       \
    }
#define SHOW_UNIT
#endif

#if SUM_IN_LAUNCH
#define MATH_BARRIER barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#include "last_group.clh"
#include "emulated/sum_slots.clh"
#define NUMBERS(N) GEMM_NUMBERS(N) N(long, split_k) N(long, offset_partials)
#define ALSO_SLOTS , global float *partials, global uint *counters
#else
#define NUMBERS(N) GEMM_NUMBERS(N) N(long, split_k)
#define ALSO_SLOTS
#endif
NUMBERS_STRUCT(NUMBERS);

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
sgemm_emulated_direct(Numbers numbers, global const float* restrict a, global const float* restrict b,
                      global float* c ALSO_SLOTS) {
    READ_NUMBERS(NUMBERS);
    local uint ring[2 * STAGE_WORDS] __attribute__((aligned(1024)));
    local float strict_steps[STRICT_WORDS] __attribute__((aligned(16)));
    local uint largest[ROWS]; // of each row, up to its first block with a nonzero element
    local int large[ROWS], small[ROWS];
    local float scales[ROWS];
    local int least_large[2], most_small[2], unknown, some_small, unfit, infinite;
    const int own = (int)get_local_id(0);
    const long index = (long)get_group_id(2) / split_k, range = (long)get_group_id(2) - index * split_k;
    const long i0 = (long)get_group_id(0) * TSM, j0 = (long)get_group_id(1) * TSN;
    const int rows_Y = (int)min((long)TSM, m - i0), rows_X = (int)min((long)TSN, n - j0);
    const int whole_Y = rows_Y == TSM, whole_X = rows_X == TSN;
    const long ld_Y = lda, ld_X = ldb;
    global const float* from_Y = a + offset_a + index * stride_a + i0 * (A_K_MAJOR ? lda : 1);
    global const float* from_X = b + offset_b + index * stride_b + j0 * (B_K_MAJOR ? ldb : 1);
    const long all_blocks = (k + BLOCK_K - 1) / BLOCK_K;
    const int blocks = (int)(all_blocks / split_k + (range < all_blocks % split_k));
    const long begin = (all_blocks / split_k * range + min(range, all_blocks % split_k)) * BLOCK_K;
    const long end = min(k, begin + blocks * (long)BLOCK_K);

    const int column = own / 4 * 2, row = own % 4 * 2; // of the first sum
    const int row_X = FIRST_ROW_X, step_X = FIRST_STEP_X, row_Y = FIRST_ROW_Y, step_Y = FIRST_STEP_Y;
#if UNITS == 1
    uint parts_X[2][PARTS][LINES_X][RUN_X / 2]; // of the block being multiplied, and of the next
#else
    BEGIN_STORES(X)
#endif
    BEGIN_STORES(Y)
    float x[LINES(X)][RUN(X)], y[LINES(Y)][RUN(Y)], factors_X[LINES(X)], factors_Y[LINES(Y)];
    float sums[SUMS];
#if UNITS == 1
    float chain[SUMS];
#endif
    int holds = 0, outgrown = 1;
    for (int again = 0; again < 2 && outgrown; ++again) {
        for (int r = own; r < ROWS; r += ITEMS)
            largest[r] = large[r] = small[r] = 0;
        if (own == 0) {
            unfit = infinite = some_small = unknown = 0;
            least_large[0] = least_large[1] = BLOCK_K * COUNTED_BLOCKS;
            most_small[0] = most_small[1] = 0;
        }
        UNROLL for (int s = 0; s < SUMS; ++s)
            sums[s] = 0.0f;
        FOR_LINES(X, l) factors_X[l] = 0.0f;
        FOR_LINES(Y, l) factors_Y[l] = 0.0f;
        JOIN;
        BEGIN_LOADS(X)
        BEGIN_LOADS(Y)
        long left = end - begin; // steps to load
        int seeking = !again;
        if (again)
            SCAN_BLOCKS;
#if UNITS == 1
        if (blocks > 0) {
            LOAD_BLOCK;
            SPLIT_BLOCK(0, 0);
        }
        JOIN;
        for (int block = 0; block < blocks; ++block) {
            MULTIPLY_AND_SPLIT_NEXT(block, 0);
            if (++block < blocks)
                MULTIPLY_AND_SPLIT_NEXT(block, 1);
        }
#else
        for (int block = 0; block < blocks; ++block) {
            SPLIT_BLOCK(block, block % 2);
            JOIN;
            ADD_PRODUCTS(ring + block % 2 * STAGE_WORDS);
        }
        JOIN;
#endif

        KEEP_SCALES(X)
        KEEP_SCALES(Y)
        JOIN;
        float finite = 0.0f; // NaN where a sum is not
        UNROLL for (int s = 0; s < SUMS; ++s) {
            sums[s] *= scales[column + s / 2 % 2] * scales[TSN + 8 * (s / 4) + row + s % 2];
            finite += sums[s] - sums[s];
        }
        if (finite != 0.0f)
            atomic_or(&infinite, 1);
        JOIN;
        if (some_small) {
            for (int r = own; r < ROWS; r += ITEMS)
                if (largest[r] != 0) {
                    atomic_min(&least_large[r >= TSN], large[r]);
                    atomic_max(&most_small[r >= TSN], small[r]);
                }
        }
        JOIN;
        const long all_small = (long)most_small[0] + most_small[1];
        const long both_large = least_large[0] + least_large[1] - BLOCK_K * min(blocks, COUNTED_BLOCKS);
        holds = !unfit && !infinite &&
                (all_small == 0 || both_large * GUARD_SHARE >= 4 * all_small);
        outgrown = infinite && !unfit;
        JOIN;
    }

#if SUM_IN_LAUNCH
    const long tile = (index * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0);
    global float* slots = partials + offset_partials + tile * (split_k * TSM * TSN);
    c += offset_c + index * stride_c + j0 * ldc + i0;
    global float* to = slots + range * (TSM * TSN);
    const long ld_to = TSM;
    const float alpha_to = 1.0f, beta_to = 0.0f;
    const int pairs = 1;
#else
    global float* to = c + offset_c + index * stride_c + range * (stride_c / split_k) + j0 * ldc + i0;
    const long ld_to = ldc;
    const float alpha_to = alpha, beta_to = beta;
    const int pairs = whole_Y && whole_X && C_ALIGNED(2, to, ldc, stride_c / split_k);
#endif
    if (!holds)
        sgemm_strict_tile(own, strict_steps, from_X, rows_X, ldb, B_K_MAJOR, from_Y, rows_Y, lda, A_K_MAJOR, begin,
                          end, to, ld_to, alpha_to, beta_to);
    else {
        UNROLL for (int r = 0; r < 2; ++r) {
            const int j = column + r;
            global float* first = to + j * ld_to + row;
            if (pairs) {
                UNROLL for (int q = 0; q < TSM / 8; ++q)
                    STORE_C_WIDE(2, 1, first + 8 * q,
                                 (float2)(sums[4 * q + 2 * r], sums[4 * q + 2 * r + 1]), alpha_to, beta_to);
            } else if (j < rows_X) {
                UNROLL for (int e = 0; e < TSM / 4; ++e) {
                    const int i = 8 * (e >> 1) + (e & 1);
                    if (row + i < rows_Y)
                        STORE_C(first + i, sums[4 * (e >> 1) + 2 * r + (e & 1)], alpha_to, beta_to);
                }
            }
        }
    }
#if SUM_IN_LAUNCH
    if (sgemm_is_last(counters + tile, (uint)split_k, (local uint*)&unknown, own))
        sgemm_add_slots(own, slots, (int)split_k, rows_Y, rows_X, c, ldc,
                        C_ALIGNED(4, c, ldc, stride_c), alpha, beta);
#endif
}
