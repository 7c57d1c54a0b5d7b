// SPDX-License-Identifier: Apache-2.0
//
// Tiled: every idea of the progression in one kernel, each a parameter.
//
//   C(i, j) = alpha * sum over p of A(i, p) * B(p, j) + beta * C(i, j)
//
// Index map     with RTSM = TSM / WPTM, RTSN = TSN / WPTN: work-item (x, y) owns the rows
//               i0 + (x + u * RTSM) * WIDTHM + lane and the columns
//               j0 + (y + v * RTSN) * WIDTHN + lane of the tile of C at (i0, j0). The raster says
//               which tile a work-group takes: with RASTER > 1 consecutive work-groups walk along n
//               through a band of RASTER tiles, then on along m, so that those that run at the same
//               time share rows of A and columns of B in the cache.
// Operands      both storage forms of each. A tile in local memory is k by k, [p][i] and [p][j]: an
//               operand whose k is contiguous is turned on its way there, with PADDING_* unused
//               elements per row so that the turned stores fall into different banks. LOCAL_* = 0
//               reads the operand from global memory (from the cache, that is) whenever it is
//               needed.
// Edges         EDGES = 0: whole tiles only. 1, guarded: work-groups at the edges check every element,
//               all others none. 2, shifted: a tile that would stick out of C is moved inward until
//               it fits, and its work-group stores only what no other one owns. With 1 and 2 the last
//               step along k reads zeros beyond k. Nothing outside an operand is ever read.
// Split of k    with SPLIT_K > 1 get_group_id(2) is batch * SPLIT_K + slice; a slice sums its share
//               of the steps of TSK into its own part of C, slice * stride_c / SPLIT_K further on;
//               a slice without a step stores zeros. A pass adds the parts in ascending order.
// Order of sums ascending in k within a slice. With STAGGER > 1 that order is rotated: work-group
//               (gx, gy) starts (gx + gy) % STAGGER STAGGER-ths into its slice and wraps around, so
//               that fewer work-groups read the same memory channel at once. The rotation depends
//               on nothing else: results are bit-identical from run to run of the same plan.
// Defines       TSM, TSN, TSK, WPTM, WPTN, WIDTHM, WIDTHN (vectors of private and local memory; 1, 2,
//               4, 8, 16), LOAD_A, LOAD_B (elements per global load; 1, 2, 4, 8, 16), LOCAL_A, LOCAL_B
//               (0, 1), PADDING_A, PADDING_B, PREFETCH (1: the next tiles are on their way while
//               these are multiplied, in twice the local memory), UNROLL_K (steps of p in a row; 0:
//               all), RASTER and STAGGER (0 and 1: none), EDGES, SPLIT_K, A_K_MAJOR, B_K_MAJOR
// Constraints   WPTM divides TSM, WIDTHM divides WPTM and PADDING_A, LOAD_A divides TSM and TSK; the
//               same for n and B
// Preconditions k > 0; offset, ld and stride of A multiples of LOAD_A, of B of LOAD_B; EDGES = 0: m,
//               n, k multiples of TSM, TSN, TSK; EDGES = 2: m >= TSM and n >= TSN; SPLIT_K > 1:
//               alpha = 1, beta = 0 and SPLIT_K divides stride_c
// Launch        work-groups ceil(m / TSM) x ceil(n / TSN) x (batch * SPLIT_K) of RTSM x RTSN items
// Local memory  (1 + PREFETCH) * TSK * (LOCAL_A * (TSM + PADDING_A) + LOCAL_B * (TSN + PADDING_B)) * 4
//               bytes
// Credit        edges after MIOpenGEMM's three strategies; parts of k and the stagger against channel
//               conflicts after clBLAS pull request 133 (ideas only)

