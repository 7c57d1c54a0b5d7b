// SPDX-License-Identifier: Apache-2.0
//
// Ring: register tiles over a multistage pipeline, a ring of stages in local memory that
// asynchronous copies keep full, for NVIDIA devices.
//
//   C(i, j) = alpha * sum over p of A(i, p) * B(p, j) + beta * C(i, j)
//
// Index map     a warp computes a block of (LANES_M * WPTM) x (LANES_N * WPTN) of C; warps lie
//               along m, then n. A lane has the rows lane_m * 4 + u * 4 * LANES_M + e and the
//               columns lane_n * 4 + v * 4 * LANES_N + e of the block, e < 4. Lanes are numbered so
//               that each quarter of a warp reads 4 x 2 different vectors: 16-byte loads meet no
//               bank conflict.
// What is new   against tiled.cl: step q lies in stage q % STAGES, copied AHEAD steps before it is
//               used. A stage is reused when all warps have read it, after a barrier (COPY 0, 1) or
//               when its mbarrier says so (2, 3). Vectors of the next p are loaded among the
//               products of this one. A k-major operand is transposed by its copies, 8 steps of p
//               of 4 rows per warp, which 4 unused elements per row spread over all banks. Split-K
//               may be fused (parts.clh).
// Order of sums the incomplete step of a k range first, then ascending in k
// Defines       TSM, TSN, TSK       work-group tile along m and n, step along k
//               WPTM, WPTN          register tile
//               LANES_M             lanes of a warp along m: 4, 8
//               STAGES, COPY        stages of the ring; 0 to 3 (copies.clh)
//               LOAD_A, LOAD_B      elements per copy: 1, 2, 4
//               ORDER               bit 0: products run along n, not m; bit 1: last vector first
//               RASTER, SPLIT_K     as tiled.cl
//               EDGES, EXTEND_M, _N as tiled.cl
//               SUM_IN_LAUNCH       1 fused reduction; needs SPLIT_K > 1, EDGES < 3
//               A_K_MAJOR, B_K_MAJOR    storage of A and B, 0 or 1
// Constraints   4 divides WPTM and WPTN, LANES_M * WPTM divides TSM, LANES_N * WPTN divides TSN, 8
//               divides TSK <= 32; STAGES >= 2, or 3 with COPY 2, 3; EXTEND_M * EXTEND_N <=
//               work-items; lda, ldb < 2^30; k > 0 and the rest as tiled.cl; fused: any alpha and
//               beta, offset_partials a multiple of 4, tile t has counter t and slots from
//               offset_partials + t * SPLIT_K * TSM * TSN on
// Launch        ceil(m / TSM) x ceil(n / TSN) x (batch * SPLIT_K) work-groups of TSM / WPTM * TSN /
//               WPTN items; EDGES = 3: floor instead of ceil
// Local memory  STAGES * TSK * (TSM + TSN + 8 + EXTEND_M + EXTEND_N) * 4 bytes at most, and 16 *
//               STAGES + 16 for mbarriers and the fused reduction

#if !defined(TSM) || !defined(TSN) || !defined(TSK) || !defined(WPTM) || !defined(WPTN)
#error "TSM, TSN, TSK, WPTM and WPTN must be defined: tile extents, rows and columns per work-item"
#endif
#if !defined(LANES_M) || !defined(STAGES) || !defined(COPY)
#error "LANES_M, STAGES and COPY (0 to 3) must be defined: layout of a warp, the ring"
#endif
#if !defined(LOAD_A) || !defined(LOAD_B) || !defined(RASTER) || !defined(ORDER)
#error "LOAD_A, LOAD_B (elements per copy), RASTER and ORDER must be defined"
#endif
#if !defined(EDGES) || !defined(SPLIT_K) || !defined(A_K_MAJOR) || !defined(B_K_MAJOR)
#error "EDGES (0 to 3), SPLIT_K, A_K_MAJOR and B_K_MAJOR (0 or 1) must be defined"
#endif
#if !defined(SUM_IN_LAUNCH) || (SUM_IN_LAUNCH && (SPLIT_K == 1 || EDGES == 3))
#error "SUM_IN_LAUNCH (0 or 1) must be defined, and 0 where k is not split or tiles are extended"
#endif
#if !defined(EXTEND_M) || !defined(EXTEND_N)
#error "EXTEND_M and EXTEND_N must be defined: rows and columns that extended tiles take"
#endif
#if EXTEND_M + EXTEND_N > 0 && EDGES != 3
#error "extended tiles need EDGES = 3"
#endif
#if STAGES < 2 + (COPY >= 2)
#error "STAGES must be at least 2, and 3 where COPY >= 2"
#endif

