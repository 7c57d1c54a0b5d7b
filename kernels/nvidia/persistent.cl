// SPDX-License-Identifier: Apache-2.0
//
// Persistent: persistent work-groups with stream-K, four warps that copy and others that multiply,
// for compute capability 9.0.
//
//   C(i, j) = alpha * sum over p of A(i, p) * B(p, j) + beta * C(i, j)
//
// Index map     of a tile, a warp and a lane: as ring.cl. The tiles of C and of the batch form one
//               list, which work-groups share as tile_list.clh says.
// What is new   against ring.cl: warp specialization. Producers give registers to the warps that
//               multiply (setmaxnreg), which then hold two sets of vectors beside 128 sums.
//               Producers run ahead into the next tile while this one is stored. Stream-K
//               distributes the steps along k of the last tiles evenly: there is no last wave, and
//               few tiles occupy all compute units. A work-group stores its sums of a part of a
//               tile's k in `partials`; gather.cl adds them.
// Order of sums ascending in k; partial sums as gather.cl, the fringe as fringe.clh
// Defines       TSM, TSN, TSK       work-group tile along m and n, step along k
//               WPTM, WPTN          register tile
//               LANES_M             lanes of a warp along m: 4, 8
//               STAGES              stages of the multistage pipeline
//               COPY                0 without producers, 3 (copies.clh)
//               MATH_REGISTERS      registers of a work-item that multiplies
//               LOAD_A, LOAD_B      elements per copy: 1, 2, 4
//               RASTER, ORDER       as ring.cl
//               EDGES               0 whole, 1 guarded (both as tiled.cl), 3 fringe (fringe.clh)
//               EXTEND_M, _N        most rows and columns of the fringe; 0 unless EDGES = 3
//               A_K_MAJOR, B_K_MAJOR    storage of A and B, 0 or 1
// Constraints   of ring.cl; lda, ldb < 2^22; COPY = 3: 8 warps multiply, 168 <= MATH_REGISTERS <=
//               240, 8 divides it; EDGES = 3: fringe_from < work-groups, sizes as kernels/README.md
//               says; whole + ceil(units / units of a tile) is the number of tiles; reciprocal =
//               ceil(2^32 / units of a tile), units times that many < 2^32; offset_partials a
//               multiple of 4
// Launch        any number x 1 x 1, at least units / share, work-groups of
//               TSM / WPTM * TSN / WPTN + (COPY == 3 ? 128 : 0) items
// Local memory  STAGES * TSK * (TSM + TSN + 8) * 4 bytes at most, and 16 * STAGES for mbarriers

#if !defined(TSM) || !defined(TSN) || !defined(TSK) || !defined(WPTM) || !defined(WPTN)
#error "TSM, TSN, TSK, WPTM and WPTN must be defined: tile extents, rows and columns per work-item"
#endif
#if !defined(LANES_M) || !defined(STAGES) || !defined(COPY) || !defined(MATH_REGISTERS)
#error "LANES_M, STAGES, COPY (0 or 3) and MATH_REGISTERS must be defined: layout of a warp, the ring"
#endif
#if !defined(LOAD_A) || !defined(LOAD_B) || !defined(RASTER) || !defined(ORDER)
#error "LOAD_A, LOAD_B (elements per copy), RASTER and ORDER must be defined"
#endif
#if !defined(EDGES) || !defined(A_K_MAJOR) || !defined(B_K_MAJOR)
#error "EDGES (0, 1 or 3), A_K_MAJOR and B_K_MAJOR (0 or 1) must be defined"
#endif
#if COPY != 0 && COPY != 3
#error "COPY must be 0 or 3"
#endif
#if EDGES == 2
#error "EDGES must be 0, 1 or 3"
#endif
#if !defined(EXTEND_M) || !defined(EXTEND_N) || (EXTEND_M + EXTEND_N > 0 && EDGES != 3)
#error "EXTEND_M and EXTEND_N must be defined, and 0 unless EDGES = 3"
#endif

#define PRODUCERS (COPY == 0 ? 0 : 4)
#include "nvidia/copies.clh"
#include "nvidia/tile_list.clh"
#define GUARDS 0
#define COPY_OFFSET(X, r, left, ld_bytes) offsets_##X[r]
#include "nvidia/tiles.clh"
#include "nvidia/products.clh"
#if EDGES == 3
#include "nvidia/fringe.clh"
#endif

#define ITEMS (32 * (WARPS + PRODUCERS))
#define COPIERS (COPY == 0 ? 32 * WARPS : 128)
#define STAGE TILE_BYTES
#define STRIDE (STAGE + (COPY == 0 ? 0 : 16)) // a stage is followed by its mbarriers

// The next work of this work-group: steps [first, last) along k of a tile. Only sums, a product and
// numbers of the launch, so that the compiler sees that it is the same for a warp.
#define BEGIN_WORK                                                                                     \
    uint next_tile = group;                                                                            \
    uint unit = min(group * (uint)share, (uint)units);                                                 \
    const uint first_unit = unit;                                                                      \
    const uint end_unit = min(unit + (uint)share, (uint)units)
