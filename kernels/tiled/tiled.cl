// SPDX-License-Identifier: Apache-2.0
//
// Tiled: every idea of the progression in one kernel, each a parameter.
//
//   C(i, j) = alpha * sum over p of A(i, p) * B(p, j) + beta * C(i, j)
//
// Index map     with RTSM = TSM / WPTM, RTSN = TSN / WPTN: work-item (x, y) computes the rows i0 +
//               (x + u * RTSM) * WIDTHM + lane of the columns j0 + (y + v * RTSN) * WIDTHN + lane
//               of the tile of C at (i0, j0). Tiles in local memory are [p][i] and [p][j].
// What is new   against the progression: either storage of A and B (a k-major operand is transposed
//               on its way to local memory), four edge strategies, split-K, tile swizzle, stagger
// Order of sums the last step of a k range first (only it may be incomplete), then ascending in k,
//               rotated if STAGGER > 1. It depends on sizes and the tile's place only.
// Defines       TSM, TSN, TSK       work-group tile along m and n, step along k
//               WPTM, WPTN          register tile
//               WIDTHM, WIDTHN      vectors of registers and local memory: 1, 2, 4, 8, 16
//               LOAD_A, LOAD_B      elements per global load: 1, 2, 4, 8, 16
//               LOCAL_A, LOCAL_B    1 tile in local memory; 0 read from global memory at each use
//               PADDING_A, _B       unused elements per row of a tile, against bank conflicts
//               PREFETCH            1 double buffering; 0 one pair of tiles
//               UNROLL_K            steps of p to unroll; 0 all
//               RASTER              tile swizzle: bands of so many tiles along n; 0 and 1 none
//               STAGGER             so many starting points along k, against channel conflicts
//               EDGES               0 whole, 1 guarded, 2 shifted, 3 extended (kernels/README.md)
//               EXTEND_M, _N        rows and columns that extended tiles take; 0 unless EDGES = 3
//               SPLIT_K             k ranges, each into a C of its own (kernels/README.md); 1 none
//               A_K_MAJOR, B_K_MAJOR    storage of A and B, 0 or 1
// Constraints   WPTM divides TSM, WIDTHM divides WPTM and PADDING_A, LOAD_A divides TSM and TSK;
//               the same for n and B. EDGES = 3: LOCAL_A, LOCAL_B, EXTEND_M * EXTEND_N <=
//               work-items. k > 0; offset, ld and stride multiples of LOAD_A and LOAD_B; sizes as
//               EDGES asks; SPLIT_K > 1: alpha = 1, beta = 0, SPLIT_K divides stride_c
// Launch        ceil(m / TSM) x ceil(n / TSN) x (batch * SPLIT_K) work-groups of RTSM x RTSN items;
//               EDGES = 3: floor instead of ceil
// Local memory  (1 + PREFETCH) * TSK * (LOCAL_A * (TSM + PADDING_A) + LOCAL_B * (TSN + PADDING_B)
//               + EXTEND_M + EXTEND_N) * 4 bytes
// Credit        edges after MIOpenGEMM's wiki, split-K and stagger after clBLAS pull request 133
//               (ideas only)

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
#error "EDGES (0 to 3), SPLIT_K, A_K_MAJOR and B_K_MAJOR (0 or 1) must be defined"
#endif
#if !defined(EXTEND_M) || !defined(EXTEND_N)
#error "EXTEND_M and EXTEND_N must be defined: rows and columns that extended tiles take"
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
#if EXTEND_M + EXTEND_N > 0 && (EDGES != 3 || !LOCAL_A || !LOCAL_B)
#error "extended tiles need EDGES = 3 and both operands in local memory"
#endif
#if EXTEND_M * EXTEND_N > (TSM / WPTM) * (TSN / WPTN)
#error "EXTEND_M * EXTEND_N must not exceed the work-items: each has one element of the corner"
#endif