#include "nvidia/copies.clh"
#define GUARDS (EDGES == 1)
#include "nvidia/tiles.clh"
#include "nvidia/products.clh"
#define STAGING ring_at
// After this nobody reads the ring or waits for its mbarriers.
#define STAGING_BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#if SUM_IN_LAUNCH
#define MATH_BARRIER barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#include "last_group.clh"
#include "nvidia/parts.clh"
#endif

#define ITEMS (32 * WARPS)
#if WARPS * STAGING_BYTES > 4 * STAGES * TSK * (TSM + TSN)
#error "the ring has no room for the staging buffers"
#endif
#define COPIERS ITEMS // each copies

#define AT_EXTRA_A TILE_BYTES // extra rows of an extended tile, [p][extra row]
#define AT_EXTRA_B (AT_EXTRA_A + 4 * TSK * EXTEND_M)
#define STAGE (AT_EXTRA_B + 4 * TSK * EXTEND_N) // bytes
#define STRIDE (STAGE + (COPY >= 2 ? 16 : 0))   // a stage is followed by its mbarriers

#include "nvidia/fill.clh"

// Extended tiles: one work-item sums the products of a row or column of the tile and all extra ones
// of the other operand.
#define SHARE(X) ((EXTENT_##X + 32 * WARPS - 1) / (32 * WARPS))
#define MULTIPLY_EXTRA(X, Y, stage, sums)                                                              \
    _Pragma("unroll") for (int l_ = 0; l_ < SHARE(X); ++l_) {                                          \
        const uint mn_ = item + l_ * 32 * WARPS;                                                       \
        if (EXTENT_##X % (32 * WARPS) == 0 || mn_ < EXTENT_##X)                                        \
            _Pragma("unroll 4") for (uint p_ = 0; p_ < TSK; ++p_) {                                    \
                float value_;                                                                          \
                LOAD_LOCAL_1(value_, (stage) + AT_##X + p_ * ROW_BYTES(X) + 4 * mn_);                  \
                _Pragma("unroll") for (uint e_ = 0; e_ < EXTRA_##Y; ++e_) {                            \
                    float beyond_;                                                                     \
                    LOAD_LOCAL_1(beyond_, (stage) + AT_EXTRA_##Y + 4 * (p_ * EXTRA_##Y + e_));         \
                    MULTIPLY_ADD(sums[l_][e_], value_, beyond_);                                       \
                }                                                                                      \
            }                                                                                          \
    }
#define CLEAR(shares, extras, sums)                                                                    \
    _Pragma("unroll") for (int l_ = 0; l_ < (shares); ++l_)                                            \
        _Pragma("unroll") for (int e_ = 0; e_ < (extras); ++e_) sums[l_][e_] = 0.0f

// How many steps before its use a step is copied. One less with mbarriers, so that a warp that is a
// step late does not stop the others.
#define AHEAD (STAGES - 1 - (COPY >= 2))

#if SUM_IN_LAUNCH
#define NUMBERS(N) GEMM_NUMBERS(N) N(long, offset_partials)
#else
#define NUMBERS(N) GEMM_NUMBERS(N)
#endif
NUMBERS_STRUCT(NUMBERS);

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
sgemm_ring(Numbers numbers, global const float* restrict a, global const float* restrict b, global float* c
#if SUM_IN_LAUNCH
                  , global float* partials, global uint* counters
#endif
                  ) {
    READ_NUMBERS(NUMBERS);
    local float ring[STAGES * STRIDE / 4 + 4 * SUM_IN_LAUNCH] __attribute__((aligned(128)));
    const uint ring_at = ADDRESS(ring);
    const uint item = (uint)get_local_id(0);
    const uint lane = item % 32;
    const uint warp = UNIFORM(item / 32);
#if COPY >= 2
    if (item == 0) {
        const uint arrivals = (ANY_SHARED ? COPIERS : 0) + (ANY_BULK ? 1 : 0);
        for (uint s = 0; s < STAGES; ++s) {
            sgemm_init_barrier(FULL(ring_at + s * STRIDE), arrivals);
            sgemm_init_barrier(EMPTY(ring_at + s * STRIDE), WARPS);
        }
        sgemm_publish_barriers();
    }
    barrier(CLK_LOCAL_MEM_FENCE); // the mbarriers are there
#endif

    uint gx = (uint)get_group_id(0);
    uint gy = (uint)get_group_id(1);
#if RASTER > 1
    {
        const uint groups_m = (uint)get_num_groups(0);
        const uint linear = gy * groups_m + gx;
        const uint band = linear / (RASTER * groups_m);
        const uint in_band = linear % (RASTER * groups_m);
        // The last band may be narrower.
        const uint width = min((uint)RASTER, (uint)get_num_groups(1) - band * RASTER);
        gx = in_band / width;
        gy = band * RASTER + in_band % width;
    }
#endif

    // The tile of C, and the part of it that this work-group stores, relative to (i0, j0). A
    // shifted tile stays where copies are aligned.
    const long own_i = (long)gx * TSM;
    const long own_j = (long)gy * TSN;
    const long end_i = K_MAJOR_A ? m : LAST(m + LOAD_A, LOAD_A);
    const long end_j = K_MAJOR_B ? n : LAST(n + LOAD_B, LOAD_B);
    const long i0 = EDGES == 2 ? min(own_i, end_i - TSM) : own_i;
    const long j0 = EDGES == 2 ? min(own_j, end_j - TSN) : own_j;
    const int first_row = (int)(own_i - i0);
    const int first_column = (int)(own_j - j0);
    const bool inside = (EDGES == 0) | (EDGES == 3); // `||` of constants earns a warning
    const int rows = inside ? TSM : (int)min((long)TSM, m - i0);
    const int columns = inside ? TSN : (int)min((long)TSN, n - j0);

    // The k range of this work-group: `steps` steps of TSK from `begin` on. The last one has only
    // `depth` unless that is zero.
    const long all_steps = EDGES == 0 ? k / TSK : (k + (TSK - 1)) / TSK;
#if SPLIT_K > 1
    const long batch = (long)get_group_id(2) / SPLIT_K;
    const long range = (long)get_group_id(2) % SPLIT_K;
    const long my_steps = all_steps / SPLIT_K + (range < all_steps % SPLIT_K);
    const long begin = (all_steps / SPLIT_K * range + min(range, all_steps % SPLIT_K)) * TSK;
#if SUM_IN_LAUNCH
    const long range_stride_c = stride_c;
#else
    const long range_stride_c = stride_c / SPLIT_K;
    c += range * range_stride_c;
#endif
#else
    const long batch = (long)get_group_id(2);
    const long my_steps = all_steps;
    const long begin = 0;
    const long range_stride_c = stride_c;
#endif
    const uint steps = (uint)my_steps;
    const uint depth = EDGES != 0 && steps > 0 && begin + my_steps * TSK > k ? (uint)(k % TSK) : 0;
    a += offset_a + batch * stride_a + AT(A, i0, 0, lda);
    b += offset_b + batch * stride_b + AT(B, j0, 0, ldb);
    c += offset_c + batch * stride_c + j0 * ldc + i0;

    const uint lda_bytes = 4 * (uint)lda;
    const uint ldb_bytes = 4 * (uint)ldb;
    // Where the copies of the next step begin: this work-item's first copy, or the first row.
    const uint copier = item;
#define FIRST_COPY(X, left, ld)                                                                        \
    (IS_BULK(X) ? 0ul : (ulong)FIRST_X(X, left) * (ulong)(ld) + FIRST_Y(X, left))
    a += AT(A, 0, begin, lda);
    b += AT(B, 0, begin, ldb);
    // Extra rows and columns of this work-group, where their elements begin, and this work-item's
    // share of their sums.
#if EXTEND_M > 0
    const int extra_rows = (long)(gx + 2) * TSM > m ? (int)(m - i0) - TSM : 0;
    global const char* a_extra_from = (global const char*)(a + AT(A, TSM, 0, lda));
    float row_sums[SHARE(B)][EXTEND_M];
    CLEAR(SHARE(B), EXTEND_M, row_sums);
#define FILL_EXTRA_A(stage, depth)                                                                     \
    if (extra_rows > 0)                                                                                \
    FILL_EXTRA(A, stage, a_extra_from, extra_rows, lda_bytes, depth)
#define MOVE_EXTRA_A(sign, steps_of_p)                                                                 \
    a_extra_from = a_extra_from sign AT(A, 0, steps_of_p, (ulong)lda_bytes / 4) * 4
#define MULTIPLY_ROWS(stage)                                                                           \
    if (extra_rows > 0)                                                                                \
    MULTIPLY_EXTRA(B, A, stage, row_sums)
#else
#define FILL_EXTRA_A(stage, depth)
#define MOVE_EXTRA_A(sign, steps_of_p)
#define MULTIPLY_ROWS(stage)
#endif
#if EXTEND_N > 0
    const int extra_columns = (long)(gy + 2) * TSN > n ? (int)(n - j0) - TSN : 0;
    global const char* b_extra_from = (global const char*)(b + AT(B, TSN, 0, ldb));
    float column_sums[SHARE(A)][EXTEND_N];
    CLEAR(SHARE(A), EXTEND_N, column_sums);
#define FILL_EXTRA_B(stage, depth)                                                                     \
    if (extra_columns > 0)                                                                             \
    FILL_EXTRA(B, stage, b_extra_from, extra_columns, ldb_bytes, depth)
#define MOVE_EXTRA_B(sign, steps_of_p)                                                                 \
    b_extra_from = b_extra_from sign AT(B, 0, steps_of_p, (ulong)ldb_bytes / 4) * 4
#define MULTIPLY_COLUMNS(stage)                                                                        \
    if (extra_columns > 0)                                                                             \
    MULTIPLY_EXTRA(A, B, stage, column_sums)
#else
#define FILL_EXTRA_B(stage, depth)
#define MOVE_EXTRA_B(sign, steps_of_p)
#define MULTIPLY_COLUMNS(stage)
#endif
#if EXTEND_M > 0 && EXTEND_N > 0
    const int corner_row = (int)item % EXTEND_M;
    const int corner_column = (int)item / EXTEND_M;
    const bool has_corner = corner_row < extra_rows && corner_column < extra_columns;
    float corner_sum = 0.0f;
#define MULTIPLY_CORNER(stage)                                                                         \
    if (has_corner)                                                                                    \
        for (uint p_ = 0; p_ < TSK; ++p_) {                                                            \
            float row_value_, column_value_;                                                           \
            LOAD_LOCAL_1(row_value_, (stage) + AT_EXTRA_A + 4 * (p_ * EXTEND_M + corner_row));         \
            LOAD_LOCAL_1(column_value_, (stage) + AT_EXTRA_B + 4 * (p_ * EXTEND_N + corner_column));   \
            MULTIPLY_ADD(corner_sum, row_value_, column_value_);                                       \
        }
#else
#define MULTIPLY_CORNER(stage)
#endif
#define MULTIPLY_EXTRAS(stage)                                                                         \
    do {                                                                                               \
        MULTIPLY_ROWS(stage)                                                                           \
        MULTIPLY_COLUMNS(stage)                                                                        \
        MULTIPLY_CORNER(stage)                                                                         \
    } while (0)
    a += FIRST_COPY(A, rows, lda);
    b += FIRST_COPY(B, columns, ldb);
    global const char* a_from = (global const char*)a;
    global const char* b_from = (global const char*)b;

    LANE_PLACE;
    float a_values[2][WPTM];
    float b_values[2][WPTN];
    float sums[WPTN][WPTM];
    CLEAR_SUMS;

    // Fills AHEAD stages: with the incomplete step, then with the first of the others.
#if ANY_BULK
    if (depth > 0) {
#if IS_BULK(A)
        CLEAR_BULK(A, ring_at, depth);
#endif
#if IS_BULK(B)
        CLEAR_BULK(B, ring_at, depth);
#endif
        sgemm_publish_stores();
        barrier(CLK_LOCAL_MEM_FENCE); // the missing rows are cleared
    }
#endif
    for (uint s = 0; s < AHEAD; ++s) {
        if (depth > 0 && s == 0) {
            const long position = (long)(steps - 1) * TSK;
            MOVE(+, position);
            FILL(true, ring_at, 0, depth, FULL(ring_at));
            MOVE(-, position);
        } else if (s < steps) {
            FILL_NEXT(ring_at + s * STRIDE, s, FULL(ring_at + s * STRIDE));
        }
        COMMIT_COPIES;
    }

    // The stage to fill next, how many were filled before, and the parity of the phase of EMPTY
    // that frees it. Of a new mbarrier, the phase of parity 1 is complete.
    uint fill_stage = ring_at + AHEAD * STRIDE;
#if COPY >= 2
    uint fill_turn = AHEAD;
    uint fill_parity = 1;
#define ADVANCE_FILL                                                                                   \
    do {                                                                                               \
        fill_parity ^= fill_stage == LAST_STAGE;                                                       \
        fill_stage = NEXT_STAGE(fill_stage);                                                           \
        ++fill_turn;                                                                                   \
    } while (0)
#else
#define ADVANCE_FILL fill_stage = NEXT_STAGE(fill_stage)
#endif
#if COPY >= 2
    // Only warps that copy wait until the stage is free.
#define FILL_AHEAD                                                                                     \
    if (left > AHEAD) {                                                                                \
        if (ANY_SHARED || IS_LEADER(fill_turn))                                                        \
            sgemm_wait(EMPTY(fill_stage), fill_parity);                                                \
        FILL_NEXT(fill_stage, fill_turn, FULL(fill_stage));                                            \
    }                                                                                                  \
    ADVANCE_FILL
#else
#define FILL_AHEAD                                                                                     \
    if (left > AHEAD)                                                                                  \
        FILL_NEXT(fill_stage, 0, 0);                                                                   \
    COMMIT_COPIES;                                                                                     \
    ADVANCE_FILL
#endif

    uint stage = ring_at; // to multiply
#if COPY >= 2
    uint parity = 0;
#define AWAIT_NEXT                                                                                     \
    if (left > 1)                                                                                      \
    sgemm_wait(FULL(next_stage), parity)
#define RELEASE sgemm_arrive_once(EMPTY(stage), lane)
    if (steps > 0)
        sgemm_wait(FULL(ring_at), 0);
#else
#define AWAIT_NEXT                                                                                     \
    WAIT_FOR_COPIES(STAGES - 2);                                                                       \
    barrier(CLK_LOCAL_MEM_FENCE) /* the next step is there, and all have read this one */
#define RELEASE
    WAIT_FOR_COPIES(STAGES - 2);
    barrier(CLK_LOCAL_MEM_FENCE); // the first step is there
#endif
    if (steps > 0) {
#pragma unroll
        for (int q = 0; q < VPTM + VPTN; ++q)
            LOAD_VECTOR(0, q, 0, stage);
    }
#if COPY >= 2
#define TURN_PARITY parity ^= stage == LAST_STAGE
#else
#define TURN_PARITY
#endif
// All steps. `extra`, a constant: with the extra rows and columns of extended tiles. Steps of p go
// in pairs, so that the set of vectors is a constant even where a compiler does not unroll. The
// first products of step 0 and of the last step stand before the branches around copies, extras and
// the wait.
#define MULTIPLY_ALL(extra)                                                                            \
    for (uint left = steps; left > 0; --left) {                                                        \
        MULTIPLY_FIRST(0);                                                                             \
        FILL_AHEAD;                                                                                    \
        _Pragma("unroll") for (int p = 0; p < TSK - 2; p += 2) {                                       \
            MULTIPLY_REST(0, p + 1, stage, , p == 0);                                                  \
            MULTIPLY_STEP(1, p + 2, stage, );                                                          \
        }                                                                                              \
        MULTIPLY_STEP(0, TSK - 1, stage, );                                                            \
        MULTIPLY_FIRST(1);                                                                             \
        if (extra)                                                                                     \
            MULTIPLY_EXTRAS(stage);                                                                    \
        const uint next_stage = NEXT_STAGE(stage);                                                     \
        TURN_PARITY;                                                                                   \
        AWAIT_NEXT;                                                                                    \
        MULTIPLY_REST(1, 0, next_stage, RELEASE, true);                                                \
        stage = next_stage;                                                                            \
    }
#if EXTEND_M > 0 || EXTEND_N > 0
    if (gx + 1 == get_num_groups(0) || gy + 1 == get_num_groups(1)) {
        MULTIPLY_ALL(true)
    } else
#endif
    {
        MULTIPLY_ALL(false)
    }

    PLACE_SUMS(m < 0)
#if SUM_IN_LAUNCH
    {
        const ulong tile = ((ulong)batch * get_num_groups(1) + gy) * get_num_groups(0) + gx;
        global float* slots = partials + offset_partials + tile * (SPLIT_K * SLOT);
        LEAVE_SUMS(slots + range * SLOT);
        if (!sgemm_is_last(counters + tile, SPLIT_K, (local uint*)ring + STAGES * STRIDE / 4, item))
            return;
        ADD_PARTS(SPLIT_K, slots + p_ * SLOT);
    }
#endif
    STORE_TILE(c, ldc, range_stride_c, alpha, beta)

#if EXTEND_N > 0
#pragma unroll
    for (int l = 0; l < SHARE(A); ++l) {
        const int i = (int)item + l * 32 * WARPS;
#pragma unroll
        for (int e = 0; e < EXTEND_N; ++e)
            if (e < extra_columns && i < TSM)
                STORE_C(c + (TSN + e) * ldc + i, column_sums[l][e], alpha, beta);
    }
#endif
#if EXTEND_M > 0
#pragma unroll
    for (int l = 0; l < SHARE(B); ++l) {
        const int j = (int)item + l * 32 * WARPS;
#pragma unroll
        for (int e = 0; e < EXTEND_M; ++e)
            if (e < extra_rows && j < TSN)
                STORE_C(c + j * ldc + TSM + e, row_sums[l][e], alpha, beta);
    }
#endif
#if EXTEND_M > 0 && EXTEND_N > 0
    if (has_corner)
        STORE_C(c + (TSN + corner_column) * ldc + TSM + corner_row, corner_sum, alpha, beta);
#endif
}