#define HAS_WORK (next_tile < (uint)whole || unit < end_unit)
#define TAKE_WORK                                                                                      \
    uint tile;                                                                                         \
    uint first = 0;                                                                                    \
    uint last = all_steps;                                                                             \
    bool is_first_share = false;                                                                       \
    if (next_tile < (uint)whole) {                                                                     \
        tile = next_tile;                                                                              \
        next_tile += groups;                                                                           \
    } else {                                                                                           \
        const uint q_ = mul_hi(unit, (uint)reciprocal);                                                \
        const uint in_tile_ = unit - q_ * units_per_tile;                                              \
        const uint taken_ = min(end_unit - unit, units_per_tile - in_tile_);                           \
        is_first_share = unit == first_unit;                                                           \
        tile = (uint)whole + q_;                                                                       \
        first = in_tile_ << (uint)shift;                                                               \
        last = min((in_tile_ + taken_) << (uint)shift, all_steps);                                     \
        unit += taken_;                                                                                \
    }

// The rows or columns of a tile that are inside C.
#define INSIDE(extent, begin, tile_extent)                                                             \
    (EDGES != 1 ? (tile_extent) : (int)min((long)(tile_extent), (extent) - (begin)))

// Byte offsets of a copier's copies from the first one. To keep them in registers is cheaper than
// to multiply.
#define KEEP_OFFSETS(X, ld_bytes)                                                                      \
    uint offsets_##X[TURNS(X)];                                                                        \
    _Pragma("unroll") for (uint r_ = 0; r_ < TURNS(X); ++r_) offsets_##X[r_] =                         \
        KEPT((COPY_X(X, r_, 0) - FIRST_X(X, 0)) * (ld_bytes) +                                         \
             4 * (COPY_Y(X, r_, 0) - FIRST_Y(X, 0)))