#define RTSM (TSM / WPTM)
#define RTSN (TSN / WPTN)
#define ITEMS (RTSM * RTSN)
#define VPTM (WPTM / WIDTHM) // vectors that a work-item owns along m and along n
#define VPTN (WPTN / WIDTHN)
typedef FLOATX(WIDTHM) floatM;
typedef FLOATX(WIDTHN) floatN;

#include "tiled/loads.clh"
#include "tiled/extended.clh"

#define SGEMM_PRAGMA_(text) _Pragma(#text)
#define SGEMM_PRAGMA(text) SGEMM_PRAGMA_(text)
#if UNROLL_K == 0
#define UNROLL_P SGEMM_PRAGMA(unroll)
#else
#define UNROLL_P SGEMM_PRAGMA(unroll UNROLL_K)
#endif

#define NUMBERS(N) GEMM_NUMBERS(N) CONDITION_NUMBERS(N)
NUMBERS_STRUCT(NUMBERS);

kernel __attribute__((reqd_work_group_size(RTSM, RTSN, 1))) void
sgemm_tiled(Numbers numbers, global const float* restrict a, global const float* restrict b,
            global float* c CONDITION) {
    READ_NUMBERS(NUMBERS);
#if LOCAL_A
    local float a_tiles[1 + PREFETCH][TSK * ROW(A)] __attribute__((aligned(64))); // [p][i]
#endif
#if LOCAL_B
    local float b_tiles[1 + PREFETCH][TSK * ROW(B)] __attribute__((aligned(64))); // [p][j]
#endif
#if EXTEND_M > 0
    local float a_extra[1 + PREFETCH][EXTEND_M * TSK]; // [row beyond][p]
#endif
#if EXTEND_N > 0
    local float b_extra[1 + PREFETCH][EXTEND_N * TSK]; // [column beyond][p]
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
        // The last band may be narrower.
        const uint width = min((uint)RASTER, (uint)get_num_groups(1) - band * RASTER);
        gx = in_band / width;
        gy = band * RASTER + in_band % width;
    }
#endif
    LEAVE_IF_DONE(gx, gy);

    // The tile of C, and the part of it that this work-group stores, relative to (i0, j0). A
    // shifted tile stays where loads are aligned.
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

    // The k range of this work-group: `steps` steps of TSK from `begin` on.
    const long all_steps = EDGES == 0 ? k / TSK : (k + (TSK - 1)) / TSK;
#if SPLIT_K > 1
    const long batch = (long)get_group_id(2) / SPLIT_K;
    const long range = (long)get_group_id(2) % SPLIT_K;
    const long steps = all_steps / SPLIT_K + (range < all_steps % SPLIT_K);
    const long begin = (all_steps / SPLIT_K * range + min(range, all_steps % SPLIT_K)) * TSK;
    const long range_stride_c = stride_c / SPLIT_K;
    c += range * range_stride_c;
#else
    const long batch = (long)get_group_id(2);
    const long steps = all_steps;
    const long begin = 0;
    const long range_stride_c = stride_c;
#endif
    a += offset_a + batch * stride_a + AT(A, i0, 0, lda);
    b += offset_b + batch * stride_b + AT(B, j0, 0, ldb);
    c += offset_c + batch * stride_c + j0 * ldc + i0;

    // Where the current step starts, how deep it is, and where the next one starts.
    long now = begin + (steps - 1) * TSK;
    int depth = EDGES == 0 ? TSK : (int)min((long)TSK, k - now);
    long next = begin;
#if STAGGER > 1
    if (steps > 1)
        next += (steps - 1) * ((gx + gy) % STAGGER) / STAGGER * TSK;
#endif

    floatM sums[WPTN][VPTM];
#pragma unroll
    for (int w = 0; w < WPTN; ++w)
#pragma unroll
        for (int u = 0; u < VPTM; ++u)
            sums[w][u] = (floatM)(0.0f);

    // Extra rows and columns of this work-group, and this work-item's share of their sums.
