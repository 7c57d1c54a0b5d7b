// SPDX-License-Identifier: Apache-2.0
//
// Packed panels: one work-item computes a tile of C in vector registers, for CPUs.
//
//   C(i, j) = alpha * sum over p of A(i, p) * B(p, j) + beta * C(i, j)
//
// Index map     with MR = VECTORS * WIDTH: the single work-item of a work-group computes PANELS_M x
//               PANELS_N register tiles of MR x NR elements, one after the other; lane l of vector u of
//               column w of a tile is C(i0 + u * WIDTH + l, j0 + w). Work-groups are numbered along n
//               first: those that a thread runs one after the other share their rows of A.
// New here      no local memory and no barrier: vectors of the element type are registers of the CPU, the
//               sums of a tile stay in them for all of k, and each step along k is VECTORS loads of A, NR
//               elements of B spread over a vector each, and VECTORS * NR fmas. The panels of A that a
//               work-group works through (PANELS_M * MR * k elements) stay in its core's second-level
//               cache, a panel of B (k * NR) in the first.
// Packed forms  A_PACKED 1: element (i, p) of op(A) is at (i / MR) * lda + p * MR + i % MR, zero for
//               i >= m: `lda` is the distance of panels (kernels/packed/pack.cl writes them).
//               B_PACKED 1: element (p, j) of op(B) is at (j / NR) * ldb + p * NR + j % NR.
//               0: read as it lies; the last panel is then moved inward to the operand's end.
// Order of sums ascending p in one accumulator per element; a slice of k in one of its own.
// Defines       WIDTH (4, 8, 16: elements of a vector), VECTORS, NR, PANELS_M, PANELS_N, PREFETCH (steps
//               along k that A is asked for in advance, and C at the start; 0: neither), A_PACKED, B_PACKED, A_K_MAJOR (must be
//               0 unless A is packed), B_K_MAJOR, SPLIT_K
// Preconditions m >= MR unless A_PACKED, n >= NR unless B_PACKED; k > 0
// Launch        work-groups ceil(m / (PANELS_M * MR)) x ceil(n / (PANELS_N * NR)) x batch * SPLIT_K of
//               one work-item
// Local memory  none
// Source        the shape of the computation is that of GotoBLAS (Goto and van de Geijn, 2008) and BLIS

#if !defined(WIDTH) || !defined(VECTORS) || !defined(NR)
#error "WIDTH, VECTORS and NR must be defined: vector width, vectors and columns of a register tile"
#endif
#if !defined(PANELS_M) || !defined(PANELS_N) || !defined(PREFETCH)
#error "PANELS_M, PANELS_N (register tiles of a work-group) and PREFETCH must be defined"
#endif
#if !defined(A_PACKED) || !defined(B_PACKED) || !defined(A_K_MAJOR) || !defined(B_K_MAJOR)
#error "A_PACKED, B_PACKED, A_K_MAJOR and B_K_MAJOR must be defined: 0 or 1"
#endif
#ifndef SPLIT_K
#error "SPLIT_K must be defined: slices of k, 1 for none"
#endif
#if A_K_MAJOR && !A_PACKED
#error "a k-major A must be packed: vectors run along m"
#endif

#define MR (VECTORS * WIDTH)
#define LOAD(p) SGEMM_CONCAT(vload, WIDTH)(0, (p))
#define STORE(v, p) SGEMM_CONCAT(vstore, WIDTH)((v), 0, (p))
typedef FLOATX(WIDTH) floatW;

// A bound that is known before functions are inlined: sums stay in registers only if the loop is unrolled.
#define EACH_VECTOR(u) _Pragma("unroll") for (int u = 0; u < VECTORS; ++u) if (u < vectors)
#define EACH_COLUMN(w) _Pragma("unroll") for (int w = 0; w < NR; ++w)

// Clang's builtin, where it compiles for a CPU: OpenCL's own prefetch() does nothing there.
#if PREFETCH && (defined(__x86_64__) || defined(__aarch64__))
#define ASK_FOR(p) __builtin_prefetch((const void*)(ulong)(p))
#else
#define ASK_FOR(p)
#endif

// Steps along k and the distance of columns (w) of B.
#define STEP_A (A_PACKED ? (long)MR : lda)
#define STEP_B (B_PACKED ? (long)NR : B_K_MAJOR ? 1 : ldb)
#define COLUMN_B (!B_PACKED && B_K_MAJOR ? ldb : 1)

