/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/**
 * libsgemm from C: C = alpha * op(A) * op(B) + beta * C in single precision on any OpenCL device.
 *
 * The same library as sgemm/sgemm.hpp; no C++ exception leaves it. Left out: list_devices(),
 * query_traits(), the catalogue (kernels(), kernel_obstacles()), MultiDevice, Plan's parameters()
 * and passes(), first_use.file and most of sgemm/expert.hpp. Make one context for an OpenCL context
 * and device and keep it: it holds compiled kernels, plans and workspace.
 *
 * Units: sizes, leading dimensions, offsets and strides count matrix elements (floats), where it
 * does not say bytes. They are 64-bit.
 *
 * Errors: every function that can fail returns a sgemm_status. After anything but SGEMM_SUCCESS no
 * output has been written; unless it was SGEMM_OPENCL_ERROR or SGEMM_OUT_OF_MEMORY nothing was
 * enqueued and C is untouched. sgemm_last_error() says what was wrong.
 *
 * Structures begin with their size, which their initialisers (SGEMM_PROBLEM_INIT, ...) set, and
 * grow at their ends: a program works with later versions as it was compiled. A size that no
 * version up to the library's had, and a `reserved` that is not 0, are SGEMM_INVALID_ARGUMENT.
 *
 * Threads: all functions may be called from any number of threads at once, on the same objects too.
 * Only the release of an object must not run beside another use of it.
 */

#include "sgemm/export.h"
#include "sgemm/opencl.h"
#include "sgemm/version.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Every int may arrive in an enumeration from C: with its type fixed, C++ refuses a wrong one as
 * well.
 */
#if defined(__cplusplus) && (__cplusplus >= 201103L || defined(_MSC_VER))
#define SGEMM_ENUM_TYPE : int
#else
#define SGEMM_ENUM_TYPE
#endif

/* --- results ---------------------------------------------------------------------------------- */

typedef enum sgemm_status SGEMM_ENUM_TYPE {
    SGEMM_SUCCESS = 0,
    SGEMM_INVALID_ARGUMENT = 1, /**< an argument breaks a rule; the detail names it */
    SGEMM_UNSUPPORTED = 2,      /**< a forced choice cannot run this problem on this device */
    SGEMM_BUILD_FAILED = 3,     /**< no kernel compiled; the detail holds the compiler's log */
    SGEMM_OPENCL_ERROR = 4,     /**< an OpenCL call failed; see sgemm_last_opencl_status() */
    SGEMM_CONFIGURATION_ERROR =
        5,                   /**< a device table cannot be read; the detail names file and line */
    SGEMM_OUT_OF_MEMORY = 6, /**< of the host */
    SGEMM_INTERNAL_ERROR = 7 /**< a mistake in the library; please report it */
} sgemm_status;

/**
 * What a status means, in a few English words; "unknown status" for other numbers. Static storage.
 */
SGEMM_API const char* sgemm_status_string(sgemm_status status);

/** Version of the library that runs, e.g. "0.1.0". Static storage. */
SGEMM_API const char* sgemm_version(void);

/* --- objects ---------------------------------------------------------------------------------- */

/** The library's state for one OpenCL context and device. */
typedef struct sgemm_context_state* sgemm_context;

/**
 * How one problem is computed; compiled, ready to enqueue. Keeps what it needs of its context
 * alive.
 */
typedef struct sgemm_plan_state* sgemm_plan;
/** An operand that was packed for many products. */
typedef struct sgemm_packed_state* sgemm_packed_matrix;

/**
 * Detail of a failure. With NULL: this thread's latest one, whatever it was with (directly after a
 * call that failed that call's; for a plan that outlives its context the only way). With a context:
 * the latest one with it or a plan of it, of this thread if that was this thread's latest of all,
 * or else of any thread.
 *
 * text   receives at most `size` bytes, always terminated by zero; may be NULL if `size` is zero
 * returns the length of the whole text without its zero; 0 where nothing has failed
 */
