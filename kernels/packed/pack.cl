// SPDX-License-Identifier: Apache-2.0
//
// Pre-pass: copy op(A) or op(B) into panels, as packed.cl reads them.
//
//   out[(i / PANEL) * ld_out + p * PANEL + i % PANEL] = X(i, p), 0 for i >= mn, for all p < k
//
// where X(i, p) is op(A)(i, p), or op(B)(p, i): element in[p * ld + i], or in[i * ld + p] if K_MAJOR.
//
// Index map     the single work-item of work-group (gx, gy, batch) writes the steps
//               p = gy * DEPTH ... + DEPTH - 1 of the panels gx * PANELS ... + PANELS - 1.
// New here      a k-major operand is turned in registers, squares of WIDTH x WIDTH elements at a time:
//               rows are interleaved with those half a square further on, log2(WIDTH) times.
// Defines       PANEL (rows of a panel), PANELS, DEPTH, WIDTH (4, 8, 16; 1: element by element),
//               K_MAJOR (0 or 1)
// Constraints   WIDTH divides PANEL if K_MAJOR
// Preconditions none
// Launch        work-groups ceil(mn / (PANEL * PANELS)) x ceil(k / DEPTH) x batch of one work-item
// Local memory  none

#if !defined(PANEL) || !defined(PANELS) || !defined(DEPTH) || !defined(WIDTH) || !defined(K_MAJOR)
#error "PANEL, PANELS, DEPTH, WIDTH and K_MAJOR must be defined"
#endif
#if K_MAJOR && PANEL % WIDTH != 0
#error "WIDTH must divide PANEL: a k-major operand is turned in squares"
#endif

#define LOAD(p) SGEMM_CONCAT(vload, WIDTH)(0, (p))
#define STORE(v, p) SGEMM_CONCAT(vstore, WIDTH)((v), 0, (p))
typedef FLOATX(WIDTH) floatW;

// The halves of x and y, interleaved: x.s0 y.s0 x.s1 y.s1 ...
#define FIRST_4(x, y) (float4)(x.s0, y.s0, x.s1, y.s1)
#define LAST_4(x, y) (float4)(x.s2, y.s2, x.s3, y.s3)
#define FIRST_8(x, y) (float8)(x.s0, y.s0, x.s1, y.s1, x.s2, y.s2, x.s3, y.s3)
#define LAST_8(x, y) (float8)(x.s4, y.s4, x.s5, y.s5, x.s6, y.s6, x.s7, y.s7)
#define FIRST_16(x, y)                                                                                 \
    (float16)(x.s0, y.s0, x.s1, y.s1, x.s2, y.s2, x.s3, y.s3, x.s4, y.s4, x.s5, y.s5, x.s6, y.s6,      \
              x.s7, y.s7)
#define LAST_16(x, y)                                                                                  \
    (float16)(x.s8, y.s8, x.s9, y.s9, x.sa, y.sa, x.sb, y.sb, x.sc, y.sc, x.sd, y.sd, x.se, y.se,      \
              x.sf, y.sf)

#define STEPS 64 // along k that are copied at a time where nothing is turned
#define EACH_ROW(r) _Pragma("unroll") for (int r = 0; r < WIDTH; ++r)

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
sgemm_pack(long mn, long k,
           global const float* restrict in, long offset_in, long ld, long stride_in,
           global float* restrict out, long offset_out, long ld_out, long stride_out) {
    const long p_begin = (long)get_group_id(1) * DEPTH;
    const long p_end = min(k, p_begin + DEPTH);
    const long first = (long)get_group_id(0) * PANELS;
    in += offset_in + (long)get_group_id(2) * stride_in;
    out += offset_out + (long)get_group_id(2) * stride_out;

    const long panels = min((long)PANELS, (mn + PANEL - 1) / PANEL - first);
#if K_MAJOR
    for (long panel = first; panel < first + panels; ++panel) {
        const int rows = (int)min((long)PANEL, mn - panel * PANEL);
        global float* to = out + panel * ld_out;
        global const float* from = in + panel * PANEL * ld;
        long p = p_begin;
#if WIDTH > 1
        for (; p + WIDTH <= p_end; p += WIDTH) {
            for (int i = 0; i < PANEL; i += WIDTH) {
                floatW x[WIDTH];
                EACH_ROW(r) x[r] = i + r < rows ? LOAD(from + (i + r) * ld + p) : (floatW)(0.0f);
#pragma unroll
                for (int round = 1; round < WIDTH; round *= 2) {
                    floatW y[WIDTH];
#pragma unroll
                    for (int r = 0; r < WIDTH / 2; ++r) {
                        y[2 * r] = SGEMM_CONCAT(FIRST_, WIDTH)(x[r], x[r + WIDTH / 2]);
                        y[2 * r + 1] = SGEMM_CONCAT(LAST_, WIDTH)(x[r], x[r + WIDTH / 2]);
                    }
                    EACH_ROW(r) x[r] = y[r];
                }
                EACH_ROW(r) STORE(x[r], to + (p + r) * PANEL + i);
            }
        }
#endif
        for (; p < p_end; ++p)
            for (int i = 0; i < PANEL; ++i)
                to[p * PANEL + i] = i < rows ? from[i * ld + p] : 0.0f;
    }
#else
    // A few steps of all panels at a time: narrow panels share the cache lines that are read.
    for (long p0 = p_begin; p0 < p_end; p0 += STEPS) {
        const long p1 = min(p_end, p0 + STEPS);
        for (long panel = first; panel < first + panels; ++panel) {
            const int rows = (int)min((long)PANEL, mn - panel * PANEL);
            global float* to = out + panel * ld_out;
            global const float* from = in + panel * PANEL;
            if (rows == PANEL) {
                for (long p = p0; p < p1; ++p)
#pragma unroll
                    for (int i = 0; i < PANEL; ++i)
                        to[p * PANEL + i] = from[p * ld + i];
            } else {
                for (long p = p0; p < p1; ++p)
                    for (int i = 0; i < PANEL; ++i)
                        to[p * PANEL + i] = i < rows ? from[p * ld + i] : 0.0f;
            }
        }
    }
#endif
}
