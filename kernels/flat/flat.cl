// SPDX-License-Identifier: Apache-2.0
//
// Flat products: few steps of k, whose time goes into writing C. Each store of a warp covers 32
// consecutive elements of a column, with ALIGN_C whole sectors of 32 bytes, wherever columns begin.
//
//   C(i, j) = alpha * sum over p of A(i, p) * B(p, j) + beta * C(i, j)
//
// Index map     Work-item (x, y) of the tile of C at (i0, j0) owns the rows
//                 i0 + x / 32 * 32 * WPTM + x % 32 + 32 * u
//               and WPTN columns, STEP_N at a time: j0 + (block * RTSN + y) * STEP_N + v.
//               With ALIGN_C they are j0 + y + RTSN * (block * STEP_N + v): columns 8 apart begin
//               at the same place in a sector, whatever ldc is. The rows of each y begin up to 7
//               earlier, where a sector does. Neighbouring tiles meet in the cache.
// What is new   STAGES = 1: an item holds its rows of A in registers for all k (STAGE_A: by way of
//               local memory) and goes through its columns of B, so that stores flow from the first
//               block on. More: both operands come through a ring of so many stages in local
//               memory, CHUNK steps of k at a time. The plan chooses CHUNK by k: copies test
//               nothing.
// Edges         checked here: any m, n, leading dimensions, offsets. A tile that sticks out of C
//               reads its last row or column again. Beyond k both operands are zeros.
// Order of sums ascending in k, one accumulator for each element
// Defines       TSM, TSN       rows and columns of a work-group
//               WPTM, WPTN     rows and columns of a work-item
//               STEP_N         columns of it at a time
//               STAGES, STAGE_A, ALIGN_C  as above
//               CHUNK, EXACT_K steps at a time, and whether they divide k
//               UNROLL_K       steps of p to unroll with STAGES > 1; 0: all
//               COPY           0: loads and stores, on any device; 1: cp.async
//               STREAM         1: stores that the cache gives up first
//               A_K_MAJOR, B_K_MAJOR  0 or 1
// Constraints   TSM, TSN are powers of two; 32 * WPTM divides TSM, WPTN TSN, STEP_N WPTN, 4 STEP_N;
//               STAGES > 1: STEP_N = WPTN, STAGE_A = 0; ALIGN_C: 8 divides TSN / WPTN;
//               COPY, STREAM = 1: compute capability 8.0
// Preconditions STAGES = 1: k = CHUNK. EXACT_K: CHUNK divides k
// Launch        ceil((m + 7 * ALIGN_C) / TSM) x ceil(n / TSN) x batch work-groups of
//               TSM / WPTM x TSN / WPTN items
// Local memory  4 * STAGES * CHUNK * (TSM + TSN) bytes and unused elements; without TSM if
//               STAGES = 1 and neither A_K_MAJOR nor STAGE_A

#if !defined(TSM) || !defined(TSN) || !defined(WPTM) || !defined(WPTN) || !defined(STEP_N)
#error "TSM, TSN, WPTM, WPTN and STEP_N must be defined: extents of a tile, an item, a block"
#endif
#if !defined(STAGES) || !defined(STAGE_A) || !defined(UNROLL_K)
#error "STAGES, STAGE_A (0 or 1) and UNROLL_K must be defined: where operands are kept"
#endif
#if !defined(CHUNK) || !defined(EXACT_K)
#error "CHUNK and EXACT_K must be defined: steps of k at a time, and whether they divide it"
#endif
#if !defined(ALIGN_C) || !defined(COPY) || !defined(STREAM)
#error "ALIGN_C, COPY and STREAM (0 or 1) must be defined"
#endif
#if !defined(A_K_MAJOR) || !defined(B_K_MAJOR)
#error "A_K_MAJOR and B_K_MAJOR must be defined: 1 if op(A), op(B) lie along k, else 0"
#endif
#if (TSM & (TSM - 1)) != 0 || (TSN & (TSN - 1)) != 0 || TSM % (32 * WPTM) != 0 || TSN % WPTN != 0
#error "TSM and TSN must be powers of two, 32 * WPTM must divide TSM, and WPTN TSN"
#endif
#if STAGES < 1 || WPTN % STEP_N != 0 || STEP_N % 4 != 0
#error "STAGES must be 1 or more, STEP_N must divide WPTN, and 4 STEP_N"
#endif
#if STAGES > 1 && (STEP_N != WPTN || STAGE_A)
#error "With STAGES > 1, STEP_N must be WPTN and STAGE_A 0"
#endif
#if ALIGN_C && TSN / WPTN % 8 != 0
#error "ALIGN_C needs TSN / WPTN to be a multiple of 8: a sector has 8 elements"
#endif