SGEMM_API size_t sgemm_last_error(sgemm_context context, char* text, size_t size);

/**
 * The cl_int of the failure that sgemm_last_error() tells of; CL_SUCCESS if that was no
 * SGEMM_OPENCL_ERROR.
 */
SGEMM_API cl_int sgemm_last_opencl_status(sgemm_context context);

/* --- devices ---------------------------------------------------------------------------------- */

/**
 * Chooses a device: "P:D" (platform and device index), "P", "gpu", "cpu", or part of a device's or
 * platform's name. NULL or "": the environment variable SGEMM_DEVICE, or else the first GPU, or
 * else the first device. SGEMM_INVALID_ARGUMENT if none fits. `device` must not be NULL.
 */
SGEMM_API sgemm_status sgemm_select_device(const char* selector, cl_device_id* device);

/* --- context ---------------------------------------------------------------------------------- */

typedef enum sgemm_log_level SGEMM_ENUM_TYPE {
    SGEMM_LOG_WARNING = 0, /**< something did not work and the library went on another way */
    SGEMM_LOG_INFO = 1,
    SGEMM_LOG_TRACE = 2 /**< plan and times per call; only with SGEMM_TRACE=1 in the environment */
} sgemm_log_level;

/** Receives messages, from any thread, several at once. Must not call back into the library. */
typedef void (*sgemm_log_callback)(sgemm_log_level level, const char* message, void* data);

/** Settings of a context. Start from SGEMM_CONTEXT_OPTIONS_INIT; strings are copied. */
typedef struct sgemm_context_options {
    size_t struct_bytes; /**< sizeof(sgemm_context_options): tells versions apart */
    sgemm_log_callback
        log;        /**< NULL: messages go nowhere, or to standard error with SGEMM_TRACE=1 */
    void* log_data; /**< handed to `log` */
    const char* table_file; /**< device table; NULL: SGEMM_TABLE, the user's, or the built-in one */
    const char* kernel;     /**< forces a kernel in sgemm_gemm(); NULL: the planner chooses */
    size_t max_workspace_bytes; /**< limit for a call's workspace */
    int32_t
        first_use_plans; /**< plans to time at first use; 0: none; -1: SGEMM_FIRST_USE, or none */
    /** Compiled kernels on disk. 0: none; 1: as SGEMM_CACHE says, or else kept; 2: kept. */
    int32_t disk_cache;
    const char* cache_folder; /**< absolute path; NULL: SGEMM_CACHE_DIR, or below XDG_CACHE_HOME */
    uint64_t cache_max_bytes; /**< 0: SGEMM_CACHE_MIB, or 256 MiB */
} sgemm_context_options;

/* clang-format off */
#define SGEMM_CONTEXT_OPTIONS_INIT                                                                     \
    { sizeof(sgemm_context_options), NULL, NULL, NULL, NULL, SIZE_MAX, -1, 1, NULL, 0 }
/* clang-format on */

/**
 * Makes a context, to be given back by sgemm_release_context().
 *
 * opencl   is retained; `device` must be one of its devices
 * options  NULL: the defaults
 * context  receives the context; must not be NULL
 * Errors: SGEMM_INVALID_ARGUMENT, SGEMM_CONFIGURATION_ERROR, SGEMM_OPENCL_ERROR; their detail is
 * that of sgemm_last_error(NULL, ...).
 */
SGEMM_API sgemm_status sgemm_create_context(cl_context opencl, cl_device_id device,
                                            const sgemm_context_options* options,
                                            sgemm_context* context);

/** Gives a context back; NULL is allowed. Work that was enqueued goes on; plans stay usable. */
SGEMM_API void sgemm_release_context(sgemm_context context);

/**
 * Returns pooled workspace to the device. What enqueued work still uses OpenCL frees when that is
 * done.
 */
SGEMM_API sgemm_status sgemm_release_workspace(sgemm_context context);

