// SPDX-License-Identifier: Apache-2.0
//
// Step 1: naive.
//
//   C(i, j) = alpha * sum over p of A(i, p) * B(p, j) + beta * C(i, j)
//
// Index map     work-item (x, y) of work-group (gx, gy) computes one element, i = gx * LOCAL_M + x
//               and j = gy * LOCAL_N + y. It walks p from 0 to k - 1.
// What is new   nothing yet. This kernel is the definition that every other step is held to. Each
//               work-item reads a row of A and a column of B from global memory. Neighbours in x
//               read neighbouring elements of an m-major A.
// Defines       LOCAL_M, LOCAL_N        shape of a work-group
//               A_K_MAJOR, B_K_MAJOR    storage of A and B, 0 or 1
// Constraints   none: any size, leading dimension and offset
// Launch        ceil(m / LOCAL_M) x ceil(n / LOCAL_N) x batch work-groups of LOCAL_M x LOCAL_N
//               items
// Local memory  none
// Credit        after step 1 of Cedric Nugteren's OpenCL SGEMM tutorial (idea only)

#if !defined(LOCAL_M) || !defined(LOCAL_N)
#error "LOCAL_M and LOCAL_N must be defined: the shape of a work-group"
#endif
#if !defined(A_K_MAJOR) || !defined(B_K_MAJOR)
#error "A_K_MAJOR and B_K_MAJOR must be defined: how A and B are stored"
#endif

#define NUMBERS(N) GEMM_NUMBERS(N) CONDITION_NUMBERS(N)
NUMBERS_STRUCT(NUMBERS);

kernel __attribute__((reqd_work_group_size(LOCAL_M, LOCAL_N, 1))) void
sgemm_naive(Numbers numbers, global const float* restrict a, global const float* restrict b,
            global float* c CONDITION) {
    READ_NUMBERS(NUMBERS);
    LEAVE_IF_DONE((long)get_group_id(0), (long)get_group_id(1));
    const long i = (long)get_group_id(0) * LOCAL_M + (long)get_local_id(0);
    const long j = (long)get_group_id(1) * LOCAL_N + (long)get_local_id(1);
    if (i >= m || j >= n)
        return;

    const long batch = (long)get_group_id(2);
    const long step_a = A_K_MAJOR ? 1 : lda; // from A(i, p) to A(i, p + 1)
    const long step_b = B_K_MAJOR ? 1 : ldb; // from B(p, j) to B(p + 1, j)
    a += offset_a + batch * stride_a + i * (A_K_MAJOR ? lda : 1);
    b += offset_b + batch * stride_b + j * (B_K_MAJOR ? ldb : 1);

    float sum = 0.0f;
    for (long p = 0; p < k; ++p)
        sum = FMA(a[p * step_a], b[p * step_b], sum);

    STORE_C(c + offset_c + batch * stride_c + j * ldc + i, sum, alpha, beta);
}
