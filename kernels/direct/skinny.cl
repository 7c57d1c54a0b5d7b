// SPDX-License-Identifier: Apache-2.0
//
// Skinny: a wide operand times a thin one. C has few columns (SKINNY_N = 1: A is wide, n small) or
// few rows (SKINNY_N = 0: B is wide, m small).
//
//   C(i, j) = alpha * sum over p of A(i, p) * B(p, j) + beta * C(i, j)
//
// Index map     w is the index of the wide operand outside k (i or j), t that of the thin one. A
//               work-group computes LANES * WPT consecutive w of THIN consecutive t, with
//               work-items (x, y) in LANES x SLICES. w contiguous: (x, y) sums p = y, y + SLICES,
//               ... for w = x + r * LANES. k contiguous: (x, y) sums p = x, x + LANES, ... for
//               LANES * WPT / SLICES consecutive w, DOTS at a time, which share what is read of the
//               thin operand.
// What is new   against direct: no tiles in local memory. The wide operand is read once, and that
//               is what takes the time: each element goes from memory into THIN fmas. Any
//               alignment. Indices past the end of w and t read the last one and are not stored.
// Order of sums w contiguous: each work-item ascending, then work-items in ascending order of y.
//               k contiguous: the same, then pairwise x and x + LANES / 2, then LANES / 4, ...
// Defines       SKINNY_N        1 few columns of C, 0 few rows
//               LANES, SLICES   shape of a work-group
//               WPT             w per work-group, in multiples of LANES
//               DOTS            w that a work-item sums at once where k is contiguous
//               THIN            t per work-group
//               THIN_VECTOR     elements of the thin operand per load, where they lie side by side
//                               and aligned: 1, 2, 4
//               UNROLL_K        steps along k whose loads are in flight together
//               SPLIT_K         k ranges, each into a C of its own (kernels/README.md); 1 none
//               A_K_MAJOR, B_K_MAJOR    storage of A and B, 0 or 1
// Constraints   LANES a power of two; SLICES * DOTS divides LANES * WPT; THIN_VECTOR divides THIN;
//               k > 0; SPLIT_K > 1: alpha = 1, beta = 0, SPLIT_K divides stride_c
// Launch        ceil(m / (LANES * WPT)) x ceil(n / THIN), or if not SKINNY_N ceil(m / THIN) x
//               ceil(n / (LANES * WPT)), x (batch * SPLIT_K) work-groups of LANES x SLICES items
// Local memory  LANES * SLICES * max(WPT, DOTS) * 4 bytes

#if !defined(LANES) || !defined(SLICES) || !defined(WPT) || !defined(DOTS) || !defined(THIN)
#error "LANES, SLICES, WPT, DOTS and THIN must be defined: work-group shape and work per item"
#endif
#if !defined(THIN_VECTOR) || THIN % THIN_VECTOR != 0
#error "THIN_VECTOR must be defined and divide THIN: elements of the thin operand per load"
#endif
#if !defined(UNROLL_K) || !defined(SPLIT_K) || !defined(SKINNY_N)
#error "UNROLL_K, SPLIT_K and SKINNY_N (1: few columns, 0: few rows) must be defined"
#endif
#if !defined(A_K_MAJOR) || !defined(B_K_MAJOR)
#error "A_K_MAJOR and B_K_MAJOR (0 or 1) must be defined"
#endif
#if (LANES & (LANES - 1)) != 0 || LANES * WPT % (SLICES * DOTS) != 0
#error "LANES must be a power of two, and SLICES * DOTS must divide LANES * WPT"
#endif

#define WIDE_EXTENT (LANES * WPT)
#if SKINNY_N
#define WIDE_K_MAJOR A_K_MAJOR
#define THIN_K_MAJOR B_K_MAJOR
#else
#define WIDE_K_MAJOR B_K_MAJOR
#define THIN_K_MAJOR A_K_MAJOR
#endif
#define WIDE_AT(w, p) ((WIDE_K_MAJOR) ? (w) * ld_wide + (p) : (p) * ld_wide + (w))
#define THIN_AT(t, p) ((THIN_K_MAJOR) ? (t) * ld_thin + (p) : (p) * ld_thin + (t))

