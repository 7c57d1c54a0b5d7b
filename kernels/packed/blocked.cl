// SPDX-License-Identifier: Apache-2.0
//
// Blocked, for CPUs: blocks of A and B, both packed, multiplied by register tiles.
//
//   C(i, j) = alpha * sum over p of A(i, p) * B(p, j) + beta * C(i, j)
//
// Index map     with MR = VECTORS * WIDTH: dimension 0 shares the panels of MR rows of C, dimension
//               1 its panels of NR columns, as equally as whole panels allow. Lane l of vector u of
//               column w of a register tile is C(i0 + u * WIDTH + l, j0 + w).
// What is new   against packed: B is packed too, PANELS_N panels at a time, with the NR elements of
//               a step along k side by side. For large products, and for B stored along n. A panel
//               of A (MR x KC) is to stay in the L1 cache, the block of B and all panels of A in
//               the L2 cache. Each element of B comes from memory once for all rows of the
//               work-group. An m-major A is packed by the first tile that reads a panel, for each
//               block of k. Its rows after the last whole panel, and a k-major A, are packed
//               before.
// Blocks of k   of equal length, in whole lines of 16 steps, at most DEPTH (KC) steps. From the
//               second block on, products are added to C.
// Edges         panels are filled with zeros, those of A up to whole vectors
// Order of sums ascending p, one accumulator per element and block; each k range of split-K alone
// Defines       WIDTH           elements of a vector: 4, 8, 16
//               VECTORS, NR     register tile: MR = VECTORS * WIDTH rows, NR columns
//               PANELS_M, _N    panels of A (MC / MR) and of B (NC / NR) in local memory
//               DEPTH           KC, the longest block of k
//               PREFETCH        steps along k to prefetch a packed A; 0 none. 8 while packing
//               UNROLL_K        steps along k to unroll; divides 16
//               A_K_MAJOR, B_K_MAJOR    storage of A and B, 0 or 1
// Constraints   NR <= 16; 16 divides DEPTH; k > 0; split_k >= 1, the k ranges of split-K; more than
//               one: alpha = 1, beta = 0, split_k divides stride_c
// Launch        at least ceil(m / (PANELS_M * MR)) x any number x (batch * split_k) work-groups of
//               one work-item
// Local memory  (PANELS_M * MR * DEPTH + PANELS_N * (NR * DEPTH + 16)) * 4 bytes
// Credit        order of loops after GotoBLAS (Goto and van de Geijn, 2008) and BLIS

#if !defined(WIDTH) || !defined(VECTORS) || !defined(NR)
#error "WIDTH, VECTORS and NR must be defined: vector width, vectors and columns of a register tile"
#endif
#if !defined(PANELS_M) || !defined(PANELS_N) || !defined(DEPTH) || !defined(PREFETCH) || !defined(UNROLL_K)
#error "PANELS_M and PANELS_N (panels of A and B), DEPTH (steps of a block of k), PREFETCH and UNROLL_K must be defined"
#endif
#if !defined(A_K_MAJOR) || !defined(B_K_MAJOR)
#error "A_K_MAJOR and B_K_MAJOR must be defined: 0 or 1"
#endif
#if DEPTH % 16 != 0 || 16 % UNROLL_K != 0
#error "DEPTH must be a multiple of 16, and UNROLL_K divide it"
#endif
#if NR > 16
#error "NR must be at most 16: a step of a panel of B is stored as one vector"
#endif

#include "packed/vectors.clh"
#include "packed/work_group.clh"
#include "packed/transpose_squares.clh"

#define MR (VECTORS * WIDTH)
#define A_PACKED 1
#define B_PACKED 1
#define B_SPACE local
#define STEP_B NR
#define COLUMN_B 1
#define LINE_OF_B LINE
#define ASK_FOR(p) PREFETCH_LINE(p)
#if PREFETCH
#define ASK_FOR_A(p) PREFETCH_LINE(p)
#else
#define ASK_FOR_A(p) do {} while (0)
#endif

#include "packed/register_tile.clh"
#include "packed/pack_panels.clh"

// Elements of the vector that holds a step of a panel of B. The next step overwrites those past NR.
#if NR <= 4
#define STEP_WIDTH 4
#elif NR <= 8
#define STEP_WIDTH 8
#else
#define STEP_WIDTH 16
#endif
#define LOAD_STEP(p) LOAD_ANYWHERE(global, STEP_WIDTH, p)
#define STORE_STEP(p, step) STORE_ANYWHERE(local, STEP_WIDTH, p, step)

// Elements from one panel of B to the next. LINE more, since the vector of the last step may end
// past the panel, and to spread panels over cache sets.
#define PANEL_B (NR * DEPTH + LINE)

