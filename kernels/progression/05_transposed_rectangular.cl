// SPDX-License-Identifier: Apache-2.0
//
// Step 5: transposed input, rectangular tiles.
//
//   C(i, j) = alpha * sum over p of A(i, p) * B(p, j) + beta * C(i, j)
//
// Index map     with RTSN = TSN / WPTN: work-item (x, y) of work-group (gx, gy) computes row
//               i = gx * TSM + x of the WPTN columns j(w) = gy * TSN + y + w * RTSN. Which elements
//               of a tile it copies follows from its linear index alone.
// What is new   against step 3: B is n-major (a pre-pass transposes it where it is not), so that
//               both tiles are read from global memory along m or n, and need be only TSK deep.
//               Tiles are rectangular: local memory, work-group and work per item are chosen
//               independently. B's tile is transposed on its way to local memory, to [j][p].
//               PADDING columns keep the stores of neighbouring j, TSK words apart, in different
//               banks.
// Defines       TSM, TSN, TSK           work-group tile along m and n, step along k
//               WPTN                    columns of C per work-item
//               PADDING                 unused elements per row of B's tile
//               A_K_MAJOR = 0, B_K_MAJOR = 0
// Constraints   WPTN divides TSN; the TSM * RTSN work-items divide TSM * TSK and TSN * TSK, so that
//               each copies equally many elements; m, n, k multiples of TSM, TSN, TSK
// Launch        (m / TSM) x (n / TSN) x batch work-groups of TSM x RTSN items
// Local memory  (TSK * TSM + TSN * (TSK + PADDING)) * 4 bytes
// Credit        after step 5 of Cedric Nugteren's OpenCL SGEMM tutorial (idea only)

#if !defined(TSM) || !defined(TSN) || !defined(TSK) || !defined(WPTN) || !defined(PADDING)
#error "TSM, TSN, TSK, WPTN and PADDING must be defined: tile extents, columns per item, bank padding"
#endif
#if TSN % WPTN != 0
#error "WPTN must divide TSN"
#endif
#define RTSN (TSN / WPTN)
#define ITEMS (TSM * RTSN)
#if TSM * TSK % ITEMS != 0 || TSN * TSK % ITEMS != 0
#error "the number of work-items must divide both tiles"
#endif
#if !defined(A_K_MAJOR) || !defined(B_K_MAJOR) || A_K_MAJOR != 0 || B_K_MAJOR != 0
#error "this kernel takes A m-major (A_K_MAJOR=0) and B n-major (B_K_MAJOR=0)"
#endif

// Elements of a tile that a work-item copies.
#define LPTA (TSM * TSK / ITEMS)
#define LPTB (TSN * TSK / ITEMS)

#define NUMBERS(N) GEMM_NUMBERS(N)
NUMBERS_STRUCT(NUMBERS);

kernel __attribute__((reqd_work_group_size(TSM, RTSN, 1))) void
sgemm_transposed_rectangular(Numbers numbers, global const float* restrict a,
                             global const float* restrict b, global float* c) {
    READ_NUMBERS(NUMBERS);
    local float a_tile[TSK][TSM];           // [p][i]
    local float b_tile[TSN][TSK + PADDING]; // [j][p]

    const int x = (int)get_local_id(0);
    const int y = (int)get_local_id(1);
    const uint item = y * TSM + x;
    const long batch = (long)get_group_id(2);
    const long i0 = (long)get_group_id(0) * TSM;
    const long j0 = (long)get_group_id(1) * TSN;
    a += offset_a + batch * stride_a + i0;
    b += offset_b + batch * stride_b + j0;
    c += offset_c + batch * stride_c + (j0 + y) * ldc + i0 + x;

    float sums[WPTN];
#pragma unroll
    for (int w = 0; w < WPTN; ++w)
        sums[w] = 0.0f;

    for (long step = k / TSK; step > 0; --step) {
#pragma unroll
        for (int l = 0; l < LPTA; ++l) {
            const uint id = item + l * ITEMS;
            a_tile[id / TSM][id % TSM] = a[id % TSM + id / TSM * lda];
        }
#pragma unroll
        for (int l = 0; l < LPTB; ++l) {
            const uint id = item + l * ITEMS;
            b_tile[id % TSN][id / TSN] = b[id % TSN + id / TSN * ldb];
        }
        a += TSK * lda;
        b += TSK * ldb;
        barrier(CLK_LOCAL_MEM_FENCE); // the tiles are complete

#pragma unroll
        for (int p = 0; p < TSK; ++p) {
            const float a_value = a_tile[p][x];
#pragma unroll
            for (int w = 0; w < WPTN; ++w)
                sums[w] = FMA(a_value, b_tile[y + w * RTSN][p], sums[w]);
        }
        barrier(CLK_LOCAL_MEM_FENCE); // all have read the tiles
    }

#pragma unroll
    for (int w = 0; w < WPTN; ++w)
        STORE_C(c + w * RTSN * ldc, sums[w], alpha, beta);
}