/** Counts since the context was made. Start from SGEMM_STATISTICS_INIT. */
typedef struct sgemm_statistics {
    size_t struct_bytes;      /**< sizeof(sgemm_statistics): tells versions apart */
    uint64_t programs_built;  /**< from source */
    uint64_t programs_loaded; /**< from the disk cache */
    uint64_t plans_made;
    uint64_t kernels_enqueued;
    uint64_t workspace_allocations;
    uint64_t workspace_bytes; /**< held by the pool now */
} sgemm_statistics;

/* clang-format off */
#define SGEMM_STATISTICS_INIT                                                                          \
    { sizeof(sgemm_statistics), 0, 0, 0, 0, 0, 0 }
/* clang-format on */

/** Reads the counts that the caller's version has. Neither pointer may be NULL. */
SGEMM_API sgemm_status sgemm_get_statistics(sgemm_context context, sgemm_statistics* statistics);

/* --- multiplication --------------------------------------------------------------------------- */

/** Storage order of all three matrices; the values are those of CBLAS. */
typedef enum sgemm_layout SGEMM_ENUM_TYPE {
    SGEMM_ROW_MAJOR = 101,
    SGEMM_COLUMN_MAJOR = 102
} sgemm_layout;

/** op(X): X or its transpose; the values are those of CBLAS. */
typedef enum sgemm_transpose SGEMM_ENUM_TYPE {
    SGEMM_NO_TRANSPOSE = 111,
    SGEMM_TRANSPOSE = 112,
    SGEMM_CONJUGATE_TRANSPOSE = 113 /**< of real matrices: the transpose */
} sgemm_transpose;

/** How products are formed; see libsgemm::Precision. All of them keep the bound of sgemm_gemm(). */
typedef enum sgemm_precision SGEMM_ENUM_TYPE {
    SGEMM_PRECISION_AUTOMATIC = 0, /**< as SGEMM_PRECISION in the environment says, else strict */
    SGEMM_STRICT = 5,              /**< every product and sum is one of IEEE single precision */
    SGEMM_EMULATED = 1,            /**< operands may be split for tensor cores */
    SGEMM_FP16X2 = 2, /**< split into two parts of half precision, where the device can */
    SGEMM_TF32X3 = 3, /**< into one of TF32 and two of half precision, for a wider range */
    SGEMM_BF16X3 = 4  /**< into three parts of bfloat16 */
} sgemm_precision;

/** Value of a leading dimension or stride: "no gap". */
#define SGEMM_TIGHT INT64_MIN

/**
 * What is multiplied: C = alpha * op(A) * op(B) + beta * C, for every matrix of a strided batch.
 * Start from SGEMM_PROBLEM_INIT (column-major, nothing transposed, tight, one product) and set what
 * differs.
 *
 * Shapes: op(A) is m x k, op(B) is k x n, C is m x n. Stored, A is m x k, or k x m if transposed; B
 * is k x n or n x k. Zero sizes are legal: with m, n or batch_count zero nothing is touched, with k
 * zero C = beta * C.
 */
typedef struct sgemm_problem {
    size_t struct_bytes; /**< sizeof(sgemm_problem): tells versions apart */
    sgemm_layout layout;
    sgemm_transpose transpose_a;
    sgemm_transpose transpose_b;
    int64_t m;
    int64_t n;
    int64_t k;
    /**
     * Distance between columns (column-major) or rows (row-major) as stored; at least their length.
     */
    int64_t lda;
    int64_t ldb;
    int64_t ldc;
    /** Independent products. */
    int64_t batch_count;
    /** Distance between the batch's matrices; zero for A or B: all products share it. */
    int64_t batch_stride_a;
    int64_t batch_stride_b;
    int64_t batch_stride_c;
    sgemm_precision precision;
    int32_t reserved; /**< 0 */
} sgemm_problem;

