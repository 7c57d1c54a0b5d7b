// SPDX-License-Identifier: Apache-2.0
//
// Step 3: more work per item.
//
//   C(i, j) = alpha * sum over p of A(i, p) * B(p, j) + beta * C(i, j)
//
// Index map     with RTS = TS / WPT: work-item (x, y) of work-group (gx, gy) computes row i = gx *
//               TS + x of the WPT columns j(w) = gy * TS + y + w * RTS. In every step of TS along k
//               it copies WPT elements of each tile, RTS columns apart.
// What is new   against step 2: an element of A, once in a register, is used for WPT columns. Each
//               fma reads local memory 1 + 1 / WPT times instead of twice. The WPT sums are
//               independent, so that they hide each other's latency.
// Defines       TS                      extent of the square tiles
//               WPT                     columns of C per work-item
//               A_K_MAJOR = 0, B_K_MAJOR = 1
// Constraints   WPT divides TS; m, n, k multiples of TS
// Launch        (m / TS) x (n / TS) x batch work-groups of TS x RTS items
// Local memory  2 * TS * TS * 4 bytes
// Credit        after step 3 of Cedric Nugteren's OpenCL SGEMM tutorial (idea only)

#if !defined(TS) || !defined(WPT)
#error "TS and WPT must be defined: tile extent, columns per work-item"
#endif
#if TS % WPT != 0
#error "WPT must divide TS"
#endif
#if !defined(A_K_MAJOR) || !defined(B_K_MAJOR) || A_K_MAJOR != 0 || B_K_MAJOR != 1
#error "this kernel takes A m-major (A_K_MAJOR=0) and B k-major (B_K_MAJOR=1)"
#endif

#define RTS (TS / WPT)

#define NUMBERS(N) GEMM_NUMBERS(N)
NUMBERS_STRUCT(NUMBERS);

kernel __attribute__((reqd_work_group_size(TS, RTS, 1))) void
sgemm_more_work_per_item(Numbers numbers, global const float* restrict a,
                         global const float* restrict b, global float* c) {
    READ_NUMBERS(NUMBERS);
    local float a_tile[TS][TS]; // [p][i]
    local float b_tile[TS][TS]; // [j][p]

    const int x = (int)get_local_id(0);
    const int y = (int)get_local_id(1);
    const long i = (long)get_group_id(0) * TS + x;
    const long j = (long)get_group_id(1) * TS + y;
    const long batch = (long)get_group_id(2);
    a += offset_a + batch * stride_a + i + y * lda;
    b += offset_b + batch * stride_b + j * ldb + x;
    c += offset_c + batch * stride_c + j * ldc + i;

    float sums[WPT];
#pragma unroll
    for (int w = 0; w < WPT; ++w)
        sums[w] = 0.0f;

    for (long step = k / TS; step > 0; --step) {
#pragma unroll
        for (int w = 0; w < WPT; ++w) {
            a_tile[y + w * RTS][x] = a[w * RTS * lda];
            b_tile[y + w * RTS][x] = b[w * RTS * ldb];
        }
        a += TS * lda;
        b += TS;
        barrier(CLK_LOCAL_MEM_FENCE); // the tiles are complete

#pragma unroll
        for (int p = 0; p < TS; ++p) {
            const float a_value = a_tile[p][x];
#pragma unroll
            for (int w = 0; w < WPT; ++w)
                sums[w] = FMA(a_value, b_tile[y + w * RTS][p], sums[w]);
        }
        barrier(CLK_LOCAL_MEM_FENCE); // all have read the tiles
    }

#pragma unroll
    for (int w = 0; w < WPT; ++w)
        STORE_C(c + w * RTS * ldc, sums[w], alpha, beta);
}
