// SPDX-License-Identifier: Apache-2.0
//
// Direct: small and irregular products in one launch, without a pass or workspace.
//
//   C(i, j) = alpha * sum over p of A(i, p) * B(p, j) + beta * C(i, j)
//
// Index map     with RTSM = TSM / WPTM, RTSN = TSN / WPTN: work-item (x, y + slice * RTSN) of
//               work-group (gx, gy) sums its k range of every step, for the rows gx * TSM + (x + u
//               * RTSM) * WIDTHM + lane of the columns gy * TSN + (y + v * RTSN) * WIDTHN + lane.
//               Then all work-items add the SLICES sums of each element in local memory, and store
//               C along its columns.
// What is new   against tiled: split-K inside a work-group. Where C has few tiles, SLICES
//               work-items share the k of an element: chains of fmas are short, and more work-items
//               run. Steps are deep, since each costs a round trip to memory. Any size, storage and
//               alignment is read in place, one element per load, with bounds checks only at edges.
// Order of sums each k range ascending, then k ranges in ascending order
// Defines       TSM, TSN, TSK       work-group tile along m and n, step along k
//               WPTM, WPTN          register tile
//               WIDTHM, WIDTHN      vectors of registers and local memory: 1, 2, 4
//               SLICES              work-items that share an element of C
//               PADDING             unused elements per row of a tile, against bank conflicts
//               PREFETCH            1 double buffering; 0 one pair of tiles
//               A_K_MAJOR, B_K_MAJOR    storage of A and B, 0 or 1
// Constraints   WPTM divides TSM, WIDTHM divides WPTM and PADDING; the same for n; SLICES divides
//               TSK; k > 0
// Launch        ceil(m / TSM) x ceil(n / TSN) x batch work-groups of RTSM x (RTSN * SLICES) items
// Local memory  4 bytes times the greater of (1 + PREFETCH) * TSK * (TSM + TSN + 2 * PADDING) + 4
//               and SLICES * TSM * TSN

#if !defined(TSM) || !defined(TSN) || !defined(TSK) || !defined(WPTM) || !defined(WPTN)
#error "TSM, TSN, TSK, WPTM and WPTN must be defined: tile extents, rows and columns per work-item"
#endif
#if !defined(WIDTHM) || !defined(WIDTHN) || !defined(SLICES)
#error "WIDTHM, WIDTHN and SLICES must be defined: vector widths, work-items that share an element"
#endif
#if !defined(PADDING) || !defined(PREFETCH) || !defined(A_K_MAJOR) || !defined(B_K_MAJOR)
#error "PADDING, PREFETCH (0 or 1), A_K_MAJOR and B_K_MAJOR (0 or 1) must be defined"
#endif
#if TSM % WPTM != 0 || TSN % WPTN != 0 || WPTM % WIDTHM != 0 || WPTN % WIDTHN != 0
#error "WIDTHM must divide WPTM, WPTM TSM, WIDTHN WPTN, and WPTN TSN"
#endif
#if PADDING % WIDTHM != 0 || PADDING % WIDTHN != 0 || WIDTHM > 4 || WIDTHN > 4
#error "WIDTHM and WIDTHN must be 1, 2 or 4 and divide PADDING: vectors stay aligned"
#endif
#if TSK % SLICES != 0
#error "SLICES must divide TSK: slices of a step are equally deep"
#endif

#define RTSM (TSM / WPTM)
#define RTSN (TSN / WPTN)
#define ITEMS (RTSM * RTSN * SLICES)
#define VPTM (WPTM / WIDTHM)
#define VPTN (WPTN / WIDTHN)
#define DEPTH (TSK / SLICES) // of a work-item's k range in a step
typedef FLOATX(WIDTHM) floatM;
typedef FLOATX(WIDTHN) floatN;

