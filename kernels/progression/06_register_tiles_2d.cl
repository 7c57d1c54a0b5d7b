// SPDX-License-Identifier: Apache-2.0
//
// Step 6: two-dimensional register tiles.
//
//   C(i, j) = alpha * sum over p of A(i, p) * B(p, j) + beta * C(i, j)
//
// Index map     with RTSM = TSM / WPTM, RTSN = TSN / WPTN: work-item (x, y) of work-group (gx, gy)
//               computes the WPTM x WPTN elements i(u) = gx * TSM + x + u * RTSM,
//               j(w) = gy * TSN + y + w * RTSN. Which elements it copies follows from its linear
//               index.
// What is new   against step 5: a register tile. WPTM values of A and WPTN of B make WPTM * WPTN
//               fmas, so that local memory is read (WPTM + WPTN) / (WPTM * WPTN) times per fma. B's
//               tile stays as it was read, [p][j]: neighbours read neighbouring words or the same
//               one, and no bank padding is needed.
// Defines       TSM, TSN, TSK           work-group tile along m and n, step along k
//               WPTM, WPTN              register tile
//               A_K_MAJOR = 0, B_K_MAJOR = 0
// Constraints   WPTM divides TSM, WPTN divides TSN; the RTSM * RTSN work-items divide TSM * TSK and
//               TSN * TSK, so that each copies equally many elements; m, n, k multiples of TSM,
//               TSN, TSK
// Launch        (m / TSM) x (n / TSN) x batch work-groups of RTSM x RTSN items
// Local memory  (TSM + TSN) * TSK * 4 bytes
// Credit        after step 6 of Cedric Nugteren's OpenCL SGEMM tutorial (idea only)

#if !defined(TSM) || !defined(TSN) || !defined(TSK) || !defined(WPTM) || !defined(WPTN)
#error "TSM, TSN, TSK, WPTM and WPTN must be defined: tile extents, rows and columns per work-item"
#endif
#if TSM % WPTM != 0 || TSN % WPTN != 0
#error "WPTM must divide TSM, and WPTN TSN"
#endif
#define RTSM (TSM / WPTM)
#define RTSN (TSN / WPTN)
#define ITEMS (RTSM * RTSN)
#if TSM * TSK % ITEMS != 0 || TSN * TSK % ITEMS != 0
#error "the number of work-items must divide both tiles"
#endif
#if !defined(A_K_MAJOR) || !defined(B_K_MAJOR) || A_K_MAJOR != 0 || B_K_MAJOR != 0
#error "this kernel takes A m-major (A_K_MAJOR=0) and B n-major (B_K_MAJOR=0)"
#endif

#define LPTA (TSM * TSK / ITEMS) // elements of a tile that a work-item copies
#define LPTB (TSN * TSK / ITEMS)

#define NUMBERS(N) GEMM_NUMBERS(N)
NUMBERS_STRUCT(NUMBERS);

kernel __attribute__((reqd_work_group_size(RTSM, RTSN, 1))) void
sgemm_register_tiles_2d(Numbers numbers, global const float* restrict a,
                        global const float* restrict b, global float* c) {
    READ_NUMBERS(NUMBERS);
    local float a_tile[TSK][TSM]; // [p][i]
    local float b_tile[TSK][TSN]; // [p][j]

    const int x = (int)get_local_id(0);
    const int y = (int)get_local_id(1);
    const uint item = y * RTSM + x;
    const long batch = (long)get_group_id(2);
    const long i0 = (long)get_group_id(0) * TSM;
    const long j0 = (long)get_group_id(1) * TSN;
    a += offset_a + batch * stride_a + i0;
    b += offset_b + batch * stride_b + j0;
    c += offset_c + batch * stride_c + (j0 + y) * ldc + i0 + x;

    float sums[WPTN][WPTM];
#pragma unroll
    for (int w = 0; w < WPTN; ++w)
#pragma unroll
        for (int u = 0; u < WPTM; ++u)
            sums[w][u] = 0.0f;

    for (long step = k / TSK; step > 0; --step) {
#pragma unroll
        for (int l = 0; l < LPTA; ++l) {
            const uint id = item + l * ITEMS;
            a_tile[id / TSM][id % TSM] = a[id % TSM + id / TSM * lda];
        }
#pragma unroll
        for (int l = 0; l < LPTB; ++l) {
            const uint id = item + l * ITEMS;
            b_tile[id / TSN][id % TSN] = b[id % TSN + id / TSN * ldb];
        }
        a += TSK * lda;
        b += TSK * ldb;
        barrier(CLK_LOCAL_MEM_FENCE); // the tiles are complete

#pragma unroll
        for (int p = 0; p < TSK; ++p) {
            float a_values[WPTM];
#pragma unroll
            for (int u = 0; u < WPTM; ++u)
                a_values[u] = a_tile[p][x + u * RTSM];
#pragma unroll
            for (int w = 0; w < WPTN; ++w) {
                const float b_value = b_tile[p][y + w * RTSN];
#pragma unroll
                for (int u = 0; u < WPTM; ++u)
                    sums[w][u] = FMA(a_values[u], b_value, sums[w][u]);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE); // all have read the tiles
    }

#pragma unroll
    for (int w = 0; w < WPTN; ++w)
#pragma unroll
        for (int u = 0; u < WPTM; ++u)
            STORE_C(c + w * RTSN * ldc + u * RTSM, sums[w][u], alpha, beta);
}
