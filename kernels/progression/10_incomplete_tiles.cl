// SPDX-License-Identifier: Apache-2.0
//
// Step 10: incomplete tiles.
//
//   C(i, j) = alpha * sum over p of A(i, p) * B(p, j) + beta * C(i, j)
//
// Index map     with RTSM = TSM / WPTM, RTSN = TSN / WPTN: work-item (x, y) of work-group (gx, gy)
//               computes WPTM / WIDTHM vectors of rows, gx * TSM + (x + u * RTSM) * WIDTHM + lane,
//               of WPTN / WIDTHN groups of columns, gy * TSN + (y + v * RTSN) * WIDTHN + lane
// What is new   against step 9: tiles of any extent, e.g. 160 x 160 x 16 with register tiles of
//               10 x 10. Extents need not be equal, nor powers of two, nor multiples of what the
//               work-group copies at once: the last copy of a work-item is left out where it falls
//               outside the tile. Vectors along m and n have widths of their own. Sizes are then
//               seldom multiples of the tile: passes around this kernel pad A and B with zeros and
//               take C out of the padded product.
// Defines       TSM, TSN, TSK           work-group tile along m and n, step along k
//               WPTM, WPTN              register tile
//               WIDTHM, WIDTHN          elements of a vector along m and n: 1, 2, 4, 8, 16
//               PREFETCH                1 as in step 9; 0 one pair of tiles, two barriers a step
//               A_K_MAJOR = 0, B_K_MAJOR = 0
// Constraints   WPTM divides TSM, WIDTHM divides WPTM; the same for n; m, n, k multiples of TSM,
//               TSN, TSK, and k > 0; offset, ld and stride of A multiples of WIDTHM, of B of WIDTHN
// Launch        (m / TSM) x (n / TSN) x batch work-groups of RTSM x RTSN items
// Local memory  (1 + PREFETCH) * (TSM + TSN) * TSK * 4 bytes
// Credit        after step 10 of Cedric Nugteren's OpenCL SGEMM tutorial (idea only)

#if !defined(TSM) || !defined(TSN) || !defined(TSK) || !defined(WPTM) || !defined(WPTN)
#error "TSM, TSN, TSK, WPTM and WPTN must be defined: tile extents, rows and columns per work-item"
#endif
#if !defined(WIDTHM) || !defined(WIDTHN) || !defined(PREFETCH)
#error "WIDTHM, WIDTHN and PREFETCH must be defined: vector widths, double buffering (0 or 1)"
#endif
#if TSM % WPTM != 0 || TSN % WPTN != 0 || WPTM % WIDTHM != 0 || WPTN % WIDTHN != 0
#error "WIDTHM must divide WPTM, WPTM TSM, WIDTHN WPTN, and WPTN TSN"
#endif
#if !defined(A_K_MAJOR) || !defined(B_K_MAJOR) || A_K_MAJOR != 0 || B_K_MAJOR != 0
#error "this kernel takes A m-major (A_K_MAJOR=0) and B n-major (B_K_MAJOR=0)"
#endif

#define RTSM (TSM / WPTM)
#define RTSN (TSN / WPTN)
#define ITEMS (RTSM * RTSN)
#define VTSM (TSM / WIDTHM) // vectors in a row of a tile
#define VTSN (TSN / WIDTHN)
#define VECTORS_A (VTSM * TSK) // vectors in a tile
#define VECTORS_B (VTSN * TSK)
#define LPTA ((VECTORS_A + ITEMS - 1) / ITEMS) // vectors of a tile that a work-item copies, at most
#define LPTB ((VECTORS_B + ITEMS - 1) / ITEMS)
#define VPTM (WPTM / WIDTHM) // vectors that a work-item owns along m and along n
#define VPTN (WPTN / WIDTHN)
typedef FLOATX(WIDTHM) floatM;
typedef FLOATX(WIDTHN) floatN;

// The l-th copy of a work-item is vector `id` of a tile of `vectors`. Only the last one can fall
// outside the tile, if the number of work-items does not divide it. Else the condition is a
// constant.
#define FOR_EACH_COPY(l, id, lpt, vectors)                                                             \
    _Pragma("unroll") for (uint l = 0, id = item; l < (lpt); ++l, id += ITEMS)                          \
        if ((vectors) % ITEMS == 0 || l < (lpt)-1 || id < (vectors))