// Macros for an operand X, A or B. mn is its index i or j.
#define EXTENT_A TSM
#define EXTENT_B TSN
#define K_MAJOR_A A_K_MAJOR
#define K_MAJOR_B B_K_MAJOR
#define ROW(X) (EXTENT_##X + PADDING)
#define ELEMENTS(X) (EXTENT_##X * TSK)
#define COPIES(X) ((ELEMENTS(X) + ITEMS - 1) / ITEMS)
#define AT(X, mn, p, ld) (K_MAJOR_##X ? (mn) * (ld) + (p) : (p) * (ld) + (mn))
#define MN(X, id) (int)(K_MAJOR_##X ? (id) / TSK : (id) % EXTENT_##X)
#define P(X, id) (int)(K_MAJOR_##X ? (id) % TSK : (id) / EXTENT_##X)
#define FOR_EACH_COPY(X, l, id)                                                                        \
    _Pragma("unroll") for (uint l = 0, id = item; l < COPIES(X); ++l, id += ITEMS)                     \
        if (ELEMENTS(X) % ITEMS == 0 || l < COPIES(X) - 1 || id < ELEMENTS(X))

// Stages a work-item's share of the tile of X that starts at `from` and has mn_left by k_left
// elements, at least one. The others are zeros. `whole`: the tile is complete. Else a missing
// element is read as the first one and then replaced: loads without branches can be in flight
// together.
#define FETCH(X, staged, from, ld, whole, mn_left, k_left)                                             \
    do {                                                                                               \
        if (whole) {                                                                                   \
            FOR_EACH_COPY(X, l_, id_) staged[l_] = (from)[AT(X, MN(X, id_), P(X, id_), ld)];           \
        } else {                                                                                       \
            FOR_EACH_COPY(X, l_, id_) {                                                                \
                const bool in_ = MN(X, id_) < (mn_left) && P(X, id_) < (k_left);                       \
                const float value_ = (from)[in_ ? AT(X, MN(X, id_), P(X, id_), ld) : 0];               \
                staged[l_] = in_ ? value_ : 0.0f;                                                      \
            }                                                                                          \
        }                                                                                              \
    } while (0)
#define KEEP(X, tile, staged)                                                                          \
    FOR_EACH_COPY(X, l_, id_) (tile)[P(X, id_) * ROW(X) + MN(X, id_)] = staged[l_]

// One array, for the tiles and then for the sums of the k ranges.
#define TILE_A (TSK * ROW(A))
#define TILE_B (TSK * ROW(B))
#define START_B (((1 + PREFETCH) * TILE_A + 3) / 4 * 4) // aligned to vectors
#define TILES (START_B + (1 + PREFETCH) * TILE_B)
#define PARTS (SLICES * TSM * TSN)
#if TILES > PARTS
#define SCRATCH TILES
#else
#define SCRATCH PARTS
#endif

#define NUMBERS(N) GEMM_NUMBERS(N)
NUMBERS_STRUCT(NUMBERS);

