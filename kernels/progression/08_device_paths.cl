// SPDX-License-Identifier: Apache-2.0
//
// Step 8: device paths.
//
//   C(i, j) = alpha * sum over p of A(i, p) * B(p, j) + beta * C(i, j)
//
// Index map     as in step 7, with RTSM = TSM / WPTM and RTSN = TSN / WPTN
// What is new   against step 7: two mechanisms that plain OpenCL C 1.2 has no words for, each with
//               a portable path. READ_ONLY loads through the read-only cache by inline PTX.
//               EXCHANGE passes values of B around in registers: the SHARERS = min(RTSM, SUBGROUP)
//               neighbours in x of a sub-group need the same WPTN values of B, for each p. Each
//               reads one value out of DEPTH = SHARERS / WPTN successive p from local memory, and
//               shuffles do the rest.
// Defines       TSM, TSN, TSK           work-group tile along m and n, step along k
//               WPTM, WPTN              register tile
//               WIDTH                   elements of a vector: 1, 2, 4, 8, 16
//               EXCHANGE                0 none, 1 sub_group_shuffle, 2 PTX shfl
//               SUBGROUP                work-items of a sub-group; 32 for EXCHANGE 2, any for 0
//               READ_ONLY               0 plain loads, 1 PTX ld.global.nc (WIDTH 1, 2 or 4)
//               A_K_MAJOR = 0, B_K_MAJOR = 0
// Constraints   those of step 7. With an exchange: SHARERS divides RTSM and SUBGROUP, SUBGROUP
//               divides the work-items, WPTN divides SHARERS, and DEPTH divides TSK. EXCHANGE 1
//               needs cl_khr_subgroup_shuffle, and sub-groups of SUBGROUP items that are
//               consecutive in the linear local index. PTX needs an NVIDIA device.
// Launch        (m / TSM) x (n / TSN) x batch work-groups of RTSM x RTSN items
// Local memory  (TSM + TSN) * TSK * 4 bytes
// Credit        after step 8 of Cedric Nugteren's OpenCL SGEMM tutorial (idea only)

#if !defined(TSM) || !defined(TSN) || !defined(TSK) || !defined(WPTM) || !defined(WPTN) ||             \
    !defined(WIDTH)
#error "TSM, TSN, TSK, WPTM, WPTN and WIDTH must be defined: tiles, work per item, vector width"
#endif
#if !defined(EXCHANGE) || !defined(SUBGROUP) || !defined(READ_ONLY)
#error "EXCHANGE (0, 1, 2), SUBGROUP (work-items) and READ_ONLY (0, 1) must be defined"
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
#if EXCHANGE < 0 || EXCHANGE > 2 || READ_ONLY < 0 || READ_ONLY > 1
#error "EXCHANGE is 0, 1 or 2; READ_ONLY is 0 or 1"
#endif
#if EXCHANGE == 2 && SUBGROUP != 32
#error "NVIDIA's sub-groups have 32 work-items"
#endif
#if READ_ONLY && WIDTH > 4
#error "PTX loads at most 4 floats at once"
#endif
#if EXCHANGE
#if RTSM < SUBGROUP
#define SHARERS RTSM
#else
#define SHARERS SUBGROUP
#endif
#if RTSM % SHARERS != 0 || SUBGROUP % SHARERS != 0 || ITEMS % SUBGROUP != 0
#error "sub-groups must be full and consist of whole rows of sharers"
#endif
#if SHARERS % WPTN != 0 || TSK % (SHARERS / WPTN) != 0
#error "WPTN must divide the number of sharers, and SHARERS / WPTN must divide TSK"
#endif
#define DEPTH (SHARERS / WPTN)
#else
#define DEPTH 1
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

#if READ_ONLY
// Nothing writes A and B while this kernel runs. `restrict const` says so, but not every compiler
// makes use of it.
static inline floatX load(global const float* p) {
#if WIDTH == 1
    float v;
    asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(v) : "l"(p));
    return v;
#elif WIDTH == 2
    float v0, v1;
    asm volatile("ld.global.nc.v2.f32 {%0, %1}, [%2];" : "=f"(v0), "=f"(v1) : "l"(p));
    return (float2)(v0, v1);
#else
    float v0, v1, v2, v3;
    asm volatile("ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v0), "=f"(v1), "=f"(v2), "=f"(v3)
                 : "l"(p));
    return (float4)(v0, v1, v2, v3);
#endif
}
#else
#define load(p) WIDE(WIDTH, p)
#endif

#if EXCHANGE == 1
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
#define from_lane(value, lane) sub_group_shuffle((value), (uint)(lane))
#elif EXCHANGE == 2
static inline float from_lane(float value, int lane) {
    float result;
    asm volatile("shfl.sync.idx.b32 %0, %1, %2, 31, 0xffffffff;"
                 : "=f"(result)
                 : "f"(value), "r"(lane));
    return result;
}
#endif

#define NUMBERS(N) GEMM_NUMBERS(N)
NUMBERS_STRUCT(NUMBERS);

kernel __attribute__((reqd_work_group_size(RTSM, RTSN, 1))) void
sgemm_device_paths(Numbers numbers, global const float* restrict a, global const float* restrict b,
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

#if EXCHANGE
    // What a sharer reads of B: column `share_w` of the work-item, `share_p` steps down.
    const int first_sharer = item % SUBGROUP / SHARERS * SHARERS; // as a lane of the sub-group
    const int share_p = x % SHARERS / WPTN;
    const int share_w = x % WPTN;
    local const float* b_elements = (local const float*)b_tile + share_p * TSN +
                                    (y + share_w / WIDTH * RTSN) * WIDTH + share_w % WIDTH;
#endif

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
            a_tile[id / VTSM][id % VTSM] = load(a + id % VTSM * WIDTH + id / VTSM * lda);
        }
#pragma unroll
        for (int l = 0; l < LPTB; ++l) {
            const uint id = item + l * ITEMS;
            b_tile[id / VTSN][id % VTSN] = load(b + id % VTSN * WIDTH + id / VTSN * ldb);
        }
        a += TSK * lda;
        b += TSK * ldb;
        barrier(CLK_LOCAL_MEM_FENCE); // the tiles are complete

#pragma unroll
        for (int p0 = 0; p0 < TSK; p0 += DEPTH) {
#if EXCHANGE
            const float share = b_elements[p0 * TSN];
#endif
#pragma unroll
            for (int p = p0; p < p0 + DEPTH; ++p) {
                floatX a_values[VPTM];
#pragma unroll
                for (int u = 0; u < VPTM; ++u)
                    a_values[u] = a_tile[p][x + u * RTSM];
                float b_values[WPTN];
#if EXCHANGE
#pragma unroll
                for (int w = 0; w < WPTN; ++w)
                    b_values[w] = from_lane(share, first_sharer + (p - p0) * WPTN + w);
#else
#pragma unroll
                for (int v = 0; v < VPTN; ++v) {
                    const floatX b_vector = b_tile[p][y + v * RTSN];
                    SPREAD(WIDTH, b_values + v * WIDTH, b_vector);
                }
#endif
#pragma unroll
                for (int w = 0; w < WPTN; ++w)
#pragma unroll
                    for (int u = 0; u < VPTM; ++u)
                        sums[w][u] = FMA(a_values[u], (floatX)(b_values[w]), sums[w][u]);
            }
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