#define FOR_EACH_COPY_OF_A(l, id) FOR_EACH_COPY(l, id, LPTA, VECTORS_A)
#define FOR_EACH_COPY_OF_B(l, id) FOR_EACH_COPY(l, id, LPTB, VECTORS_B)
#define GLOBAL_A(id) WIDE(WIDTHM, a + (id) % VTSM * WIDTHM + (id) / VTSM * lda)
#define GLOBAL_B(id) WIDE(WIDTHN, b + (id) % VTSN * WIDTHN + (id) / VTSN * ldb)

#define NUMBERS(N) GEMM_NUMBERS(N)
NUMBERS_STRUCT(NUMBERS);

kernel __attribute__((reqd_work_group_size(RTSM, RTSN, 1))) void
sgemm_incomplete_tiles(Numbers numbers, global const float* restrict a,
                       global const float* restrict b, global float* c) {
    READ_NUMBERS(NUMBERS);
    local floatM a_tiles[1 + PREFETCH][VECTORS_A]; // [buffer][p * VTSM + i / WIDTHM]
    local floatN b_tiles[1 + PREFETCH][VECTORS_B]; // [buffer][p * VTSN + j / WIDTHN]

    const int x = (int)get_local_id(0);
    const int y = (int)get_local_id(1);
    const uint item = y * RTSM + x;
    const long batch = (long)get_group_id(2);
    const long i0 = (long)get_group_id(0) * TSM;
    const long j0 = (long)get_group_id(1) * TSN;
    a += offset_a + batch * stride_a + i0;
    b += offset_b + batch * stride_b + j0;
    c += offset_c + batch * stride_c + (j0 + y * WIDTHN) * ldc + i0 + x * WIDTHM;

#if PREFETCH
    // No arithmetic hides the loads of the first step.
    FOR_EACH_COPY_OF_A(l, id) a_tiles[0][id] = GLOBAL_A(id);
    FOR_EACH_COPY_OF_B(l, id) b_tiles[0][id] = GLOBAL_B(id);
    barrier(CLK_LOCAL_MEM_FENCE);
#endif

    floatM sums[WPTN][VPTM];
#pragma unroll
    for (int w = 0; w < WPTN; ++w)
#pragma unroll
        for (int u = 0; u < VPTM; ++u)
            sums[w][u] = (floatM)(0.0f);

    int buffer = 0;
    for (long step = k / TSK; step > 0; --step) {
#if PREFETCH
        const bool more = step > 1; // the same for all work-items
        floatM a_next[LPTA];
        floatN b_next[LPTB];
        if (more) {
            a += TSK * lda;
            b += TSK * ldb;
            FOR_EACH_COPY_OF_A(l, id) a_next[l] = GLOBAL_A(id);
            FOR_EACH_COPY_OF_B(l, id) b_next[l] = GLOBAL_B(id);
        }
#else
        FOR_EACH_COPY_OF_A(l, id) a_tiles[0][id] = GLOBAL_A(id);
        FOR_EACH_COPY_OF_B(l, id) b_tiles[0][id] = GLOBAL_B(id);
        a += TSK * lda;
        b += TSK * ldb;
        barrier(CLK_LOCAL_MEM_FENCE); // the tiles are complete
#endif

#pragma unroll
        for (int p = 0; p < TSK; ++p) {
            floatM a_values[VPTM];
#pragma unroll
            for (int u = 0; u < VPTM; ++u)
                a_values[u] = a_tiles[buffer][p * VTSM + x + u * RTSM];
            float b_values[WPTN];
#pragma unroll
            for (int v = 0; v < VPTN; ++v) {
                const floatN b_vector = b_tiles[buffer][p * VTSN + y + v * RTSN];
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
        if (more) {
            FOR_EACH_COPY_OF_A(l, id) a_tiles[buffer][id] = a_next[l];
            FOR_EACH_COPY_OF_B(l, id) b_tiles[buffer][id] = b_next[l];
        }
#endif
        barrier(CLK_LOCAL_MEM_FENCE); // all have read this pair, and the next one is complete
    }

    const bool aligned = C_ALIGNED(WIDTHM, c, ldc, stride_c);
#pragma unroll
    for (int w = 0; w < WPTN; ++w) {
        // Column w of the work-item is lane w % WIDTHN of its group w / WIDTHN.
        global float* column = c + (w / WIDTHN * RTSN * WIDTHN + w % WIDTHN) * ldc;
#pragma unroll
        for (int u = 0; u < VPTM; ++u)
            STORE_C_WIDE(WIDTHM, aligned, column + u * RTSM * WIDTHM, sums[w][u], alpha, beta);
    }
}