/* clang-format off */
#define SGEMM_PROBLEM_INIT                                                                             \
    { sizeof(sgemm_problem), SGEMM_COLUMN_MAJOR, SGEMM_NO_TRANSPOSE, SGEMM_NO_TRANSPOSE, 0, 0, 0,      \
      SGEMM_TIGHT, SGEMM_TIGHT, SGEMM_TIGHT, 1, SGEMM_TIGHT, SGEMM_TIGHT, SGEMM_TIGHT, SGEMM_PRECISION_AUTOMATIC, 0 }
/* clang-format on */

/**
 * Enqueues C = alpha * op(A) * op(B) + beta * C and returns at once.
 *
 * queue     in-order or out-of-order, of the context's cl_context and device
 * a, b, c   buffers of that cl_context, with the index of each matrix's first element. C must not
 *           share an element with A or B. With alpha or k zero A and B are not read and may be
 *           NULL. Kernels must be allowed to read A and B, to write C, and to read C unless beta is
 *           zero.
 * wait_list `wait_count` events that must complete first; NULL if there are none
 * done      receives an event that completes with the last kernel, for the caller to release; NULL:
 *           none is made, which saves 1.5 us with NVIDIA's driver, and the end is known by the
 *           queue: what follows in order, clFinish()
 *
 * beta == 0 does not read C, alpha == 0 does not read A or B; NaN and Inf in A and B propagate.
 * Rounding:
 * |C - exact| <= (k + 4) * 2^-24 * (|alpha| |op(A)| |op(B)| + |beta| |C|), element by element.
 * A plan that computes ranges of k one after the other applies alpha to each: a non-finite alpha
 * may then give NaN instead of Inf.
 * Errors: all but SGEMM_CONFIGURATION_ERROR. After SGEMM_OPENCL_ERROR or SGEMM_OUT_OF_MEMORY C may
 * be undefined.
 */
SGEMM_API sgemm_status sgemm_gemm(sgemm_context context, cl_command_queue queue,
                                  const sgemm_problem* problem, float alpha, cl_mem a,
                                  int64_t a_offset, cl_mem b, int64_t b_offset, float beta,
                                  cl_mem c, int64_t c_offset, cl_uint wait_count,
                                  const cl_event* wait_list, cl_event* done);

/**
 * As sgemm_gemm(), with the problem's members as arguments in the order of BLAS, by a context that
 * the library finds by the queue's cl_context and device. The first call with such a queue makes
 * it, with default options; it is kept, and with it the cl_context, until
 * sgemm_release_kept_contexts(): those of the last eight pairs of cl_context and device. Their
 * errors are told by sgemm_last_error(NULL, ...).
 */
SGEMM_API sgemm_status sgemm_gemm_by_queue(cl_command_queue queue, sgemm_layout layout,
                                           sgemm_transpose transpose_a, sgemm_transpose transpose_b,
                                           int64_t m, int64_t n, int64_t k, float alpha, cl_mem a,
                                           int64_t a_offset, int64_t lda, cl_mem b,
                                           int64_t b_offset, int64_t ldb, float beta, cl_mem c,
                                           int64_t c_offset, int64_t ldc, cl_uint wait_count,
                                           const cl_event* wait_list, cl_event* done);

/** Gives up the contexts that sgemm_gemm_by_queue() keeps; later calls make new ones. */
SGEMM_API void sgemm_release_kept_contexts(void);

/**
 * As sgemm_gemm(), for matrices in shared virtual memory (clSVMAlloc(), coarse or fine grain, of
 * the context's cl_context; or any memory where the device has fine-grain system SVM). a, b and c
 * point to the first elements. How far the memory reaches is not checked. Coarse-grain memory must
 * not be mapped while the call runs. SGEMM_INVALID_ARGUMENT where the device has no such memory.
 */
SGEMM_API sgemm_status sgemm_gemm_svm(sgemm_context context, cl_command_queue queue,
                                      const sgemm_problem* problem, float alpha, const float* a,
                                      const float* b, float beta, float* c, cl_uint wait_count,
                                      const cl_event* wait_list, cl_event* done);