// Packs `columns` columns of `steps` steps along k: element (p, q * NR + w) goes to panels[q *
// PANEL_B + p * NR + w]. Columns past the last are zeros. `room` columns of B may be read.
#if B_K_MAJOR
static inline void pack_columns(local float* panels, global const float* b, long ldb, long columns,
                                long room, long steps) {
    for (long j = 0; j < columns; j += NR, b += NR * ldb, panels += PANEL_B) {
        const long here = min((long)NR, columns - j);
        long p = 0;
        for (; p + STEP_WIDTH <= steps; p += STEP_WIDTH) {
            FLOATX(STEP_WIDTH) x[STEP_WIDTH];
            EACH_OF(STEP_WIDTH, w) {
                x[w] = w < NR && w < here ? LOAD_STEP(b + w * ldb + p) : (FLOATX(STEP_WIDTH))(0.0f);
                if (w < NR && p % LINE == 0)
                    ASK_FOR(b + (NR + w) * ldb + p); // of the next panel
            }
            TURN_SQUARE_OF(STEP_WIDTH, x);
            EACH_OF(STEP_WIDTH, q) STORE_STEP(panels + (p + q) * NR, x[q]);
        }
        for (; p < steps; ++p)
            for (int w = 0; w < NR; ++w)
                panels[p * NR + w] = w < here ? b[w * ldb + p] : 0.0f;
    }
}
#else
static inline void pack_columns(local float* panels, global const float* b, long ldb, long columns,
                                long room, long steps) {
    const long by_vectors = min(columns, room - STEP_WIDTH + 1);
    for (long p = 0; p < steps; ++p, b += ldb) {
        local float* to = panels + p * NR;
        long j = 0;
        for (; j < by_vectors; j += NR, to += PANEL_B)
            STORE_STEP(to, LOAD_STEP(b + j));
        for (; j < columns; j += NR, to += PANEL_B)
            for (int w = 0; w < NR; ++w)
                to[w] = j + w < columns ? b[j + w] : 0.0f;
        for (j = 0; j < columns; j += LINE)
            ASK_FOR(b + AHEAD * ldb + j);
    }
}
#endif

#define NUMBERS(N) GEMM_NUMBERS(N) N(long, split_k)
NUMBERS_STRUCT(NUMBERS);

// `a_panels`: room for PANELS_M panels of A, `b_panels` for PANELS_N of B.
COMPILED_ONCE void multiply_group(Numbers numbers, WorkGroup group, global const float* restrict a,
                                  global const float* restrict b, global float* restrict c,
                                  local float* restrict a_panels, local float* restrict b_panels) {
    READ_NUMBERS(NUMBERS);
    const long batch = group.id[2] / split_k;
    const long range = group.id[2] % split_k;
    const long panels_m = (m + MR - 1) / MR;
    const long panels_n = (n + NR - 1) / NR;
    const long i_first = SHARE_BEGIN(panels_m, group.groups[0], group.id[0]);
    const long i_last = SHARE_BEGIN(panels_m, group.groups[0], group.id[0] + 1);
    const long i0 = i_first * MR;
    const long j_first = SHARE_BEGIN(panels_n, group.groups[1], group.id[1]);
    const long j_last = SHARE_BEGIN(panels_n, group.groups[1], group.id[1] + 1);

    // The k range of this work-group. Lengths differ by one step at most.
    const long range_begin = SHARE_BEGIN(k, split_k, range);
    const long range_steps = SHARE_BEGIN(k, split_k, range + 1) - range_begin;
    a += offset_a + batch * stride_a;
    b += offset_b + batch * stride_b;
    c += offset_c + batch * stride_c + range * (stride_c / split_k);
    float sums_left[NR * MR] __attribute__((aligned(64)));
    for (long block = 0; block < BLOCKS_OF(range_steps); ++block) {
        const long done = BLOCK_BEGIN(range_steps, block);
        const long steps = BLOCK_BEGIN(range_steps, block + 1) - done;
        const long p0 = range_begin + done;
        const float block_beta = block > 0 ? 1.0f : beta;
        const long rows_here = min(i_last * MR, m) - i0;
        const long by_tiles = ROWS_PACKED_BY_TILES(rows_here);
        pack_panels(a_panels, a + (A_K_MAJOR ? i0 * lda + p0 : i0 + p0 * lda), lda, by_tiles,
                    rows_here, false, steps);
        for (long j_block = j_first; j_block < j_last; j_block += PANELS_N) {
            const long j_end = min(j_block + PANELS_N, j_last);
            const long j0 = j_block * NR;
            pack_columns(b_panels, b + (B_K_MAJOR ? j0 * ldb + p0 : j0 + p0 * ldb), ldb,
                         min(j_end * NR, n) - j0, n - j0, steps);
            for (long i = i_first; i < i_last; ++i) {
                const int rows = (int)min((long)MR, m - i * MR);
                for (long j = j_block; j < j_end; ++j) {
                    const int columns = (int)min((long)NR, n - j * NR);
                    const long next_b = (j + 1 < j_end ? 1 : j_block - j) * PANEL_B;
                    global float* c_tile = c + j * NR * ldc + i * MR;
                    bool stored;
#define MULTIPLY_TILE(from, vectors, width)                                                            \
    stored = multiply_tile(from, (vectors), (width), steps, a_panels + (i - i_first) * MR * steps,     \
                           a + i * MR + p0 * lda, lda, from == INTO_PANEL ? AHEAD : PREFETCH,          \
                           b_panels + (j - j_block) * PANEL_B, NR, next_b, c_tile, ldc,                \
                           rows == (vectors) * WIDTH && columns == (width), sums_left, alpha, block_beta)
                    if (!A_K_MAJOR && j == j_first && (i - i_first) * MR < by_tiles)
                        MULTIPLY_TILE(INTO_PANEL, VECTORS, NR);
                    else
                        MULTIPLY_ROWS(FROM_PANEL, rows, NR);
                    if (!stored)
                        store_sums(sums_left, c_tile, ldc, rows, NR, columns, alpha, block_beta);
                }
            }
        }
    }
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
sgemm_blocked(Numbers numbers, global const float* restrict a, global const float* restrict b,
              global float* restrict c) {
    local float a_panels[PANELS_M * MR * DEPTH] __attribute__((aligned(64)));
    local float b_panels[PANELS_N * PANEL_B] __attribute__((aligned(64)));
    multiply_group(numbers, THIS_WORK_GROUP, a, b, c, a_panels, b_panels);
}
