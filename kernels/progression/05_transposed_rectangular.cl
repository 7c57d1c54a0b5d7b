// SPDX-License-Identifier: Apache-2.0
//
// Step 5: transposed input, rectangular tiles.
//
//   C(i, j) = alpha * sum over p of A(i, p) * B(p, j) + beta * C(i, j)
//
// Index map     with RTSN = TSN / WPTN: work-item (x, y) of work-group (gx, gy) owns row
//               i = gx * TSM + x of the WPTN columns j(w) = gy * TSN + y + w * RTSN. The copies of a
//               step of depth TSK are dealt out by the linear index of the work-item alone.
// New here      B is n-major (a pre-pass transposes it where it is not): its tile, too, is read from
//               global memory along m or n, and only TSK deep. Tiles are rectangular, so local
//               memory, work-group and work per item are chosen apart. B's tile is turned on the way
//               to local memory, [j][p]; without the PADDING columns, writes of neighbouring j would
//               fall TSK words apart and so into few banks.
// Defines       TSM, TSN, TSK, WPTN, PADDING; A_K_MAJOR = 0, B_K_MAJOR = 0.
//               Derived: LPTA, LPTB, the elements of a tile that a work-item copies.
// Constraints   WPTN divides TSN; the TSM * RTSN work-items divide TSM * TSK and TSN * TSK: every
//               work-item copies equally many elements
// Preconditions m, n, k multiples of TSM, TSN, TSK
// Launch        work-groups (m / TSM) x (n / TSN) x batch of TSM x RTSN items
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
        barrier(CLK_LOCAL_MEM_FENCE); // all have read them: they may be overwritten
    }

#pragma unroll
    for (int w = 0; w < WPTN; ++w)
        STORE_C(c + w * RTSN * ldc, sums[w], alpha, beta);
}