/**
 * As sgemm_gemm(), for a batch whose matrices lie anywhere in their buffers: product i, of `count`,
 * is that of the matrices whose first elements are a_offsets[i], b_offsets[i] and c_offsets[i]. The
 * problem's batch_count is 1. A and B may occur more than once; matrices of C must not share an
 * element with each other, nor with any A or B. With alpha or k zero a, b and their offsets are not
 * looked at and may be NULL. Nothing is enqueued where an argument is wrong or a kernel cannot be
 * had. Where matrices of C reach into those of A or B that have another leading dimension, and
 * there are more than 2^20 such pairs and 2^23 lines of one, it is SGEMM_INVALID_ARGUMENT: give it
 * in parts.
 */
SGEMM_API sgemm_status sgemm_gemm_batch(sgemm_context context, cl_command_queue queue,
                                        const sgemm_problem* problem, size_t count, float alpha,
                                        cl_mem a, const int64_t* a_offsets, cl_mem b,
                                        const int64_t* b_offsets, float beta, cl_mem c,
                                        const int64_t* c_offsets, cl_uint wait_count,
                                        const cl_event* wait_list, cl_event* done);

/**
 * As sgemm_gemm_batch(), with an alpha and a beta for each product, `count` of each: equal ones
 * share launches, in whatever order they come. Where an alpha is zero that product's A and B are
 * not looked at.
 */
SGEMM_API sgemm_status sgemm_gemm_batch_scaled(
    sgemm_context context, cl_command_queue queue, const sgemm_problem* problem, size_t count,
    const float* alphas, cl_mem a, const int64_t* a_offsets, cl_mem b, const int64_t* b_offsets,
    const float* betas, cl_mem c, const int64_t* c_offsets, cl_uint wait_count,
    const cl_event* wait_list, cl_event* done);

/* --- packed operands -------------------------------------------------------------------------- */

/** Which operand of C = alpha * op(A) * op(B) + beta * C. */
typedef enum sgemm_operand SGEMM_ENUM_TYPE {
    SGEMM_OPERAND_A = 0,
    SGEMM_OPERAND_B = 1
} sgemm_operand;

/**
 * Packs an operand once for many products and returns at once; see libsgemm::Context::pack() and
 * libsgemm::PackedMatrix. sgemm_release_packed_matrix() gives it back.
 *
 * problem  as of the products; the other operand's extent (n of A, m of B) is what they will
 *          typically have, or 0 where that is unknown
 * matrix   is read until the event `done` is complete, and not needed afterwards
 * done     receives that event, which the caller releases; may be NULL: calls with the packed
 *          operand wait by themselves
 * packed   receives the packed operand; must not be NULL
 * Errors: as sgemm_gemm(); SGEMM_UNSUPPORTED where the device has no buffer that large.
 */
SGEMM_API sgemm_status sgemm_pack(sgemm_context context, cl_command_queue queue,
                                  const sgemm_problem* problem, sgemm_operand operand,
                                  cl_mem matrix, int64_t offset, cl_uint wait_count,
                                  const cl_event* wait_list, cl_event* done,
                                  sgemm_packed_matrix* packed);

/** Gives a packed operand back; NULL is allowed. Work that was enqueued goes on. */
SGEMM_API void sgemm_release_packed_matrix(sgemm_packed_matrix packed);

/**
 * As sgemm_gemm(), with packed operands: where `packed_a` is not NULL it stands for A, and a and
 * a_offset are not looked at; the same of B. Layout, op, extents, batch and precision of the
 * problem must be those that they were packed with; leading dimension and batch stride of a packed
 * operand are not looked at. SGEMM_INVALID_ARGUMENT also for one that was packed by another
 * context, or as the other operand. From any number of threads at once.
 */