#if EXTEND_M > 0
    const int extra_rows = (long)(gx + 2) * TSM > m ? (int)(m - i0) - TSM : 0;
    float a_extra_staged[SHARE(EXTEND_M * TSK)];
    float row_sums[SHARE(TSN)][EXTEND_M];
    CLEAR(SHARE(TSN), EXTEND_M, row_sums);
#define FETCH_EXTRA_A(p, depth)                                                                        \
    FETCH_EXTRA(A, a_extra_staged, (a + AT(A, 0, p, lda)), lda, extra_rows, depth)
#define KEEP_EXTRA_A(buffer) KEEP_EXTRA(A, a_extra[buffer], a_extra_staged)
#define MULTIPLY_ROWS                                                                                  \
    if (extra_rows > 0)                                                                                \
        MULTIPLY_EXTRA(B, b_tiles[buffer], a_extra[buffer], EXTEND_M, row_sums)
#else
#define MULTIPLY_ROWS
#define FETCH_EXTRA_A(p, depth)
#define KEEP_EXTRA_A(buffer)
#endif
#if EXTEND_N > 0
    const int extra_columns = (long)(gy + 2) * TSN > n ? (int)(n - j0) - TSN : 0;
    float b_extra_staged[SHARE(EXTEND_N * TSK)];
    float column_sums[SHARE(TSM)][EXTEND_N];
    CLEAR(SHARE(TSM), EXTEND_N, column_sums);
#define FETCH_EXTRA_B(p, depth)                                                                        \
    FETCH_EXTRA(B, b_extra_staged, (b + AT(B, 0, p, ldb)), ldb, extra_columns, depth)
#define KEEP_EXTRA_B(buffer) KEEP_EXTRA(B, b_extra[buffer], b_extra_staged)
#define MULTIPLY_COLUMNS                                                                               \
    if (extra_columns > 0)                                                                             \
        MULTIPLY_EXTRA(A, a_tiles[buffer], b_extra[buffer], EXTEND_N, column_sums)
#else
#define MULTIPLY_COLUMNS
#define FETCH_EXTRA_B(p, depth)
#define KEEP_EXTRA_B(buffer)
#endif
#if EXTEND_M > 0 && EXTEND_N > 0
    const int corner_row = (int)item % EXTEND_M;
    const int corner_column = (int)item / EXTEND_M;
    const bool has_corner = corner_row < extra_rows && corner_column < extra_columns;
    float corner_sum = 0.0f;
#define MULTIPLY_CORNER                                                                                \
    if (has_corner)                                                                                    \
        for (int p = 0; p < TSK; ++p)                                                                  \
            corner_sum = FMA(a_extra[buffer][corner_row * TSK + p],                                    \
                             b_extra[buffer][corner_column * TSK + p], corner_sum);
#else
#define MULTIPLY_CORNER
#endif
#define MULTIPLY_EXTRAS(extra)                                                                         \
    if (extra) {                                                                                       \
        MULTIPLY_COLUMNS                                                                               \
        MULTIPLY_ROWS                                                                                  \
        MULTIPLY_CORNER                                                                                \
    }
#if LOCAL_A
#define FETCH_A(p) FETCH(A, a_staged, (a + AT(A, 0, p, lda)), lda, rows)
#define FETCH_SHORT_A(p, depth) FETCH_SHORT(A, a_staged, (a + AT(A, 0, p, lda)), lda, rows, depth)
#define KEEP_A(buffer) KEEP(A, a_tiles[buffer], a_staged)
#else
#define FETCH_A(p)
#define FETCH_SHORT_A(p, depth)
#define KEEP_A(buffer)
#endif
#if LOCAL_B
#define FETCH_B(p) FETCH(B, b_staged, (b + AT(B, 0, p, ldb)), ldb, columns)
#define FETCH_SHORT_B(p, depth) FETCH_SHORT(B, b_staged, (b + AT(B, 0, p, ldb)), ldb, columns, depth)
#define KEEP_B(buffer) KEEP(B, b_tiles[buffer], b_staged)
#else
#define FETCH_B(p)
#define FETCH_SHORT_B(p, depth)
#define KEEP_B(buffer)
#endif
#define FETCH_BOTH(p, extra)                                                                           \
    do {                                                                                               \
        FETCH_A(p);                                                                                    \
        FETCH_B(p);                                                                                    \
        if (extra) {                                                                                   \
            FETCH_EXTRA_A(p, TSK);                                                                     \
            FETCH_EXTRA_B(p, TSK);                                                                     \
        }                                                                                              \
    } while (0)
