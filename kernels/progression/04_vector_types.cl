// SPDX-License-Identifier: Apache-2.0
//
// Step 4: vector types.
//
//   C(i, j) = alpha * sum over p of A(i, p) * B(p, j) + beta * C(i, j)
//
// Index map     with RTS = TS / WIDTH: work-item (x, y) of work-group (gx, gy) computes the WIDTH
//               rows i(w) = gx * TS + x * WIDTH + w of column j = gy * TS + y. In every step of TS
//               along k it copies one vector of A (along m) and one of B (along k).
// What is new   against step 2: one access moves WIDTH elements, in global memory, local memory and
//               registers. Against step 3: the element used for several elements of C is one of B,
//               and a CPU multiplies a whole vector at once.
// Defines       TS                      extent of the square tiles
//               WIDTH                   elements of a vector: 1, 2, 4, 8, 16
//               A_K_MAJOR = 0, B_K_MAJOR = 1
// Constraints   WIDTH divides TS; m, n, k multiples of TS; offset, ld and stride of A and B
//               multiples of WIDTH
// Launch        (m / TS) x (n / TS) x batch work-groups of RTS x TS items
// Local memory  2 * TS * TS * 4 bytes
// Credit        after step 4 of Cedric Nugteren's OpenCL SGEMM tutorial (idea only)

#if !defined(TS) || !defined(WIDTH)
#error "TS and WIDTH must be defined: tile extent, vector width"
#endif
#if TS % WIDTH != 0
#error "WIDTH must divide TS"
#endif
#if !defined(A_K_MAJOR) || !defined(B_K_MAJOR) || A_K_MAJOR != 0 || B_K_MAJOR != 1
#error "this kernel takes A m-major (A_K_MAJOR=0) and B k-major (B_K_MAJOR=1)"
#endif

#define RTS (TS / WIDTH)
typedef FLOATX(WIDTH) floatX;

#define NUMBERS(N) GEMM_NUMBERS(N)
NUMBERS_STRUCT(NUMBERS);

kernel __attribute__((reqd_work_group_size(RTS, TS, 1))) void
sgemm_vector_types(Numbers numbers, global const float* restrict a, global const float* restrict b,
                   global float* c) {
    READ_NUMBERS(NUMBERS);
    local floatX a_tile[TS][RTS]; // [p][i / WIDTH]
    local floatX b_tile[TS][RTS]; // [j][p / WIDTH]

    const int x = (int)get_local_id(0);
    const int y = (int)get_local_id(1);
    const long i = (long)get_group_id(0) * TS + x * WIDTH;
    const long j = (long)get_group_id(1) * TS + y;
    const long batch = (long)get_group_id(2);
    a += offset_a + batch * stride_a + i + y * lda;
    b += offset_b + batch * stride_b + j * ldb + x * WIDTH;
    c += offset_c + batch * stride_c + j * ldc + i;

    floatX sums = (floatX)(0.0f);
    for (long step = k / TS; step > 0; --step) {
        a_tile[y][x] = WIDE(WIDTH, a);
        b_tile[y][x] = WIDE(WIDTH, b);
        a += TS * lda;
        b += TS;
        barrier(CLK_LOCAL_MEM_FENCE); // the tiles are complete

#pragma unroll
        for (int p = 0; p < RTS; ++p) {
            const floatX b_vector = b_tile[y][p];
            float b_values[WIDTH];
            SPREAD(WIDTH, b_values, b_vector);
#pragma unroll
            for (int w = 0; w < WIDTH; ++w)
                sums = FMA(a_tile[p * WIDTH + w][x], (floatX)(b_values[w]), sums);
        }
        barrier(CLK_LOCAL_MEM_FENCE); // all have read the tiles
    }

    STORE_C_WIDE(WIDTH, C_ALIGNED(WIDTH, c, ldc, stride_c), c, sums, alpha, beta);
}
