// SPDX-License-Identifier: Apache-2.0
//
// Packed, for CPUs: panels of A, packed by each work-group, multiplied by register tiles.
//
//   C(i, j) = alpha * sum over p of A(i, p) * B(p, j) + beta * C(i, j)
//
// Index map     with MR = VECTORS * WIDTH: the single work-item of a work-group computes PANELS_M
//               panels of MR rows, in register tiles of MR x NR. Lane l of vector u of column w of
//               a tile is C(i0 + u * WIDTH + l, j0 + w). Dimension 1 shares the columns as equally
//               as whole tiles allow.
// What is new   against the progression: no barriers. Vectors are CPU registers, which keep the
//               sums of a tile for a block of k. A step along k is VECTORS loads of A, NR
//               broadcasts of B and VECTORS * NR fmas. The tiles of the first columns pack the
//               panels of A (MC x KC) into local memory as they read A: all other tiles find them
//               in the L2 cache. Fewer than NR columns of C are computed one by one. Up to four
//               rows that would take another vector are dot products (few_rows.clh).
// Blocks of k   of equal length, in whole lines of 16 steps, at most DEPTH (KC) steps. From the
//               second block on, products are added to C.
// Order of sums ascending p, one accumulator per element and block; each k range of split-K
//               alone; few rows as dots.cl
// Defines       WIDTH           elements of a vector: 4, 8, 16
//               VECTORS, NR     register tile: MR = VECTORS * WIDTH rows, NR columns
//               PANELS_M        panels of A per work-group, MC / MR
//               DEPTH           KC, the longest block of k
//               PREFETCH        steps along k to prefetch A and an n-major B; 0 nothing, nor C
//               UNROLL_K        steps along k to unroll with a k-major B; divides 16
//               A_PACKED        1 packed; 0 A is read in place, the last panel is shifted inward
//               A_K_MAJOR, B_K_MAJOR    storage of A (0 unless A_PACKED) and B
// Constraints   16 divides DEPTH; m >= MR unless A_PACKED; k > 0; split_k >= 1, the k ranges of
//               split-K; more than one: alpha = 1, beta = 0, split_k divides stride_c
// Launch        ceil(m / (PANELS_M * MR)) x any number x (batch * split_k) work-groups of one
//               work-item
// Local memory  PANELS_M * MR * DEPTH * 4 bytes if A_PACKED. Private, on the stack of a thread:
//               16 * DEPTH + 4 * NR * MR bytes
// Credit        after GotoBLAS (Goto and van de Geijn, 2008) and BLIS

#if !defined(WIDTH) || !defined(VECTORS) || !defined(NR)
#error "WIDTH, VECTORS and NR must be defined: vector width, vectors and columns of a register tile"
#endif
#if !defined(PANELS_M) || !defined(DEPTH) || !defined(PREFETCH) || !defined(UNROLL_K)
#error "PANELS_M (panels of a work-group), DEPTH (steps of a block of k), PREFETCH and UNROLL_K must be defined"
#endif
#if !defined(A_PACKED) || !defined(A_K_MAJOR) || !defined(B_K_MAJOR)
#error "A_PACKED, A_K_MAJOR and B_K_MAJOR must be defined: 0 or 1"
#endif
#if DEPTH % 16 != 0 || 16 % UNROLL_K != 0
#error "DEPTH must be a multiple of 16, and UNROLL_K divide it"
#endif
#if A_K_MAJOR && !A_PACKED
#error "a k-major A must be packed: vectors run along m"
#endif

#include "packed/vectors.clh"
#include "packed/work_group.clh"
#include "packed/transpose_squares.clh"

#define MR (VECTORS * WIDTH)
#define B_PACKED 0

#if PREFETCH
#define ASK_FOR(p) PREFETCH_LINE(p)
#else
#define ASK_FOR(p) do {} while (0)
#endif
#define ASK_FOR_A(p) ASK_FOR(p)

#define B_SPACE global
#define STEP_B (B_K_MAJOR ? 1 : ldb)
#define COLUMN_B (B_K_MAJOR ? ldb : 1)
#define LINE_OF_B ldb

#include "packed/register_tile.clh"
#if A_PACKED
#include "packed/pack_panels.clh"
#endif
#if B_K_MAJOR
#include "packed/lanes.clh"
#include "packed/few_rows.clh"
#else
#define FEW_ROWS_OF(m, steps) 0
#endif

#define NUMBERS(N) GEMM_NUMBERS(N) N(long, split_k)
NUMBERS_STRUCT(NUMBERS);

