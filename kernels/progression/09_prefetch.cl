// SPDX-License-Identifier: Apache-2.0
//
// Step 9: prefetch.
//
//   C(i, j) = alpha * sum over p of A(i, p) * B(p, j) + beta * C(i, j)
//
// Index map     as in step 7, with RTSM = TSM / WPTM and RTSN = TSN / WPTN
// What is new   against step 7: double buffering. The global loads of the next step go into
//               registers before the fmas of this one, and to a second pair of tiles after them, so
//               that arithmetic hides their latency. Nobody reads the pair that is written: one
//               barrier a step is enough, where a single pair needs two.
// Defines       TSM, TSN, TSK           work-group tile along m and n, step along k
//               WPTM, WPTN              register tile
//               WIDTH                   elements of a vector: 1, 2, 4, 8, 16
//               A_K_MAJOR = 0, B_K_MAJOR = 0
// Constraints   those of step 7, and k > 0
// Launch        (m / TSM) x (n / TSN) x batch work-groups of RTSM x RTSN items
// Local memory  2 * (TSM + TSN) * TSK * 4 bytes
// Credit        after step 9 of Cedric Nugteren's OpenCL SGEMM tutorial (idea only)

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

// Element x, y of a tile's vectors for the l-th copy of a work-item.
#define COPY_X(item, l, row) (((item) + (l) * ITEMS) % (row))
#define COPY_P(item, l, row) (((item) + (l) * ITEMS) / (row))

#define NUMBERS(N) GEMM_NUMBERS(N)
NUMBERS_STRUCT(NUMBERS);

kernel __attribute__((reqd_work_group_size(RTSM, RTSN, 1))) void
sgemm_prefetch(Numbers numbers, global const float* restrict a, global const float* restrict b,
               global float* c) {
    READ_NUMBERS(NUMBERS);
    local floatX a_tiles[2][TSK][VTSM]; // [buffer][p][i / WIDTH]
    local floatX b_tiles[2][TSK][VTSN]; // [buffer][p][j / WIDTH]

    const int x = (int)get_local_id(0);
    const int y = (int)get_local_id(1);
    const uint item = y * RTSM + x;
    const long batch = (long)get_group_id(2);
    const long i0 = (long)get_group_id(0) * TSM;
    const long j0 = (long)get_group_id(1) * TSN;
    a += offset_a + batch * stride_a + i0;
    b += offset_b + batch * stride_b + j0;
    c += offset_c + batch * stride_c + (j0 + y * WIDTH) * ldc + i0 + x * WIDTH;

    // No arithmetic hides the loads of the first step.
#pragma unroll
    for (int l = 0; l < LPTA; ++l) {
        const uint cx = COPY_X(item, l, VTSM), cp = COPY_P(item, l, VTSM);
        a_tiles[0][cp][cx] = WIDE(WIDTH, a + cx * WIDTH + cp * lda);
    }
#pragma unroll
    for (int l = 0; l < LPTB; ++l) {
        const uint cx = COPY_X(item, l, VTSN), cp = COPY_P(item, l, VTSN);
        b_tiles[0][cp][cx] = WIDE(WIDTH, b + cx * WIDTH + cp * ldb);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    floatX sums[WPTN][VPTM];
#pragma unroll
    for (int w = 0; w < WPTN; ++w)
#pragma unroll
        for (int u = 0; u < VPTM; ++u)
            sums[w][u] = (floatX)(0.0f);

    int buffer = 0;
    for (long step = k / TSK; step > 0; --step) {
        const bool more = step > 1; // the same for all work-items
        floatX a_next[LPTA], b_next[LPTB];
        if (more) {
            a += TSK * lda;
            b += TSK * ldb;
#pragma unroll
            for (int l = 0; l < LPTA; ++l)
                a_next[l] = WIDE(WIDTH, a + COPY_X(item, l, VTSM) * WIDTH +
                                            COPY_P(item, l, VTSM) * lda);
#pragma unroll
            for (int l = 0; l < LPTB; ++l)
                b_next[l] = WIDE(WIDTH, b + COPY_X(item, l, VTSN) * WIDTH +
                                            COPY_P(item, l, VTSN) * ldb);
        }

#pragma unroll
        for (int p = 0; p < TSK; ++p) {
            floatX a_values[VPTM];
#pragma unroll
            for (int u = 0; u < VPTM; ++u)
                a_values[u] = a_tiles[buffer][p][x + u * RTSM];
            float b_values[WPTN];
#pragma unroll
            for (int v = 0; v < VPTN; ++v) {
                const floatX b_vector = b_tiles[buffer][p][y + v * RTSN];
                SPREAD(WIDTH, b_values + v * WIDTH, b_vector);
            }
#pragma unroll
            for (int w = 0; w < WPTN; ++w)
#pragma unroll
                for (int u = 0; u < VPTM; ++u)
                    sums[w][u] = FMA(a_values[u], (floatX)(b_values[w]), sums[w][u]);
        }

        buffer ^= 1;
        if (more) {
#pragma unroll
            for (int l = 0; l < LPTA; ++l)
                a_tiles[buffer][COPY_P(item, l, VTSM)][COPY_X(item, l, VTSM)] = a_next[l];
#pragma unroll
            for (int l = 0; l < LPTB; ++l)
                b_tiles[buffer][COPY_P(item, l, VTSN)][COPY_X(item, l, VTSN)] = b_next[l];
        }
        barrier(CLK_LOCAL_MEM_FENCE); // the next pair is complete, and all have read this one
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