// A register tile of `vectors` vectors, known when compiling: a and b point to its first elements, c to
// where it is stored. Of its rows and columns the last `rows` and `columns` are stored, or the first where
// the operand is packed: a tile that was moved inward has its own elements at its end.
__attribute__((always_inline)) static inline void
multiply_tile(const int vectors, long steps, global const float* a, long lda,
              global const float* b, long ldb, global float* c, long ldc,
              int rows, int columns, float alpha, float beta) {
    floatW sums[NR][VECTORS];
    EACH_COLUMN(w) EACH_VECTOR(u) sums[w][u] = (floatW)(0.0f);
    EACH_COLUMN(w) EACH_VECTOR(u) ASK_FOR(c + w * ldc + u * WIDTH); // for the stores at the end
    for (long p = 0; p < steps; ++p) {
        floatW a_values[VECTORS];
        EACH_VECTOR(u) a_values[u] = LOAD(a + u * WIDTH);
        EACH_VECTOR(u) ASK_FOR(a + PREFETCH * STEP_A + u * WIDTH);
        EACH_COLUMN(w) {
            const floatW b_value = (floatW)(b[w * COLUMN_B]);
            EACH_VECTOR(u) sums[w][u] = FMA(a_values[u], b_value, sums[w][u]);
        }
        a += STEP_A;
        b += STEP_B;
    }

    if (rows == vectors * WIDTH && columns == NR) {
        EACH_COLUMN(w) EACH_VECTOR(u) {
            global float* c_vector = c + w * ldc + u * WIDTH;
            const floatW scaled = alpha * sums[w][u];
            STORE(beta == 0.0f ? scaled : FMA((floatW)(beta), LOAD(c_vector), scaled), c_vector);
        }
    } else {
        // In memory, so that they can be indexed: sums would leave the registers otherwise.
        float tile[NR * MR];
        EACH_COLUMN(w) EACH_VECTOR(u) STORE(sums[w][u], tile + w * MR + u * WIDTH);
        const int w0 = B_PACKED ? 0 : NR - columns;
        const int r0 = A_PACKED ? 0 : vectors * WIDTH - rows;
        for (int w = w0; w < w0 + columns; ++w)
            for (int r = r0; r < r0 + rows; ++r)
                STORE_C(c + w * ldc + r, tile[w * MR + r], alpha, beta);
    }
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
sgemm_packed(long m, long n, long k, float alpha,
             global const float* restrict a, long offset_a, long lda, long stride_a,
             global const float* restrict b, long offset_b, long ldb, long stride_b,
             float beta,
             global float* restrict c, long offset_c, long ldc, long stride_c) {
    const long batch = (long)get_group_id(2) / SPLIT_K;
    const long slice = (long)get_group_id(2) % SPLIT_K;
    const long number = (long)get_group_id(1) * get_num_groups(0) + (long)get_group_id(0);
    const long i_end = (m + MR - 1) / MR;
    const long j_end = (n + NR - 1) / NR;
    const long i_first = number / (long)get_num_groups(1) * PANELS_M;
    const long j_first = number % (long)get_num_groups(1) * PANELS_N;

    // This work-group's part of k, in equal parts but for one.
    const long begin = k / SPLIT_K * slice + min(slice, k % SPLIT_K);
    const long steps = k / SPLIT_K + (slice < k % SPLIT_K);
    a += offset_a + batch * stride_a + begin * STEP_A;
    b += offset_b + batch * stride_b + begin * STEP_B;
    c += offset_c + batch * stride_c + slice * (stride_c / SPLIT_K);

    for (long j_panel = j_first; j_panel < min(j_first + PANELS_N, j_end); ++j_panel) {
        const int columns = (int)min((long)NR, n - j_panel * NR); // that the tile has to store
        const long j0 = B_PACKED ? j_panel * NR : min(j_panel * NR, n - NR);
        global const float* b_panel = b + (B_PACKED ? j_panel * ldb : j0 * COLUMN_B);
        for (long i_panel = i_first; i_panel < min(i_first + PANELS_M, i_end); ++i_panel) {
            const int rows = (int)min((long)MR, m - i_panel * MR);
#define MULTIPLY_TILE(vectors)                                                                         \
    do {                                                                                               \
        const long i0 = A_PACKED ? i_panel * MR : min(i_panel * MR, m - (vectors) * WIDTH);            \
        multiply_tile((vectors), steps, a + (A_PACKED ? i_panel * lda : i0), lda, b_panel, ldb,        \
                      c + j0 * ldc + i0, ldc, rows, columns, alpha, beta);                             \
    } while (0)
            // The last panel may need fewer vectors.
#if VECTORS > 1
            if (rows <= WIDTH)
                MULTIPLY_TILE(1);
            else
#endif
#if VECTORS > 2
            if (rows <= 2 * WIDTH)
                MULTIPLY_TILE(2);
            else
#endif
#if VECTORS > 4
            if (rows <= 4 * WIDTH)
                MULTIPLY_TILE(4);
            else
#endif
                MULTIPLY_TILE(VECTORS);
        }
    }
}