kernel __attribute__((reqd_work_group_size(RTSM, RTSN * SLICES, 1))) void
sgemm_direct(Numbers numbers, global const float* restrict a, global const float* restrict b,
             global float* c) {
    READ_NUMBERS(NUMBERS);
    local float scratch[SCRATCH] __attribute__((aligned(16)));
    local float* a_tiles = scratch;           // [buffer][p][i]
    local float* b_tiles = scratch + START_B; // [buffer][p][j]

    const int x = (int)get_local_id(0);
    const int y = (int)get_local_id(1) % RTSN;
    const int slice = (int)get_local_id(1) / RTSN;
    const uint item = (uint)get_local_id(1) * RTSM + x;
    const long batch = (long)get_group_id(2);
    const long i0 = (long)get_group_id(0) * TSM;
    const long j0 = (long)get_group_id(1) * TSN;
    const int rows = (int)min((long)TSM, m - i0);
    const int columns = (int)min((long)TSN, n - j0);
    a += offset_a + batch * stride_a + AT(A, i0, 0, lda);
    b += offset_b + batch * stride_b + AT(B, j0, 0, ldb);
    c += offset_c + batch * stride_c + j0 * ldc + i0;

    floatM sums[WPTN][VPTM];
#pragma unroll
    for (int w = 0; w < WPTN; ++w)
#pragma unroll
        for (int u = 0; u < VPTM; ++u)
            sums[w][u] = (floatM)(0.0f);

#define FETCH_BOTH(p0)                                                                                 \
    do {                                                                                               \
        const int k_left_ = (int)min((long)TSK, k - (p0));                                             \
        FETCH(A, a_staged, a + AT(A, 0, p0, lda), lda, rows == TSM && k_left_ == TSK, rows, k_left_);  \
        FETCH(B, b_staged, b + AT(B, 0, p0, ldb), ldb, columns == TSN && k_left_ == TSK, columns,      \
              k_left_);                                                                                \
    } while (0)
#define KEEP_BOTH(buffer)                                                                              \
    do {                                                                                               \
        KEEP(A, a_tiles + (buffer) * TILE_A, a_staged);                                                \
        KEEP(B, b_tiles + (buffer) * TILE_B, b_staged);                                                \
    } while (0)
    float a_staged[COPIES(A)];
    float b_staged[COPIES(B)];

#if PREFETCH
    FETCH_BOTH((long)0);
    KEEP_BOTH(0);
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    int buffer = 0;
    for (long p0 = 0; p0 < k; p0 += TSK) {
#if PREFETCH
        const bool more = p0 + TSK < k; // the same for all work-items
        if (more)
            FETCH_BOTH(p0 + TSK);
#else
        FETCH_BOTH(p0);
        KEEP_BOTH(0);
        barrier(CLK_LOCAL_MEM_FENCE); // the tiles are complete
#endif

#pragma unroll
        for (int q = 0; q < DEPTH; ++q) {
            const int p = slice * DEPTH + q;
            floatM a_values[VPTM];
#pragma unroll
            for (int u = 0; u < VPTM; ++u)
                a_values[u] = *(local const floatM*)(a_tiles + buffer * TILE_A + p * ROW(A) +
                                                     (x + u * RTSM) * WIDTHM);
            float b_values[WPTN];
#pragma unroll
            for (int v = 0; v < VPTN; ++v) {
                const floatN b_vector = *(local const floatN*)(b_tiles + buffer * TILE_B + p * ROW(B) +
                                                               (y + v * RTSN) * WIDTHN);
                SPREAD(WIDTHN, b_values + v * WIDTHN, b_vector);
            }
#pragma unroll
            for (int w = 0; w < WPTN; ++w)
#pragma unroll
                for (int u = 0; u < VPTM; ++u)
                    sums[w][u] = FMA(a_values[u], (floatM)(b_values[w]), sums[w][u]);
        }

#if PREFETCH
        buffer ^= 1;
        if (more)
            KEEP_BOTH(buffer);
#endif
        barrier(CLK_LOCAL_MEM_FENCE); // all have read these tiles, and the next pair is complete
    }

#pragma unroll
    for (int w = 0; w < WPTN; ++w)
#pragma unroll
        for (int u = 0; u < VPTM; ++u) {
            const int j = (y + w / WIDTHN * RTSN) * WIDTHN + w % WIDTHN;
            *(local floatM*)(scratch + (slice * TSN + j) * TSM + (x + u * RTSM) * WIDTHM) = sums[w][u];
        }
    barrier(CLK_LOCAL_MEM_FENCE); // the sums of all k ranges are there
    for (uint id = item; id < TSM * TSN; id += ITEMS) {
        const int i = (int)(id % TSM);
        const int j = (int)(id / TSM);
        float sum = scratch[id];
#pragma unroll
        for (int s = 1; s < SLICES; ++s)
            sum += scratch[s * TSM * TSN + id];
        if (i < rows && j < columns)
            STORE_C(c + j * ldc + i, sum, alpha, beta);
    }
}