SGEMM_API sgemm_status sgemm_gemm_packed(sgemm_context context, cl_command_queue queue,
                                         const sgemm_problem* problem, float alpha,
                                         sgemm_packed_matrix packed_a, cl_mem a, int64_t a_offset,
                                         sgemm_packed_matrix packed_b, cl_mem b, int64_t b_offset,
                                         float beta, cl_mem c, int64_t c_offset, cl_uint wait_count,
                                         const cl_event* wait_list, cl_event* done);

/**
 * Device memory that a packed operand owns, and the splits that it holds. Start from
 * SGEMM_PACKED_FIGURES_INIT.
 */
typedef struct sgemm_packed_figures {
    size_t struct_bytes;       /**< sizeof(sgemm_packed_figures): tells versions apart */
    uint64_t bytes;            /**< of device memory */
    sgemm_precision precision; /**< SGEMM_STRICT: only a copy */
    int32_t reserved;          /**< 0 */
} sgemm_packed_figures;

/* clang-format off */
#define SGEMM_PACKED_FIGURES_INIT                                                                      \
    { sizeof(sgemm_packed_figures), 0, SGEMM_STRICT, 0 }
/* clang-format on */

/** Reads the numbers that the caller's version has. Neither pointer may be NULL. */
SGEMM_API sgemm_status sgemm_get_packed_figures(sgemm_packed_matrix packed,
                                                sgemm_packed_figures* figures);

/* --- plans ------------------------------------------------------------------------------------ */

/** How tiles that reach past the matrices are handled; see libsgemm::EdgeStrategy. */
typedef enum sgemm_edges SGEMM_ENUM_TYPE {
    SGEMM_EDGES_AUTOMATIC = 0,
    SGEMM_EDGES_NONE = 1,
    SGEMM_EDGES_PADDING = 2,
    SGEMM_EDGES_GUARDED = 3,
    SGEMM_EDGES_POINTER_SHIFT = 4,
    SGEMM_EDGES_EXTENSION = 5
} sgemm_edges;

/** Whether the rows and columns of C behind the last whole tile are products of their own. */
typedef enum sgemm_peel SGEMM_ENUM_TYPE {
    SGEMM_PEEL_AUTOMATIC =
        0, /**< where it is predicted to pay, and no other option asks for something */
    SGEMM_PEEL_NEVER = 1,
    /** where something is left over, in strict products; the other options are the main block's */
    SGEMM_PEEL_ALWAYS = 2
} sgemm_peel;

/** Narrows the planner's choice. Start from SGEMM_PLAN_OPTIONS_INIT, which leaves it free. */
typedef struct sgemm_plan_options {
    size_t struct_bytes;    /**< sizeof(sgemm_plan_options): tells versions apart */
    const char* kernel;     /**< name in the catalogue (`sgemm-info --kernels`); NULL: any */
    const char* parameters; /**< of that kernel, e.g. "tile_m=64 tile_k=8"; NULL: the table's */
    sgemm_edges edges;
    int32_t split_k; /**< split-K; 0: by prediction */
    /** Elements that all offsets are multiples of; a power of two, 16 is the most that matters. */
    int64_t offset_alignment;
    sgemm_peel peel;
    int32_t reserved; /**< 0 */
} sgemm_plan_options;

/* clang-format off */
#define SGEMM_PLAN_OPTIONS_INIT                                                                        \
    { sizeof(sgemm_plan_options), NULL, NULL, SGEMM_EDGES_AUTOMATIC, 0, 1, SGEMM_PEEL_AUTOMATIC, 0 }
/* clang-format on */

/**
 * Plans and compiles a problem without running it; sgemm_release_plan() gives the plan back.
 *
 * options  NULL: as the context's options say
 * plan     receives the plan; must not be NULL
 * Errors: as sgemm_gemm().
 */
SGEMM_API sgemm_status sgemm_create_plan(sgemm_context context, const sgemm_problem* problem,
                                         const sgemm_plan_options* options, sgemm_plan* plan);