#if !defined(TSM) || !defined(TSN) || !defined(TSK) || !defined(WPTM) || !defined(WPTN)
#error "TSM, TSN, TSK, WPTM and WPTN must be defined: tile extents, rows and columns per work-item"
#endif
#if !defined(WIDTHM) || !defined(WIDTHN) || !defined(LOAD_A) || !defined(LOAD_B)
#error "WIDTHM, WIDTHN, LOAD_A and LOAD_B must be defined: vector widths, elements per global load"
#endif
#if !defined(LOCAL_A) || !defined(LOCAL_B) || !defined(PADDING_A) || !defined(PADDING_B)
#error "LOCAL_A, LOCAL_B (0 or 1), PADDING_A and PADDING_B must be defined: use of local memory"
#endif
#if !defined(PREFETCH) || !defined(UNROLL_K) || !defined(RASTER) || !defined(STAGGER)
#error "PREFETCH (0 or 1), UNROLL_K, RASTER and STAGGER must be defined"
#endif
#if !defined(EDGES) || !defined(SPLIT_K) || !defined(A_K_MAJOR) || !defined(B_K_MAJOR)
#error "EDGES (0, 1, 2), SPLIT_K, A_K_MAJOR and B_K_MAJOR (0 or 1) must be defined"
#endif
#if TSM % WPTM != 0 || TSN % WPTN != 0 || WPTM % WIDTHM != 0 || WPTN % WIDTHN != 0
#error "WIDTHM must divide WPTM, WPTM TSM, WIDTHN WPTN, and WPTN TSN"
#endif
#if TSM % LOAD_A != 0 || TSK % LOAD_A != 0 || TSN % LOAD_B != 0 || TSK % LOAD_B != 0
#error "LOAD_A must divide TSM and TSK, LOAD_B TSN and TSK"
#endif
#if PADDING_A % WIDTHM != 0 || PADDING_B % WIDTHN != 0
#error "WIDTHM must divide PADDING_A, and WIDTHN PADDING_B: vectors stay aligned"
#endif

#define RTSM (TSM / WPTM)
#define RTSN (TSN / WPTN)
#define ITEMS (RTSM * RTSN)
#define VPTM (WPTM / WIDTHM) // vectors that a work-item owns along m and along n
#define VPTN (WPTN / WIDTHN)
typedef FLOATX(WIDTHM) floatM;
typedef FLOATX(WIDTHN) floatN;

// What A and B have in common is said once, for an operand X; mn is its index i or j.
#define EXTENT_A TSM
#define EXTENT_B TSN
#define K_MAJOR_A A_K_MAJOR
#define K_MAJOR_B B_K_MAJOR
#define WIDTH_A WIDTHM
#define WIDTH_B WIDTHN
#define ROW(X) (EXTENT_##X + PADDING_##X)             // elements of a row of X's tile
#define VECTORS(X) (EXTENT_##X * TSK / LOAD_##X)      // global loads for a tile of X
#define COPIES(X) ((VECTORS(X) + ITEMS - 1) / ITEMS)  // of these, per work-item, at most
#define STAGED(X) (COPIES(X) * LOAD_##X)              // elements that they bring
#define LINE(X) ((K_MAJOR_##X ? TSK : EXTENT_##X) / LOAD_##X) // loads side by side in memory
// Where element (mn, p) of X lies in global memory, and at which (mn, p) load `id` starts.
#define AT(X, mn, p, ld) (K_MAJOR_##X ? (mn) * (ld) + (p) : (p) * (ld) + (mn))
#define MN(X, id) (int)(K_MAJOR_##X ? (id) / LINE(X) : (id) % LINE(X) * LOAD_##X)
#define P(X, id) (int)(K_MAJOR_##X ? (id) % LINE(X) * LOAD_##X : (id) / LINE(X))
// Where load `id`, the l-th of a work-item, lies. If the work-items load whole lines, that is
// a place for each work-item plus one for each l: one address in registers instead of many.
#define PLACE(X, l, id, ld)                                                                            \
    (ITEMS % LINE(X) == 0 ? AT(X, MN(X, item), P(X, item), ld) + (l) * (long)(ITEMS / LINE(X)) * (ld)  \
                          : AT(X, MN(X, id), P(X, id), ld))
// Load `id` is the l-th of a work-item. Only the last one can fall outside the tile, and then only
// if the work-items do not divide it: else the condition folds away.
#define FOR_EACH_COPY(X, l, id)                                                                        \
    _Pragma("unroll") for (uint l = 0, id = item; l < COPIES(X); ++l, id += ITEMS)                     \
        if (VECTORS(X) % ITEMS == 0 || l < COPIES(X) - 1 || id < VECTORS(X))
#define FOR_EACH_LANE(lane, width) _Pragma("unroll") for (int lane = 0; lane < (width); ++lane)

// x[0..width-1] = the vector at `pointer`; one access.
#define READ(width, x, pointer)                                                                        \
    do {                                                                                               \
        const FLOATX(width) read_ = WIDE(width, pointer);                                              \
        SPREAD(width, x, read_);                                                                       \
    } while (0)

