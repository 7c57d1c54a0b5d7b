// SPDX-License-Identifier: Apache-2.0
//
// Step 2: tiles in local memory.
//
//   C(i, j) = alpha * sum over p of A(i, p) * B(p, j) + beta * C(i, j)
//
// Index map     work-item (x, y) of work-group (gx, gy) computes i = gx * TS + x, j = gy * TS + y.
//               In every step of TS along k it copies A(i, p0 + y) and B(p0 + x, j) to local
//               memory.
// What is new   against step 1: the work-group copies a TS x TS tile of A and of B to local memory
//               once and reads each element TS times from there. Global loads drop to 1 / TS.
//               Neighbours in x copy and read neighbouring elements of a tile.
// Defines       TS                      extent of the square tiles
//               A_K_MAJOR = 0, B_K_MAJOR = 1
// Constraints   m, n, k multiples of TS
// Launch        (m / TS) x (n / TS) x batch work-groups of TS x TS items
// Local memory  2 * TS * TS * 4 bytes
// Credit        after step 2 of Cedric Nugteren's OpenCL SGEMM tutorial (idea only)

#if !defined(TS)
#error "TS must be defined: the extent of the square tiles"
#endif
#if !defined(A_K_MAJOR) || !defined(B_K_MAJOR) || A_K_MAJOR != 0 || B_K_MAJOR != 1
#error "this kernel takes A m-major (A_K_MAJOR=0) and B k-major (B_K_MAJOR=1)"
#endif

#define NUMBERS(N) GEMM_NUMBERS(N)
NUMBERS_STRUCT(NUMBERS);

kernel __attribute__((reqd_work_group_size(TS, TS, 1))) void
sgemm_local_memory_tiles(Numbers numbers, global const float* restrict a,
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

    float sum = 0.0f;
    for (long step = k / TS; step > 0; --step) {
        a_tile[y][x] = *a;
        b_tile[y][x] = *b;
        a += TS * lda;
        b += TS;
        barrier(CLK_LOCAL_MEM_FENCE); // the tiles are complete

#pragma unroll
        for (int p = 0; p < TS; ++p)
            sum = FMA(a_tile[p][x], b_tile[y][p], sum);
        barrier(CLK_LOCAL_MEM_FENCE); // all have read the tiles
    }

    STORE_C(c + offset_c + batch * stride_c + j * ldc + i, sum, alpha, beta);
}