// What a work-item sums at once: ROWS indices W(r) of the wide operand, every STEP-th p.
#if WIDE_K_MAJOR
#define ROWS DOTS
#define W(r) (w_of_y + (r))
#define STEP LANES
#else
#define ROWS WPT
#define W(r) (x + (r) * LANES)
#define STEP SLICES
#endif

// The elements of the thin operand at p.
#define LOAD_THIN(values, p)                                                                           \
    _Pragma("unroll") for (int t_ = 0; t_ < THIN; ++t_)(values)[t_] = thin[THIN_AT(min(t_, last_t), p)]
#define LOAD_THIN_WIDE(values, p)                                                                      \
    _Pragma("unroll") for (int t_ = 0; t_ < THIN; t_ += THIN_VECTOR) {                                 \
        const FLOATX(THIN_VECTOR) vector_ = WIDE(THIN_VECTOR, thin + THIN_AT(t_, p));                  \
        SPREAD(THIN_VECTOR, (values) + t_, vector_);                                                   \
    }

// sums += the products at p, p + STEP, ..., `count` of them, of the rows at row[] and all columns.
#define MULTIPLY(count, p, LOAD)                                                                       \
    do {                                                                                               \
        float wide_values[count][ROWS];                                                                \
        float thin_values[count][THIN];                                                                \
        _Pragma("unroll") for (int q_ = 0; q_ < (count); ++q_) {                                       \
            _Pragma("unroll") for (int r_ = 0; r_ < ROWS; ++r_) wide_values[q_][r_] =                  \
                wide[WIDE_AT(row[r_], (p) + q_ * STEP)];                                               \
            LOAD(thin_values[q_], (p) + q_ * STEP);                                                    \
        }                                                                                              \
        _Pragma("unroll") for (int q_ = 0; q_ < (count); ++q_)                                         \
            _Pragma("unroll") for (int r_ = 0; r_ < ROWS; ++r_)                                        \
                _Pragma("unroll") for (int t_ = 0; t_ < THIN; ++t_) sums[r_][t_] =                     \
                    FMA(wide_values[q_][r_], thin_values[q_][t_], sums[r_][t_]);                       \
    } while (0)

#define SUM_UP(LOAD)                                                                                   \
    do {                                                                                               \
        long p = begin + (WIDE_K_MAJOR ? x : y);                                                       \
        for (; p + (UNROLL_K - 1) * STEP < end; p += UNROLL_K * STEP)                                  \
            MULTIPLY(UNROLL_K, p, LOAD);                                                               \
        for (; p < end; p += STEP)                                                                     \
            MULTIPLY(1, p, LOAD);                                                                      \
    } while (0)

// Unrolled, so that sums stay in registers. Not on CPUs with LOAD_THIN_WIDE: PoCL 5's compiler
// fails an assertion where barriers are unrolled after two loops of which one is taken.
#if (defined(__x86_64__) || defined(__aarch64__)) && THIN_VECTOR > 1 && !(THIN_K_MAJOR)
#define EACH_COLUMN(t) _Pragma("unroll 1") for (int t = 0; t < THIN; ++t)
#else
#define EACH_COLUMN(t) _Pragma("unroll") for (int t = 0; t < THIN; ++t)
#endif

#define NUMBERS(N) GEMM_NUMBERS(N)
NUMBERS_STRUCT(NUMBERS);