// Stages a work-item's share of the tile of X that starts at `from`, and has mn_left by k_left
// elements; the others are zero. `whole`, the same for all work-items: it has all, and vectors there
// are aligned.
#define FETCH(X, staged, from, ld, whole, mn_left, k_left)                                             \
    do {                                                                                               \
        if (whole) {                                                                                   \
            FOR_EACH_COPY(X, l_, id_)                                                                  \
            READ(LOAD_##X, staged + l_ * LOAD_##X, from + PLACE(X, l_, id_, ld));                       \
        } else {                                                                                       \
            FOR_EACH_COPY(X, l_, id_)                                                                  \
            FOR_EACH_LANE(lane_, LOAD_##X) {                                                           \
                const int mn_ = MN(X, id_) + (K_MAJOR_##X ? 0 : lane_);                                \
                const int p_ = P(X, id_) + (K_MAJOR_##X ? lane_ : 0);                                  \
                staged[l_ * LOAD_##X + lane_] =                                                        \
                    mn_ < (mn_left) && p_ < (k_left) ? (from)[PLACE(X, l_, id_, ld) + lane_] : 0.0f;   \
            }                                                                                          \
        }                                                                                              \
    } while (0)

// Stores what FETCH staged into a tile in local memory: a vector at once along mn where rows keep it
// aligned, turned element by element along k.
#define KEEP(X, tile, staged)                                                                          \
    do {                                                                                               \
        FOR_EACH_COPY(X, l_, id_) {                                                                    \
            local float* to_ = (tile) + P(X, id_) * ROW(X) + MN(X, id_);                               \
            if (!K_MAJOR_##X && PADDING_##X % LOAD_##X == 0) {                                         \
                *(local FLOATX(LOAD_##X)*)to_ = GATHER(LOAD_##X, staged + l_ * LOAD_##X);              \
            } else {                                                                                   \
                FOR_EACH_LANE(lane_, LOAD_##X)                                                         \
                to_[K_MAJOR_##X ? lane_ * ROW(X) : lane_] = staged[l_ * LOAD_##X + lane_];             \
            }                                                                                          \
        }                                                                                              \
    } while (0)

// x[0..WIDTH-1] = the elements of X from (mn, p) on along mn, straight from global memory; arguments
// as those of FETCH.
#if LOAD_A < WIDTHM
#define CHUNK_A LOAD_A
#else
#define CHUNK_A WIDTHM
#endif
#if LOAD_B < WIDTHN
#define CHUNK_B LOAD_B
#else
#define CHUNK_B WIDTHN
#endif
#define READ_DIRECT(X, x, from, ld, mn, p, whole, mn_left, k_left)                                     \
    do {                                                                                               \
        if ((whole) && !K_MAJOR_##X) {                                                                 \
            _Pragma("unroll") for (int lane_ = 0; lane_ < WIDTH_##X; lane_ += CHUNK_##X)               \
                READ(CHUNK_##X, (x) + lane_, (from) + AT(X, (mn) + lane_, p, ld));                     \
        } else {                                                                                       \
            FOR_EACH_LANE(lane_, WIDTH_##X)                                                            \
            {                                                                                          \
                const bool in_ = (whole) || ((mn) + lane_ < (mn_left) && (p) < (k_left));              \
                const float value_ = (from)[in_ ? AT(X, (mn) + lane_, p, ld) : 0];                     \
                (x)[lane_] = in_ ? value_ : 0.0f;                                                      \
            }                                                                                          \
        }                                                                                              \
    } while (0)

#define SGEMM_PRAGMA_(text) _Pragma(#text)
#define SGEMM_PRAGMA(text) SGEMM_PRAGMA_(text)
#if UNROLL_K == 0
#define UNROLL_P SGEMM_PRAGMA(unroll)
#else
#define UNROLL_P SGEMM_PRAGMA(unroll UNROLL_K)
#endif

kernel __attribute__((reqd_work_group_size(RTSM, RTSN, 1))) void
sgemm_tiled(long m, long n, long k, float alpha,
            global const float* restrict a, long offset_a, long lda, long stride_a,
            global const float* restrict b, long offset_b, long ldb, long stride_b,
            float beta,
            global float* c, long offset_c, long ldc, long stride_c) {
#if LOCAL_A
    local float a_tiles[1 + PREFETCH][TSK * ROW(A)] __attribute__((aligned(64))); // [p][i]
#endif
#if LOCAL_B
    local float b_tiles[1 + PREFETCH][TSK * ROW(B)] __attribute__((aligned(64))); // [p][j]
#endif

    const int x = (int)get_local_id(0);
    const int y = (int)get_local_id(1);
    const uint item = y * RTSM + x;
    uint gx = (uint)get_group_id(0);
    uint gy = (uint)get_group_id(1);
#if RASTER > 1
    {
        const uint groups_m = (uint)get_num_groups(0);
        const uint linear = gy * groups_m + gx;
        const uint band = linear / (RASTER * groups_m);
        const uint in_band = linear % (RASTER * groups_m);
        const uint width = min((uint)RASTER, (uint)get_num_groups(1) - band * RASTER); // the last: less
        gx = in_band / width;
        gy = band * RASTER + in_band % width;
    }
#endif

    // The tile of C, and the part of it that this work-group stores, relative to (i0, j0).
    const long own_i = (long)gx * TSM;
    const long own_j = (long)gy * TSN;
    const long i0 = EDGES == 2 ? min(own_i, m - TSM) : own_i;
    const long j0 = EDGES == 2 ? min(own_j, n - TSN) : own_j;
    const int first_row = (int)(own_i - i0);
    const int first_column = (int)(own_j - j0);
    const int rows = EDGES == 1 ? (int)min((long)TSM, m - i0) : TSM;
    const int columns = EDGES == 1 ? (int)min((long)TSN, n - j0) : TSN;
    // A shifted tile may start between two vectors: then it is read as if it were guarded.
    const bool a_whole = EDGES == 0 || (rows == TSM && (K_MAJOR_A != 0 || first_row % LOAD_A == 0));
    const bool b_whole = EDGES == 0 || (columns == TSN && (K_MAJOR_B != 0 || first_column % LOAD_B == 0));

    // This work-group's part of k: the `steps` steps of TSK from `begin` on.
    const long all_steps = EDGES == 0 ? k / TSK : (k + (TSK - 1)) / TSK;
#if SPLIT_K > 1
    const long batch = (long)get_group_id(2) / SPLIT_K;
    const long slice = (long)get_group_id(2) % SPLIT_K;
    const long steps = all_steps / SPLIT_K + (slice < all_steps % SPLIT_K);
    const long begin = (all_steps / SPLIT_K * slice + min(slice, all_steps % SPLIT_K)) * TSK;
    const long slice_stride_c = stride_c / SPLIT_K;
    c += slice * slice_stride_c;
#else
    const long batch = (long)get_group_id(2);
    const long steps = all_steps;
    const long begin = 0;
    const long slice_stride_c = stride_c;
#endif
    a += offset_a + batch * stride_a + AT(A, i0, 0, lda);
    b += offset_b + batch * stride_b + AT(B, j0, 0, ldb);
    c += offset_c + batch * stride_c + j0 * ldc + i0;

    long p0 = begin; // where the current step starts
#if STAGGER > 1
    p0 += steps * ((gx + gy) % STAGGER) / STAGGER * TSK;
#endif

    floatM sums[WPTN][VPTM];
#pragma unroll
    for (int w = 0; w < WPTN; ++w)
#pragma unroll
        for (int u = 0; u < VPTM; ++u)
            sums[w][u] = (floatM)(0.0f);

// Both tiles that start at p, staged and kept.
#if LOCAL_A
#define FETCH_A(p)                                                                                     \
    FETCH(A, a_staged, (a + AT(A, 0, p, lda)), lda, (a_whole && K_WHOLE(p)), rows, K_LEFT(p))
#define KEEP_A(buffer) KEEP(A, a_tiles[buffer], a_staged)
#else
#define FETCH_A(p)
#define KEEP_A(buffer)
#endif
#if LOCAL_B
#define FETCH_B(p)                                                                                     \
    FETCH(B, b_staged, (b + AT(B, 0, p, ldb)), ldb, (b_whole && K_WHOLE(p)), columns, K_LEFT(p))
#define KEEP_B(buffer) KEEP(B, b_tiles[buffer], b_staged)
#else
#define FETCH_B(p)
#define KEEP_B(buffer)
#endif
#define K_WHOLE(p) (EDGES == 0 || k - (p) >= TSK)
#define K_LEFT(p) (k - (p))
    float a_staged[STAGED(A)];
    float b_staged[STAGED(B)];

#if PREFETCH
    // The first step has nothing to hide behind.
    if (SPLIT_K == 1 || steps > 0) {
        FETCH_A(p0);
        FETCH_B(p0);
        KEEP_A(0);
        KEEP_B(0);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#endif

    int buffer = 0;
    for (long left = steps; left > 0; --left) {
        long next = p0 + TSK;
#if STAGGER > 1
        if (next == begin + steps * TSK)
            next = begin;
#endif
#if PREFETCH
        const bool more = left > 1; // the same for all work-items
        if (more) {
            FETCH_A(next);
            FETCH_B(next);
        }
#elif LOCAL_A || LOCAL_B
        FETCH_A(p0);
        FETCH_B(p0);
        KEEP_A(0);
        KEEP_B(0);
        barrier(CLK_LOCAL_MEM_FENCE); // the tiles are complete
#endif

        UNROLL_P
        for (int p = 0; p < TSK; ++p) {
            floatM a_values[VPTM];
#pragma unroll
            for (int u = 0; u < VPTM; ++u) {
                const int i = (x + u * RTSM) * WIDTHM;
#if LOCAL_A
                a_values[u] = *(local const floatM*)(a_tiles[buffer] + p * ROW(A) + i);
#else
                float lanes[WIDTHM];
                READ_DIRECT(A, lanes, (a + AT(A, 0, p0, lda)), lda, i, p, (a_whole && K_WHOLE(p0)), rows,
                            K_LEFT(p0));
                a_values[u] = GATHER(WIDTHM, lanes);
#endif
            }
            float b_values[WPTN];
#pragma unroll
            for (int v = 0; v < VPTN; ++v) {
                const int j = (y + v * RTSN) * WIDTHN;
#if LOCAL_B
                const floatN b_vector = *(local const floatN*)(b_tiles[buffer] + p * ROW(B) + j);
                SPREAD(WIDTHN, b_values + v * WIDTHN, b_vector);
#else
                READ_DIRECT(B, b_values + v * WIDTHN, (b + AT(B, 0, p0, ldb)), ldb, j, p,
                            (b_whole && K_WHOLE(p0)), columns, K_LEFT(p0));
#endif
            }
#pragma unroll
            for (int w = 0; w < WPTN; ++w)
#pragma unroll
                for (int u = 0; u < VPTM; ++u)
                    sums[w][u] = FMA(a_values[u], (floatM)(b_values[w]), sums[w][u]);
        }

#if PREFETCH
        buffer ^= 1;
        if (more) {
            KEEP_A(buffer);
            KEEP_B(buffer);
        }
#endif
#if LOCAL_A || LOCAL_B
        barrier(CLK_LOCAL_MEM_FENCE); // nobody reads these tiles any more; the next pair is complete
#endif
        p0 = next;
    }

    // Column w of the item is lane w % WIDTHN of its group w / WIDTHN; the same for row r.
#define COLUMN(w) ((y + (w) / WIDTHN * RTSN) * WIDTHN + (w) % WIDTHN)
#define ELEMENT_ROW(r) ((x + (r) / WIDTHM * RTSM) * WIDTHM + (r) % WIDTHM)
#define MINE(r) (column_mine && ELEMENT_ROW(r) >= first_row && ELEMENT_ROW(r) < rows)
    const bool all_mine = rows == TSM && columns == TSN && first_row == 0 && first_column == 0;
    if (all_mine && C_ALIGNED(WIDTHM, c, ldc, slice_stride_c)) {
#pragma unroll
        for (int w = 0; w < WPTN; ++w)
#pragma unroll
            for (int u = 0; u < VPTM; ++u)
                STORE_C_WIDE(WIDTHM, true, c + COLUMN(w) * ldc + (x + u * RTSM) * WIDTHM, sums[w][u],
                             alpha, beta);
    } else {
#pragma unroll
        for (int w = 0; w < WPTN; ++w) {
            const int j = COLUMN(w);
            const bool column_mine = j >= first_column && j < columns;
            global float* column = c + j * ldc;
            float scaled[WPTM];
#pragma unroll
            for (int u = 0; u < VPTM; ++u) {
                const floatM scaled_vector = alpha * sums[w][u];
                SPREAD(WIDTHM, scaled + u * WIDTHM, scaled_vector);
            }
            if (beta != 0.0f) {
#pragma unroll
                for (int r = 0; r < WPTM; ++r)
                    if (MINE(r))
                        scaled[r] = FMA(beta, column[ELEMENT_ROW(r)], scaled[r]);
            }
#pragma unroll
            for (int r = 0; r < WPTM; ++r)
                if (MINE(r))
                    STORE(column + ELEMENT_ROW(r), scaled[r]);
        }
    }
}
