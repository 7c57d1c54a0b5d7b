// SPDX-License-Identifier: Apache-2.0
//
// Step 7: wide loads with register tiles.
//
//   C(i, j) = alpha * sum over p of A(i, p) * B(p, j) + beta * C(i, j)
//
// Index map     with RTSM = TSM / WPTM, RTSN = TSN / WPTN: work-item (x, y) of work-group (gx, gy)
//               computes WPTM / WIDTH vectors of rows, gx * TSM + (x + u * RTSM) * WIDTH + lane, of
//               WPTN / WIDTH groups of columns, gy * TSN + (y + v * RTSN) * WIDTH + lane. Which
//               vectors it copies follows from its linear index.
// What is new   against step 6: vectors from global memory to local memory and on to registers. The
//               vectors of a work-item lie RTSM or RTSN vectors apart, so that neighbours in x read
//               neighbouring vectors: no bank conflicts. Sums are vectors along m, which a CPU
//               keeps as such.
// Defines       TSM, TSN, TSK           work-group tile along m and n, step along k
//               WPTM, WPTN              register tile
//               WIDTH                   elements of a vector: 1, 2, 4, 8, 16
//               A_K_MAJOR = 0, B_K_MAJOR = 0
// Constraints   WPTM divides TSM, WPTN divides TSN, WIDTH divides WPTM and WPTN; the RTSM * RTSN
//               work-items times WIDTH divide TSM * TSK and TSN * TSK, so that each copies equally
//               many vectors; m, n, k multiples of TSM, TSN, TSK; offset, ld and stride of A and B
//               multiples of WIDTH
// Launch        (m / TSM) x (n / TSN) x batch work-groups of RTSM x RTSN items
// Local memory  (TSM + TSN) * TSK * 4 bytes
// Credit        after step 7 of Cedric Nugteren's OpenCL SGEMM tutorial (idea only)

#if !defined(TSM) || !defined(TSN) || !defined(TSK) || !defined(WPTM) || !defined(WPTN) ||             \
    !defined(WIDTH)
#error "TSM, TSN, TSK, WPTM, WPTN and WIDTH must be defined: tiles, work per item, vector width"
#endif
#if TSM % WPTM != 0 || TSN % WPTN != 0 || WPTM % WIDTH != 0 || WPTN % WIDTH != 0
#error "WIDTH must divide WPTM and WPTN, WPTM must divide TSM, and WPTN TSN"
#endif
#define RTSM (TSM / WPTM)
#define RTSN (TSN / WPTN)
#define ITEMS (RTSM * RTSN)
#if TSM * TSK % (ITEMS * WIDTH) != 0 || TSN * TSK % (ITEMS * WIDTH) != 0
#error "the number of work-items times WIDTH must divide both tiles"
#endif
#if !defined(A_K_MAJOR) || !defined(B_K_MAJOR) || A_K_MAJOR != 0 || B_K_MAJOR != 0
#error "this kernel takes A m-major (A_K_MAJOR=0) and B n-major (B_K_MAJOR=0)"
#endif

#define VTSM (TSM / WIDTH) // vectors in a row of a tile
#define VTSN (TSN / WIDTH)
#define LPTA (VTSM * TSK / ITEMS) // vectors of a tile that a work-item copies
#define LPTB (VTSN * TSK / ITEMS)
#define VPTM (WPTM / WIDTH) // vectors that a work-item owns along m and along n
#define VPTN (WPTN / WIDTH)
typedef FLOATX(WIDTH) floatX;

#define NUMBERS(N) GEMM_NUMBERS(N)
NUMBERS_STRUCT(NUMBERS);

kernel __attribute__((reqd_work_group_size(RTSM, RTSN, 1))) void
sgemm_wide_loads(Numbers numbers, global const float* restrict a, global const float* restrict b,
                 global float* c) {
    READ_NUMBERS(NUMBERS);
    local floatX a_tile[TSK][VTSM]; // [p][i / WIDTH]
    local floatX b_tile[TSK][VTSN]; // [p][j / WIDTH]

    const int x = (int)get_local_id(0);
    const int y = (int)get_local_id(1);
    const uint item = y * RTSM + x;
    const long batch = (long)get_group_id(2);
    const long i0 = (long)get_group_id(0) * TSM;
    const long j0 = (long)get_group_id(1) * TSN;
    a += offset_a + batch * stride_a + i0;
    b += offset_b + batch * stride_b + j0;
    c += offset_c + batch * stride_c + (j0 + y * WIDTH) * ldc + i0 + x * WIDTH;

    floatX sums[WPTN][VPTM];
#pragma unroll
    for (int w = 0; w < WPTN; ++w)
#pragma unroll
        for (int u = 0; u < VPTM; ++u)
            sums[w][u] = (floatX)(0.0f);

    for (long step = k / TSK; step > 0; --step) {
#pragma unroll
        for (int l = 0; l < LPTA; ++l) {
            const uint id = item + l * ITEMS;
            a_tile[id / VTSM][id % VTSM] = WIDE(WIDTH, a + id % VTSM * WIDTH + id / VTSM * lda);
        }
#pragma unroll
        for (int l = 0; l < LPTB; ++l) {
            const uint id = item + l * ITEMS;
            b_tile[id / VTSN][id % VTSN] = WIDE(WIDTH, b + id % VTSN * WIDTH + id / VTSN * ldb);
        }
        a += TSK * lda;
        b += TSK * ldb;
        barrier(CLK_LOCAL_MEM_FENCE); // the tiles are complete

#pragma unroll
        for (int p = 0; p < TSK; ++p) {
            floatX a_values[VPTM];
#pragma unroll
            for (int u = 0; u < VPTM; ++u)
                a_values[u] = a_tile[p][x + u * RTSM];
            float b_values[WPTN];
#pragma unroll
            for (int v = 0; v < VPTN; ++v) {
                const floatX b_vector = b_tile[p][y + v * RTSN];
                SPREAD(WIDTH, b_values + v * WIDTH, b_vector);
            }
#pragma unroll
            for (int w = 0; w < WPTN; ++w)
#pragma unroll
                for (int u = 0; u < VPTM; ++u)
                    sums[w][u] = FMA(a_values[u], (floatX)(b_values[w]), sums[w][u]);
        }
        barrier(CLK_LOCAL_MEM_FENCE); // all have read the tiles
    }

    const bool aligned = C_ALIGNED(WIDTH, c, ldc, stride_c);
#pragma unroll
    for (int w = 0; w < WPTN; ++w) {
        // Column w of the work-item is lane w % WIDTH of its group w / WIDTH.
        global float* column = c + (w / WIDTH * RTSN * WIDTH + w % WIDTH) * ldc;
#pragma unroll
        for (int u = 0; u < VPTM; ++u)
            STORE_C_WIDE(WIDTH, aligned, column + u * RTSM * WIDTH, sums[w][u], alpha, beta);
    }
}