#define KEEP_BOTH(buffer, extra)                                                                       \
    do {                                                                                               \
        KEEP_A(buffer);                                                                                \
        KEEP_B(buffer);                                                                                \
        if (extra) {                                                                                   \
            KEEP_EXTRA_A(buffer);                                                                      \
            KEEP_EXTRA_B(buffer);                                                                      \
        }                                                                                              \
    } while (0)
    float a_staged[STAGED(A)];
    float b_staged[STAGED(B)];

    // No arithmetic hides the loads of the first step. A k range without steps fetches the step
    // before it and multiplies nothing: inside a condition, PoCL 3.1 reads extra rows from local
    // memory too early.
    if (depth == TSK) {
        FETCH_BOTH(now, true);
    } else {
        FETCH_SHORT_A(now, depth);
        FETCH_SHORT_B(now, depth);
        FETCH_EXTRA_A(now, depth);
        FETCH_EXTRA_B(now, depth);
    }
    KEEP_BOTH(0, true);
#if LOCAL_A || LOCAL_B
    barrier(CLK_LOCAL_MEM_FENCE); // the tiles are complete
#endif

    // Adds the products of step p of the tiles in `buffer`.
#if LOCAL_A
#define LOAD_VECTOR_A(u, p)                                                                            \
    a_values[u] = *(local const floatM*)(a_tiles[buffer] + (p)*ROW(A) + (x + (u)*RTSM) * WIDTHM)
#else
#define LOAD_VECTOR_A(u, p)                                                                            \
    do {                                                                                               \
        float lanes_[WIDTHM];                                                                          \
        READ_DIRECT(A, lanes_, (a + AT(A, 0, now, lda)), lda, (x + (u)*RTSM) * WIDTHM, p, rows,        \
                    (EDGES == 0 || (p) < depth));                                                      \
        a_values[u] = GATHER(WIDTHM, lanes_);                                                          \
    } while (0)
#endif
#if LOCAL_B
#define LOAD_VECTOR_B(v, p)                                                                            \
    do {                                                                                               \
        const floatN vector_ =                                                                         \
            *(local const floatN*)(b_tiles[buffer] + (p)*ROW(B) + (y + (v)*RTSN) * WIDTHN);            \
        SPREAD(WIDTHN, b_values + (v)*WIDTHN, vector_);                                                \
    } while (0)
#else
#define LOAD_VECTOR_B(v, p)                                                                            \
    READ_DIRECT(B, b_values + (v)*WIDTHN, (b + AT(B, 0, now, ldb)), ldb, (y + (v)*RTSN) * WIDTHN, p,   \
                columns, (EDGES == 0 || (p) < depth))
#endif
#define MULTIPLY_STEP(p)                                                                               \
    do {                                                                                               \
        floatM a_values[VPTM];                                                                         \
        float b_values[WPTN];                                                                          \
        _Pragma("unroll") for (int u_ = 0; u_ < VPTM; ++u_) LOAD_VECTOR_A(u_, p);                      \
        _Pragma("unroll") for (int v_ = 0; v_ < VPTN; ++v_) LOAD_VECTOR_B(v_, p);                      \
        _Pragma("unroll") for (int w_ = 0; w_ < WPTN; ++w_)                                            \
            _Pragma("unroll") for (int u_ = 0; u_ < VPTM; ++u_)                                        \
                sums[w_][u_] = FMA(a_values[u_], (floatM)(b_values[w_]), sums[w_][u_]);                \
    } while (0)