/** Gives a plan back; NULL is allowed. Work that was enqueued goes on. */
SGEMM_API void sgemm_release_plan(sgemm_plan plan);

/** As sgemm_gemm(), by a plan; offsets must keep the alignment that it was made for. */
SGEMM_API sgemm_status sgemm_enqueue_plan(sgemm_plan plan, cl_command_queue queue, float alpha,
                                          cl_mem a, int64_t a_offset, cl_mem b, int64_t b_offset,
                                          float beta, cl_mem c, int64_t c_offset,
                                          cl_uint wait_count, const cl_event* wait_list,
                                          cl_event* done);

/** What sgemm_plan_text() tells. */
typedef enum sgemm_plan_text_kind SGEMM_ENUM_TYPE {
    SGEMM_PLAN_SUMMARY = 0,     /**< one line: kernel, parameters, passes, predicted time */
    SGEMM_PLAN_DESCRIPTION = 1, /**< all of it, with the ranking and what was rejected, and why */
    SGEMM_PLAN_KERNEL = 2       /**< the main kernel's name */
} sgemm_plan_text_kind;

/**
 * A plan in words.
 *
 * text    receives at most `size` bytes, always terminated by zero; may be NULL if `size` is zero
 * length  receives the length of the whole text without its zero; may be NULL
 */
SGEMM_API sgemm_status sgemm_plan_text(sgemm_plan plan, sgemm_plan_text_kind kind, char* text,
                                       size_t size, size_t* length);

/** Numbers of a plan. Start from SGEMM_PLAN_FIGURES_INIT. */
typedef struct sgemm_plan_figures {
    size_t struct_bytes;      /**< sizeof(sgemm_plan_figures): tells versions apart */
    uint64_t workspace_bytes; /**< device memory that one execution takes from the context's pool */
    double predicted_seconds; /**< of one execution: device time, or that of a CPU's caller */
    uint64_t launches;        /**< kernels that one execution enqueues */
    double bound_terms;       /**< see libsgemm::Plan::bound_terms() */
    sgemm_precision precision; /**< how it multiplies; never SGEMM_EMULATED */
    int32_t reserved;          /**< 0 */
} sgemm_plan_figures;

/* clang-format off */
#define SGEMM_PLAN_FIGURES_INIT                                                                        \
    { sizeof(sgemm_plan_figures), 0, 0, 0, 0, SGEMM_STRICT, 0 }
/* clang-format on */

/** Reads the numbers that the caller's version has. Neither pointer may be NULL. */
SGEMM_API sgemm_status sgemm_get_plan_figures(sgemm_plan plan, sgemm_plan_figures* figures);

/** What sgemm_tune() found for one problem. */
typedef struct sgemm_tuned_problem {
    size_t done;           /**< problems so far, this one included, ... */
    size_t count;          /**< ... of so many */
    const char* plan;      /**< that calls take now, in words; until the function returns */
    double seconds;        /**< device time of a call with it: the median */
    double seconds_before; /**< of the plan before, in turn with it */
} sgemm_tuned_problem;

/** Called after each problem, in the thread of sgemm_tune(); zero: it ends. */
typedef int (*sgemm_tune_function)(const sgemm_tuned_problem* tuned, void* user_data);

/**
 * Times plans for problems, and has calls with exactly these take the fastest from now on; see
 * libsgemm::Context::tune().
 *
 * problems  `count` of them, one after the other, all of the first one's struct_bytes
 * seconds   above zero, for all of them
 * progress  may be NULL
 * tuned     receives how many of the problems were tuned; may be NULL
 */
SGEMM_API sgemm_status sgemm_tune(sgemm_context context, const sgemm_problem* problems,
                                  size_t count, double seconds, sgemm_tune_function progress,
                                  void* user_data, size_t* tuned);

#undef SGEMM_ENUM_TYPE

#ifdef __cplusplus
}
#endif