#define RTSM (TSM / WPTM)
#define RTSN (TSN / WPTN)
#define ITEMS (RTSM * RTSN)
#define HOLD_A (STAGES == 1)
#define LOCAL_A (!HOLD_A || A_K_MAJOR || STAGE_A)

// Of an operand whose k is contiguous ALONG_K work-items copy consecutive steps, into rows that a
// padding puts into different banks.
#if CHUNK > 4
#define ALONG_K 8
#elif CHUNK > 2
#define ALONG_K 4
#else
#define ALONG_K CHUNK
#endif
#define K_MAJOR_A A_K_MAJOR
#define K_MAJOR_B B_K_MAJOR
#define PADDING(X) (K_MAJOR_##X && ALONG_K > 1 ? 32 / ALONG_K : 0)
#define SMALLER(x, y) ((x) < (y) ? (x) : (y))
// A stage has A as [p][i], from row -BEFORE_A of the tile on, and B as [p][j], with ALIGN_C the
// columns of one y side by side.
#define BEFORE_A (ALIGN_C ? 8 : 0)
#define BEFORE_B 0
#define EXTENT_A TSM
#define EXTENT_B TSN
#define PLACE_A(i) ((i) + BEFORE_A)
#define ROW_A (LOCAL_A * (TSM + BEFORE_A + PADDING(A)))
#if ALIGN_C
#define SIDE_BY_SIDE (WPTN + (WPTN % 8 == 0 ? 4 : 0))
#define PLACE_B(j) ((j) % RTSN * SIDE_BY_SIDE + (j) / RTSN)
#define ROW_B (RTSN * SIDE_BY_SIDE + PADDING(B))
#define COLUMN_STEP RTSN
#define COLUMN(block) (y + RTSN * ((block)*STEP_N))
#define PLACE_OF_BLOCK(block) (y * SIDE_BY_SIDE + (block)*STEP_N)
#else
#define PLACE_B(j) (j)
#define ROW_B (TSN + PADDING(B))
#define COLUMN_STEP 1
#define COLUMN(block) (((block)*RTSN + y) * STEP_N)
#define PLACE_OF_BLOCK(block) COLUMN(block)
#endif
#define STAGE (CHUNK * (ROW_A + ROW_B))

#if COPY
static void sgemm_copy(local float* to, global const float* from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((uint)(ulong)to), "l"(from)
                 : "memory");
}
// Zero where it is not: a source of no bytes is not read.
static void sgemm_copy_or_clear(local float* to, global const float* from, bool is_there) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"((uint)(ulong)to), "l"(from),
                 "r"(is_there ? 4 : 0)
                 : "memory");
}
#define COMMIT_COPIES asm volatile("cp.async.commit_group;" ::: "memory")
#define WAIT_FOR_COPIES(groups) asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory")
#else
static void sgemm_copy(local float* to, global const float* from) { *to = *from; }
static void sgemm_copy_or_clear(local float* to, global const float* from, bool is_there) {
    *to = is_there ? *from : 0.0f;
}
#define COMMIT_COPIES
#define WAIT_FOR_COPIES(groups)
#endif

#if STREAM
#define STORE_LAST(pointer, value) sgemm_store_last(pointer, value)
static void sgemm_store_last(global float* to, float value) {
    asm volatile("st.global.cs.f32 [%0], %1;" ::"l"(to), "f"(value));
}
#else
#define STORE_LAST(pointer, value) STORE(pointer, value)
#endif

#define SGEMM_PRAGMA_(text) _Pragma(#text)
#define SGEMM_PRAGMA(text) SGEMM_PRAGMA_(text)
#define UNROLLED _Pragma("unroll")
#if UNROLL_K == 0
#define UNROLL_P UNROLLED
#else
#define UNROLL_P SGEMM_PRAGMA(unroll UNROLL_K)
#endif