kernel __attribute__((reqd_work_group_size(LANES, SLICES, 1))) void
sgemm_skinny(Numbers numbers, global const float* restrict a, global const float* restrict b,
             global float* c) {
    READ_NUMBERS(NUMBERS);
    local float parts[ROWS][SLICES][LANES];

    const int x = (int)get_local_id(0);
    const int y = (int)get_local_id(1);
    const long batch = (long)get_group_id(2) / SPLIT_K;
    const long range = (long)get_group_id(2) % SPLIT_K;
    a += offset_a + batch * stride_a;
    b += offset_b + batch * stride_b;
    c += offset_c + batch * stride_c + range * (stride_c / SPLIT_K);

    const long w0 = (long)get_group_id(SKINNY_N ? 0 : 1) * WIDE_EXTENT;
    const long t0 = (long)get_group_id(SKINNY_N ? 1 : 0) * THIN;
    const int ws = (int)min((long)WIDE_EXTENT, (SKINNY_N ? m : n) - w0);
    const int ts = (int)min((long)THIN, (SKINNY_N ? n : m) - t0);
    const int last_t = ts - 1;
    const long ld_wide = SKINNY_N ? lda : ldb;
    const long ld_thin = SKINNY_N ? ldb : lda;
    global const float* restrict wide = (SKINNY_N ? a : b) + WIDE_AT(w0, 0);
    global const float* restrict thin = (SKINNY_N ? b : a) + THIN_AT(t0, 0);
#if THIN_VECTOR > 1 && !(THIN_K_MAJOR)
    const bool has_thin_vectors = ts == THIN && C_ALIGNED(THIN_VECTOR, thin, ld_thin, 0);
#endif
    const long c_w = SKINNY_N ? 1 : ldc; // strides of C along w and t
    const long c_t = SKINNY_N ? ldc : 1;
    c += w0 * c_w + t0 * c_t;

    // The k range of this work-group. Lengths differ by one step of p at most.
    const long begin = k / SPLIT_K * range + min(range, k % SPLIT_K);
    const long end = begin + k / SPLIT_K + (range < k % SPLIT_K);

#if WIDE_K_MAJOR
    for (int first = 0; first < WIDE_EXTENT / SLICES; first += DOTS) {
        const int w_of_y = y * (WIDE_EXTENT / SLICES) + first;
#endif
        int row[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; ++r)
            row[r] = min(W(r), ws - 1);
        float sums[ROWS][THIN];
#pragma unroll
        for (int r = 0; r < ROWS; ++r)
#pragma unroll
            for (int t = 0; t < THIN; ++t)
                sums[r][t] = 0.0f;

#if THIN_VECTOR > 1 && !(THIN_K_MAJOR)
        if (has_thin_vectors)
            SUM_UP(LOAD_THIN_WIDE);
        else
#endif
            SUM_UP(LOAD_THIN);

        EACH_COLUMN(t) {
#pragma unroll
            for (int r = 0; r < ROWS; ++r)
                parts[r][y][x] = sums[r][t];
            barrier(CLK_LOCAL_MEM_FENCE); // all sums of t are there
#if WIDE_K_MAJOR
            for (int distance = LANES / 2; distance > 0; distance /= 2) {
                if (x < distance)
#pragma unroll
                    for (int r = 0; r < ROWS; ++r)
                        parts[r][y][x] += parts[r][y][x + distance];
                barrier(CLK_LOCAL_MEM_FENCE); // half as many sums are left
            }
            if (x == 0 && t < ts)
#pragma unroll
                for (int r = 0; r < ROWS; ++r)
                    if (W(r) < ws)
                        STORE_C(c + W(r) * c_w + t * c_t, parts[r][y][0], alpha, beta);
#else
            // The work-items of one y add the sums of W(r) and t.
#pragma unroll
            for (int r = 0; r < ROWS; ++r) {
                if (y == r % SLICES && W(r) < ws && t < ts) {
                    float sum = parts[r][0][x];
#pragma unroll
                    for (int s = 1; s < SLICES; ++s)
                        sum += parts[r][s][x];
                    STORE_C(c + W(r) * c_w + t * c_t, sum, alpha, beta);
                }
            }
#endif
            barrier(CLK_LOCAL_MEM_FENCE); // `parts` is free for the next t
        }
#if WIDE_K_MAJOR
    }
#endif
}