#if PREFETCH
// No condition on the loads: the compiler would move conditional loads after the products.
#define BEFORE_PRODUCTS(extra) FETCH_BOTH(next, extra)
#define AFTER_PRODUCTS(extra)                                                                          \
    do {                                                                                               \
        buffer ^= 1;                                                                                   \
        KEEP_BOTH(buffer, extra);                                                                      \
        barrier(CLK_LOCAL_MEM_FENCE); /* all have read these tiles; the next are complete */           \
    } while (0)
#elif LOCAL_A || LOCAL_B
#define BEFORE_PRODUCTS(extra)
#define AFTER_PRODUCTS(extra)                                                                          \
    do {                                                                                               \
        barrier(CLK_LOCAL_MEM_FENCE); /* all have read these tiles */                                  \
        FETCH_BOTH(next, extra);                                                                       \
        KEEP_BOTH(0, extra);                                                                           \
        barrier(CLK_LOCAL_MEM_FENCE); /* the next pair is complete */                                  \
    } while (0)
#else
#define BEFORE_PRODUCTS(extra)
#define AFTER_PRODUCTS(extra)
#endif
#if STAGGER > 1
#define WRAP_AROUND                                                                                    \
    if (next == begin + (steps - 1) * TSK)                                                             \
    next = begin
#else
#define WRAP_AROUND
#endif
// All steps. `extra`, a constant: with the extra rows and columns of extended tiles.
#define MULTIPLY_ALL(extra)                                                                            \
    do {                                                                                               \
        for (long left = steps; left > 1; --left) {                                                    \
            BEFORE_PRODUCTS(extra);                                                                    \
            UNROLL_P                                                                                   \
            for (int p = 0; p < TSK; ++p)                                                              \
                MULTIPLY_STEP(p);                                                                      \
            MULTIPLY_EXTRAS(extra)                                                                     \
            AFTER_PRODUCTS(extra);                                                                     \
            now = next;                                                                                \
            depth = TSK;                                                                               \
            next += TSK;                                                                               \
            WRAP_AROUND;                                                                               \
        }                                                                                              \
        if (SPLIT_K == 1 || steps > 0) {                                                               \
            _Pragma("unroll 1") for (int p = 0; p < TSK; ++p) MULTIPLY_STEP(p);                        \
            MULTIPLY_EXTRAS(extra)                                                                     \
        }                                                                                              \
    } while (0)

    int buffer = 0;
#if EXTEND_M > 0 || EXTEND_N > 0
    if (gx + 1 == get_num_groups(0) || gy + 1 == get_num_groups(1))
        MULTIPLY_ALL(true);
    else
#endif
        MULTIPLY_ALL(false);

    // Column w of the work-item is lane w % WIDTHN of its group w / WIDTHN; the same for row r.
#define COLUMN(w) ((y + (w) / WIDTHN * RTSN) * WIDTHN + (w) % WIDTHN)
#define ELEMENT_ROW(r) ((x + (r) / WIDTHM * RTSM) * WIDTHM + (r) % WIDTHM)
#define MINE(r) (column_mine && ELEMENT_ROW(r) >= first_row && ELEMENT_ROW(r) < rows)
    const bool all_mine =
        (rows == TSM) & (columns == TSN) & (first_row == 0) & (first_column == 0);
    if (all_mine && C_ALIGNED(WIDTHM, c, ldc, range_stride_c)) {
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

#if EXTEND_N > 0
#pragma unroll
    for (int l = 0; l < SHARE(TSM); ++l) {
        const int i = (int)item + l * ITEMS;
#pragma unroll
        for (int e = 0; e < EXTEND_N; ++e)
            if (e < extra_columns && i < TSM)
                STORE_C(c + (TSN + e) * ldc + i, column_sums[l][e], alpha, beta);
    }
#endif
#if EXTEND_M > 0
#pragma unroll
    for (int l = 0; l < SHARE(TSN); ++l) {
        const int j = (int)item + l * ITEMS;
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