// CHUNK steps of operand X into `tile`, at the positions [-BEFORE, EXTENT), clamped to
// [lowest, highest]. With is_tested, a constant, only `left` of the steps are there.
#define COPY_STEP(is_tested, to, from, is_there)                                                       \
    if (is_tested)                                                                                     \
        sgemm_copy_or_clear(to, from, is_there);                                                       \
    else                                                                                               \
        sgemm_copy(to, from)
// k is contiguous: positions begin + r, r = 0, every, ..., before `end`.
#define FILL_ALONG_K(X, is_tested, tile, from, ld, lowest, highest, left, begin, every, end)           \
    UNROLLED for (int r_ = 0; r_ < (end) - (begin); r_ += (every)) {                                   \
        const int x_ = (begin) + r_ + (int)(item / ALONG_K);                                           \
        if (r_ + (every) <= (end) - (begin) || x_ < (end)) {                                           \
            global const float* from_ =                                                                \
                (from) + (long)clamp(x_, lowest, highest) * (ld) + item % ALONG_K;                     \
            local float* to_ = (tile) + item % ALONG_K * ROW_##X + PLACE_##X(x_);                      \
            UNROLLED for (int p_ = 0; p_ < CHUNK; p_ += ALONG_K) {                                     \
                const int q_ = p_ + (int)(item % ALONG_K);                                             \
                if (p_ + ALONG_K <= CHUNK || q_ < CHUNK) {                                             \
                    COPY_STEP(is_tested, to_ + p_ * ROW_##X, from_ + p_, q_ < (left));                 \
                }                                                                                      \
            }                                                                                          \
        }                                                                                              \
    }
// m or n is contiguous: `width` positions by as many work-items, the steps by the rest of them.
#define FILL_ACROSS(X, is_tested, tile, from, ld, lowest, highest, left, begin, width)                 \
    {                                                                                                  \
        const int x_ = (begin) + (int)(item % (width));                                                \
        global const float* from_ =                                                                    \
            (from) + (long)(item / (width)) * (ld) + clamp(x_, lowest, highest);                       \
        local float* to_ = (tile) + item / (width) * ROW_##X + PLACE_##X(x_);                          \
        UNROLLED for (int p_ = 0; p_ < CHUNK; p_ += ITEMS / (width)) {                                 \
            const int q_ = p_ + (int)(item / (width));                                                 \
            if (p_ + ITEMS / (width) <= CHUNK || q_ < CHUNK) {                                         \
                COPY_STEP(is_tested, to_ + p_ * ROW_##X, from_, q_ < (left));                          \
            }                                                                                          \
            from_ += ITEMS / (width) * (ld);                                                           \
        }                                                                                              \
    }
#define FILL(X, is_tested, tile, from, ld, lowest, highest, left)                                      \
    if (K_MAJOR_##X) {                                                                                 \
        FILL_ALONG_K(X, is_tested, tile, from, ld, lowest, highest, left, 0, ITEMS / ALONG_K,          \
                     EXTENT_##X);                                                                      \
        if (BEFORE_##X > 0)                                                                            \
            FILL_ALONG_K(X, is_tested, tile, from, ld, lowest, highest, left, -BEFORE_##X,             \
                         ITEMS / ALONG_K, 0);                                                          \
    } else {                                                                                           \
        UNROLLED for (int begin_ = 0; begin_ < EXTENT_##X; begin_ += SMALLER(ITEMS, EXTENT_##X))       \
            FILL_ACROSS(X, is_tested, tile, from, ld, lowest, highest, left, begin_,                   \
                        SMALLER(ITEMS, EXTENT_##X));                                                   \
        if (BEFORE_##X > 0)                                                                            \
            FILL_ACROSS(X, is_tested, tile, from, ld, lowest, highest, left, -BEFORE_##X, 8);          \
    }

// sums += the product of one step: as[u] and the columns from b_from on.
#define MULTIPLY_STEP(as, b_from)                                                                      \
    do {                                                                                               \
        float bs[STEP_N];                                                                              \
        UNROLLED for (int v_ = 0; v_ < STEP_N; v_ += 4) {                                              \
            const float4 columns_ = *(local const float4*)((b_from) + v_);                             \
            SPREAD(4, bs + v_, columns_);                                                              \
        }                                                                                              \
        UNROLLED for (int v_ = 0; v_ < STEP_N; ++v_) {                                                 \
            UNROLLED for (int u_ = 0; u_ < WPTM; ++u_)                                                 \
                sums[v_][u_] = FMA((as)[u_], bs[v_], sums[v_][u_]);                                    \
        }                                                                                              \
    } while (0)
#define CLEAR_SUMS                                                                                     \
    UNROLLED for (int v_ = 0; v_ < STEP_N; ++v_) {                                                     \
        UNROLLED for (int u_ = 0; u_ < WPTM; ++u_) sums[v_][u_] = 0.0f;                                \
    }

#define NUMBERS(N) GEMM_NUMBERS(N)
NUMBERS_STRUCT(NUMBERS);

kernel __attribute__((reqd_work_group_size(RTSM, RTSN, 1))) void
sgemm_flat(Numbers numbers, global const float* restrict a, global const float* restrict b,
           global float* c) {
    READ_NUMBERS(NUMBERS);
    local float ring[STAGES * STAGE] __attribute__((aligned(16)));

    const int x = (int)get_local_id(0);
    const int y = (int)get_local_id(1);
    const uint item = (uint)(y * RTSM + x);
    const long i0 = (long)get_group_id(0) * TSM;
    const long j0 = (long)get_group_id(1) * TSN;
    const long batch = (long)get_group_id(2);
    a += offset_a + batch * stride_a + (A_K_MAJOR ? i0 * lda : i0);
    b += offset_b + batch * stride_b + (B_K_MAJOR ? j0 * ldb : j0);
    c += offset_c + batch * stride_c + j0 * ldc + i0;
    const int rows = (int)min((long)TSM, m - i0); // with ALIGN_C down to -6: the last lie before i0
    const int columns = (int)min((long)TSN, n - j0);
#if ALIGN_C
    const int shift = (int)(((ulong)(c + y * ldc) / 4) % 8);
    const int low = i0 > 0 ? -8 : 0;
#else
    const int shift = 0;
    const int low = 0;
#endif
    const int warp_first = x / 32 * (32 * WPTM) - shift; // rows of the tile
    const int first = warp_first + x % 32;
    const bool whole_rows = (warp_first >= low) & (warp_first + 32 * WPTM <= rows);

#define STORE_BLOCK(block)                                                                             \
    do {                                                                                               \
        const int left_ = columns - COLUMN(block);                                                     \
        global float* to_ = c + COLUMN(block) * ldc + first;                                           \
        if (whole_rows & (beta == 0.0f) & ((STEP_N - 1) * COLUMN_STEP < left_)) {                      \
            UNROLLED for (int v_ = 0; v_ < STEP_N; ++v_) {                                             \
                UNROLLED for (int u_ = 0; u_ < WPTM; ++u_)                                             \
                    STORE_LAST(to_ + 32 * u_, alpha * sums[v_][u_]);                                   \
                to_ += COLUMN_STEP * ldc;                                                              \
            }                                                                                          \
        } else {                                                                                       \
            UNROLLED for (int v_ = 0; v_ < STEP_N; ++v_) {                                             \
                float old_[WPTM];                                                                      \
                UNROLLED for (int u_ = 0; u_ < WPTM; ++u_)                                             \
                    old_[u_] = (beta != 0.0f) & IS_OWN(v_, u_) ? to_[32 * u_] : 0.0f;                  \
                UNROLLED for (int u_ = 0; u_ < WPTM; ++u_) {                                           \
                    const float scaled_ = alpha * sums[v_][u_];                                        \
                    if (IS_OWN(v_, u_))                                                                \
                        STORE(to_ + 32 * u_, beta == 0.0f ? scaled_ : FMA(beta, old_[u_], scaled_));   \
                }                                                                                      \
                to_ += COLUMN_STEP * ldc;                                                              \
            }                                                                                          \
        }                                                                                              \
    } while (0)
#define IS_OWN(v, u)                                                                                   \
    (((v)*COLUMN_STEP < left_) & (first + 32 * (u) >= low) & (first + 32 * (u) < rows))

#if HOLD_A
#if LOCAL_A
    FILL(A, 0, ring, a, lda, low, rows - 1, CHUNK);
#endif
    FILL(B, 0, ring + CHUNK * ROW_A, b, ldb, 0, columns - 1, CHUNK);
    COMMIT_COPIES;
    float held[CHUNK][WPTM];
#if !LOCAL_A
    if (whole_rows) {
        global const float* from = a + first;
        UNROLLED for (int p = 0; p < CHUNK; ++p) {
            UNROLLED for (int u = 0; u < WPTM; ++u) held[p][u] = from[32 * u];
            from += lda;
        }
    } else {
        UNROLLED for (int u = 0; u < WPTM; ++u) {
            global const float* from = a + clamp(first + 32 * u, low, rows - 1);
            UNROLLED for (int p = 0; p < CHUNK; ++p) held[p][u] = from[p * lda];
        }
    }
#endif
    WAIT_FOR_COPIES(0);
    barrier(CLK_LOCAL_MEM_FENCE);
#if LOCAL_A
    UNROLLED for (int p = 0; p < CHUNK; ++p) {
        UNROLLED for (int u = 0; u < WPTM; ++u)
            held[p][u] = ring[p * ROW_A + BEFORE_A + first + 32 * u];
    }
#endif
    SGEMM_PRAGMA(unroll 1)
    for (int block = 0; block < WPTN / STEP_N; ++block) {
        if (COLUMN(block) >= columns) break;
        local const float* b_from = ring + CHUNK * ROW_A + PLACE_OF_BLOCK(block);
        float sums[STEP_N][WPTM];
        CLEAR_SUMS;
        UNROLLED for (int p = 0; p < CHUNK; ++p) MULTIPLY_STEP(held[p], b_from + p * ROW_B);
        STORE_BLOCK(block);
    }
#else
    // What is copied next.
    int copied = 0;
    uint copy_stage = 0;
#define COPY_NEXT                                                                                      \
    do {                                                                                               \
        if (copied < depth) {                                                                          \
            local float* stage_ = ring + copy_stage * STAGE;                                           \
            const int left = depth - copied;                                                           \
            if (EXACT_K || left >= CHUNK) {                                                            \
                FILL(A, 0, stage_, a, lda, low, rows - 1, left);                                       \
                FILL(B, 0, stage_ + CHUNK * ROW_A, b, ldb, 0, columns - 1, left);                      \
            } else {                                                                                   \
                FILL(A, 1, stage_, a, lda, low, rows - 1, left);                                       \
                FILL(B, 1, stage_ + CHUNK * ROW_A, b, ldb, 0, columns - 1, left);                      \
            }                                                                                          \
            a += A_K_MAJOR ? CHUNK : CHUNK * lda;                                                      \
            b += B_K_MAJOR ? CHUNK : CHUNK * ldb;                                                      \
            copy_stage = copy_stage + 1 == STAGES ? 0 : copy_stage + 1;                                \
            copied += CHUNK;                                                                           \
        }                                                                                              \
        COMMIT_COPIES;                                                                                 \
    } while (0)

    const int depth = (int)k;
    SGEMM_PRAGMA(unroll 1)
    for (int s = 0; s < STAGES - 1; ++s) COPY_NEXT;
    float sums[STEP_N][WPTM];
    CLEAR_SUMS;
    uint stage = 0;
    SGEMM_PRAGMA(unroll 1)
    for (int done = 0; done < depth; done += CHUNK) {
        WAIT_FOR_COPIES(STAGES - 2);
        barrier(CLK_LOCAL_MEM_FENCE);
        COPY_NEXT;
        local const float* a_from = ring + stage * STAGE + BEFORE_A + first;
        local const float* b_from = ring + stage * STAGE + CHUNK * ROW_A + PLACE_OF_BLOCK(0);
        UNROLL_P
        for (int p = 0; p < CHUNK; ++p) {
            float as[WPTM];
            UNROLLED for (int u = 0; u < WPTM; ++u) as[u] = a_from[p * ROW_A + 32 * u];
            MULTIPLY_STEP(as, b_from + p * ROW_B);
        }
        stage = stage + 1 == STAGES ? 0 : stage + 1;
    }
    STORE_BLOCK(0);
#endif
}