// Where this copier's copies of a step of a tile begin.
#define FROM(X, x, mn, left)                                                                           \
    (global const char*)(x + offset_##x + (long)place.batch * stride_##x +                             \
                         AT(X, mn, (long)first * TSK, ld##x) + (ulong)FIRST_X(X, left) * (ulong)ld##x + \
                         FIRST_Y(X, left))
#define COPY_TILE                                                                                      \
    const struct TilePlace place = sgemm_place_of(tile, tiles_m, tiles_n);                             \
    const long i0 = (long)place.gx * TSM;                                                              \
    const long j0 = (long)place.gy * TSN;                                                              \
    const int rows = INSIDE(m, i0, TSM);                                                               \
    const int columns = INSIDE(n, j0, TSN);                                                            \
    const bool is_inside = rows == TSM && columns == TSN;                                              \
    global const char* a_from = FROM(A, a, i0, rows);                                                  \
    global const char* b_from = FROM(B, b, j0, columns)
#define FILL(stage, step)                                                                              \
    do {                                                                                               \
        if (EDGES == 0 || (is_inside && (step) < whole_steps)) {                                       \
            FILL_SHARED(A, stage, a_from, rows, lda_bytes);                                            \
            FILL_SHARED(B, stage, b_from, columns, ldb_bytes);                                         \
        } else {                                                                                       \
            const uint there = (step) < whole_steps ? TSK : depth;                                     \
            FILL_WITH_ZEROS(A, stage, a_from, rows, lda_bytes, there);                                 \
            FILL_WITH_ZEROS(B, stage, b_from, columns, ldb_bytes, there);                              \
        }                                                                                              \
        a_from += AT(A, 0, TSK, (ulong)lda_bytes / 4) * 4;                                             \
        b_from += AT(B, 0, TSK, (ulong)ldb_bytes / 4) * 4;                                             \
    } while (0)

// Stores to C if this work-group has all of the tile's k, else partial sums, column by column.
#define STORE_SUMS                                                                                     \
    do {                                                                                               \
        const struct TilePlace place = sgemm_place_of(tile, tiles_m, tiles_n);                         \
        const long i0 = (long)place.gx * TSM;                                                          \
        const long j0 = (long)place.gy * TSN;                                                          \
        const bool is_whole = first == 0 && last == all_steps;                                         \
        const int first_row = 0;                                                                       \
        const int first_column = 0;                                                                    \
        const int rows = is_whole ? INSIDE(m, i0, TSM) : TSM;                                          \
        const int columns = is_whole ? INSIDE(n, j0, TSN) : TSN;                                       \
        global float* to = is_whole                                                                    \
                               ? c + offset_c + (long)place.batch * stride_c + j0 * ldc + i0           \
                               : partials + offset_partials +                                          \
                                     sgemm_slot_of(group, is_first_share) * (TSM * TSN);               \
        const long ld_to = is_whole ? ldc : TSM;                                                       \
        const long stride_to = is_whole ? stride_c : 0;                                                \
        const float scale = is_whole ? alpha : 1.0f;                                                   \
        const float keep = is_whole ? beta : 0.0f;                                                     \
        STORE_TILE(to, ld_to, stride_to, scale, keep)                                                  \
    } while (0)

#define STREAM_NUMBERS(N)                                                                              \
    GEMM_NUMBERS(N) N(long, offset_partials) N(long, whole) N(long, units) N(long, share)              \
    N(long, reciprocal) N(long, shift)
#if EDGES == 3
#define NUMBERS(N) STREAM_NUMBERS(N) N(long, batches) N(long, fringe_from)
#else
#define NUMBERS(N) STREAM_NUMBERS(N)
#endif
NUMBERS_STRUCT(NUMBERS);

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
sgemm_persistent(Numbers numbers, global const float* restrict a, global const float* restrict b, global float* c,
                 global float* partials) {
    READ_NUMBERS(NUMBERS);
    local float ring[STAGES * STRIDE / 4] __attribute__((aligned(128)));
    const uint ring_at = ADDRESS(ring);
    const uint item = (uint)get_local_id(0);
    const uint lane = item % 32;
    const uint warp = UNIFORM(item / 32);
    const uint group = (uint)get_group_id(0);
    const uint groups = (uint)get_num_groups(0);
    const uint tiles_m = (uint)(EDGES == 3 ? m / TSM : (m + (TSM - 1)) / TSM);
    const uint tiles_n = (uint)(EDGES == 3 ? n / TSN : (n + (TSN - 1)) / TSN);
    const uint all_steps = (uint)((k + (TSK - 1)) / TSK);
    const uint whole_steps = (uint)(k / TSK);
    const uint depth = (uint)(k % TSK);
    const uint units_per_tile = (all_steps + ((1u << (uint)shift) - 1)) >> (uint)shift;
    const uint lda_bytes = 4 * (uint)lda;
    const uint ldb_bytes = 4 * (uint)ldb;
    BEGIN_WORK;

#if COPY > 0
    if (item == 0) {
        for (uint s = 0; s < STAGES; ++s) {
            sgemm_init_barrier(FULL(ring_at + s * STRIDE), COPIERS);
            sgemm_init_barrier(EMPTY(ring_at + s * STRIDE), WARPS);
        }
        sgemm_publish_barriers();
    }
    barrier(CLK_LOCAL_MEM_FENCE); // the mbarriers are there

    if (warp >= WARPS) {
        SET_REGISTERS(dec, 504 - 2 * MATH_REGISTERS);
        const uint copier = item - 32 * WARPS;
        KEEP_OFFSETS(A, lda_bytes);
        KEEP_OFFSETS(B, ldb_bytes);
        uint stage = ring_at;
        uint parity = 1; // of the phase that frees it: that of a fresh mbarrier is complete
        while (HAS_WORK) {
            TAKE_WORK
            COPY_TILE;
            for (uint step = first; step < last; ++step) {
                sgemm_wait(EMPTY(stage), parity);
                FILL(stage, step);
                sgemm_arrive_after_copies(FULL(stage));
                parity ^= stage == LAST_STAGE;
                stage = NEXT_STAGE(stage);
            }
        }
        // The warps that multiply wait for one stage more than there is.
        sgemm_wait(EMPTY(stage), parity);
        sgemm_arrive(FULL(stage));
        return;
    }
    SET_REGISTERS(inc, MATH_REGISTERS);
#endif

#if EDGES == 3
    if (group >= (uint)fringe_from)
        MULTIPLY_FRINGE(group - (uint)fringe_from, groups - (uint)fringe_from, batches);
#endif
    LANE_PLACE;
    float a_values[2][WPTM];
    float b_values[2][WPTN];
    float sums[WPTN][WPTM];
    uint stage = ring_at;
#if COPY > 0
    uint parity = 0;
    sgemm_wait(FULL(stage), parity);
#pragma unroll
    for (int q = 0; q < VPTM + VPTN; ++q)
        LOAD_VECTOR(0, q, 0, stage);
    while (HAS_WORK) {
        TAKE_WORK
        CLEAR_SUMS;
        for (uint left = last - first; left > 0; --left) {
#pragma unroll
            for (int p = 0; p < TSK - 2; p += 2) {
                MULTIPLY_STEP(0, p + 1, stage, );
                MULTIPLY_STEP(1, p + 2, stage, );
            }
            MULTIPLY_STEP(0, TSK - 1, stage, );
            const uint next_stage = NEXT_STAGE(stage);
            parity ^= stage == LAST_STAGE;
            sgemm_wait(FULL(next_stage), parity);
            MULTIPLY_STEP(1, 0, next_stage, sgemm_arrive_once(EMPTY(stage), lane));
            stage = next_stage;
        }
        PLACE_SUMS(m < 0)
        STORE_SUMS;
    }
#else
    // Without producers: fill, multiply, one after the other.
    const uint copier = item;
    KEEP_OFFSETS(A, lda_bytes);
    KEEP_OFFSETS(B, ldb_bytes);
    while (HAS_WORK) {
        TAKE_WORK
        COPY_TILE;
        CLEAR_SUMS;
        for (uint step = first; step < last; ++step) {
            barrier(CLK_LOCAL_MEM_FENCE); // all have read the stage
            FILL(stage, step);
            barrier(CLK_LOCAL_MEM_FENCE); // the stage is full
            MULTIPLY_DEPTH(stage, TSK);
            stage = NEXT_STAGE(stage);
        }
        STORE_SUMS;
    }
#endif
}