// `panels`: room for PANELS_M panels of A, where it is packed.
COMPILED_ONCE void multiply_group(Numbers numbers, WorkGroup group, global const float* restrict a,
                                  global const float* restrict b, global float* restrict c,
                                  local float* restrict panels) {
    READ_NUMBERS(NUMBERS);
    const long batch = group.id[2] / split_k;
    const long range = group.id[2] % split_k;
    const long i_first = group.id[0] * PANELS_M;
    const long tile_n = n < NR ? 1 : NR;
    const long j_end = (n + tile_n - 1) / tile_n;
    const long j_first = SHARE_BEGIN(j_end, group.groups[1], group.id[1]);
    const long j_last = SHARE_BEGIN(j_end, group.groups[1], group.id[1] + 1);

    // The k range of this work-group. Lengths differ by one step at most.
    const long range_begin = SHARE_BEGIN(k, split_k, range);
    const long range_steps = SHARE_BEGIN(k, split_k, range + 1) - range_begin;
    a += offset_a + batch * stride_a;
    b += offset_b + batch * stride_b;
    c += offset_c + batch * stride_c + range * (stride_c / split_k);
#if !A_PACKED
    // Steps along k that are multiples of 4 KiB apart share a few sets of an x86's L1 cache: what
    // is prefetched further ahead is evicted before its use (ADR 10). Not so for a panel that few
    // tiles read: the first of these brings it from further away.
    const bool crowded = PREFETCH > 8 && lda % 1024 == 0 && n > 4 * NR;
    const long ahead = crowded ? 1 : PREFETCH;
#endif

    float sums_left[NR * MR] __attribute__((aligned(64)));
    for (long block = 0; block < BLOCKS_OF(range_steps); ++block) {
        const long done = BLOCK_BEGIN(range_steps, block);
        const long steps = BLOCK_BEGIN(range_steps, block + 1) - done;
        const long p0 = range_begin + done;
        const float block_beta = block > 0 ? 1.0f : beta;
        // Rows in panels, and the few after the last panel if that is this work-group's.
        const int few_rows = tile_n == NR ? FEW_ROWS_OF(m, steps) : 0;
        const long m_tiled = m - few_rows;
        const long i_last = min(i_first + PANELS_M, (m_tiled + MR - 1) / MR);
        const bool has_few = few_rows > 0 && m - i_first * MR <= PANELS_M * MR;
#if A_PACKED
        const long rows_here = min(i_last * MR, m_tiled) - i_first * MR;
        const long by_tiles = tile_n == NR ? ROWS_PACKED_BY_TILES(rows_here) : 0;
        if (i_first < i_last)
            pack_panels(panels, a + (A_K_MAJOR ? i_first * MR * lda + p0 : i_first * MR + p0 * lda), lda,
                        by_tiles, rows_here, tile_n == 1, steps);
#endif
#if B_K_MAJOR
        float few[MOST_FEW_ROWS * DEPTH] __attribute__((aligned(64)));
        if (has_few)
            gather_rows(few, a + (A_K_MAJOR ? m_tiled * lda + p0 : m_tiled + p0 * lda), lda, few_rows, steps);
#endif
        for (long j_panel = j_first; j_panel < j_last; ++j_panel) {
            // Columns that the tile has to store.
            const int columns = (int)min(tile_n, n - j_panel * tile_n);
            const long j0 = min(j_panel * tile_n, n - tile_n);
            global const float* b_tile = b + j0 * COLUMN_B + p0 * STEP_B;
            for (long i_panel = i_first; i_panel < i_last; ++i_panel) {
                const int rows = (int)min((long)MR, m_tiled - i_panel * MR);
                // The last tile that uses these columns of B prefetches the next ones.
                const bool next = i_panel == i_last - 1 && j_panel + 1 < j_last;
                const long next_j0 = min((j_panel + 1) * tile_n, n - tile_n);
                const long next_b = next ? (next_j0 - j0) * COLUMN_B : 0;
                // A tile that was shifted inward may store whole vectors, and with them again what
                // the tile before it has stored. Not what other work-groups store, nor what is
                // added to C.
                const bool again = block_beta == 0.0f;
                const bool all_columns = columns == tile_n || (again && j_panel > j_first);
                bool stored;
#if A_PACKED
#define A_FROM FROM_PANEL
#define MULTIPLY_TILE(from, vectors, width)                                                            \
    stored = multiply_tile(from, (vectors), (width), steps,                                            \
                           panels + (i_panel - i_first) * MR * steps, a + i_panel * MR + p0 * lda,     \
                           lda, from == INTO_PANEL ? AHEAD : PREFETCH, b_tile, ldb, next_b,            \
                           c + j0 * ldc + i_panel * MR, ldc,                                           \
                           all_columns && rows == (vectors) * WIDTH, sums_left, alpha, block_beta)
                if (!A_K_MAJOR && j_panel == j_first && (i_panel - i_first) * MR < by_tiles)
                    MULTIPLY_TILE(INTO_PANEL, VECTORS, NR);
                else
#else
#define A_FROM FROM_OPERAND
#define MULTIPLY_TILE(from, vectors, width)                                                            \
    do {                                                                                               \
        const long i0 = min(i_panel * MR, m_tiled - (vectors) * WIDTH);                                \
        const bool all_rows = rows == (vectors) * WIDTH || (again && i_panel > i_first);               \
        stored = multiply_tile(from, (vectors), (width), steps, panels, a + i0 + p0 * lda, lda, ahead, \
                               b_tile, ldb, next_b, c + j0 * ldc + i0, ldc, all_columns && all_rows,   \
                               sums_left, alpha, block_beta);                                          \
    } while (0)
#endif
                if (NR > 1 && tile_n == 1)
                    MULTIPLY_TILE(A_FROM, VECTORS, 1);
                else
                    MULTIPLY_ROWS(A_FROM, rows, NR);
                if (!stored)
                    store_sums(sums_left, c + (j0 + tile_n - columns) * ldc + i_panel * MR, ldc, rows,
                               (int)tile_n, columns, alpha, block_beta);
            }
#if B_K_MAJOR
            if (has_few)
                multiply_few_rows(few_rows, steps, few, b_tile, ldb, c + j0 * ldc + m_tiled, ldc, columns,
                                  alpha, block_beta);
#endif
        }
    }
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
sgemm_packed(Numbers numbers, global const float* restrict a, global const float* restrict b,
             global float* restrict c) {
#if A_PACKED
    local float panels[PANELS_M * MR * DEPTH] __attribute__((aligned(64)));
#else
    local float* const panels = 0;
#endif
    multiply_group(numbers, THIS_WORK_GROUP, a, b, c, panels);
}
