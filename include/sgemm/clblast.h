/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * SGEMM by CLBlast's names, for programs that are compiled with this header instead of clblast.h
 * and clblast_c.h, and linked with libsgemm_clblast: names, arguments and codes are those of
 * CLBlast 1.5 to 1.7. A program that needs other routines of CLBlast, too, includes CLBlast's own
 * header first; this one then declares nothing over again, and libsgemm_clblast is linked before
 * libclblast.
 *
 * All return at once. Offsets, leading dimensions and strides are in elements; `queue` must not be
 * NULL, `event` may be. Any number of threads may call.
 */

#include "sgemm/export.h"
#include "sgemm/opencl.h"

#include <stddef.h>

/* Names and values of both languages' status codes. */
#define SGEMM_CLBLAST_STATUS_CODES(CODE)                                                           \
    CODE(Success, 0)                                                                               \
    CODE(OpenCLCompilerNotAvailable, -3)                                                           \
    CODE(TempBufferAllocFailure, -4)                                                               \
    CODE(OpenCLOutOfResources, -5)                                                                 \
    CODE(OpenCLOutOfHostMemory, -6)                                                                \
    CODE(OpenCLBuildProgramFailure, -11)                                                           \
    CODE(InvalidValue, -30)                                                                        \
    CODE(InvalidCommandQueue, -36)                                                                 \
    CODE(InvalidMemObject, -38)                                                                    \
    CODE(InvalidBinary, -42)                                                                       \
    CODE(InvalidBuildOptions, -43)                                                                 \
    CODE(InvalidProgram, -44)                                                                      \
    CODE(InvalidProgramExecutable, -45)                                                            \
    CODE(InvalidKernelName, -46)                                                                   \
    CODE(InvalidKernelDefinition, -47)                                                             \
    CODE(InvalidKernel, -48)                                                                       \
    CODE(InvalidArgIndex, -49)                                                                     \
    CODE(InvalidArgValue, -50)                                                                     \
    CODE(InvalidArgSize, -51)                                                                      \
    CODE(InvalidKernelArgs, -52)                                                                   \
    CODE(InvalidLocalNumDimensions, -53)                                                           \
    CODE(InvalidLocalThreadsTotal, -54)                                                            \
    CODE(InvalidLocalThreadsDim, -55)                                                              \
    CODE(InvalidGlobalOffset, -56)                                                                 \
    CODE(InvalidEventWaitList, -57)                                                                \
    CODE(InvalidEvent, -58)                                                                        \
    CODE(InvalidOperation, -59)                                                                    \
    CODE(InvalidBufferSize, -61)                                                                   \
    CODE(InvalidGlobalWorkSize, -63)                                                               \
    CODE(NotImplemented, -1024)                                                                    \
    CODE(InvalidMatrixA, -1022)                                                                    \
    CODE(InvalidMatrixB, -1021)                                                                    \
    CODE(InvalidMatrixC, -1020)                                                                    \
    CODE(InvalidVectorX, -1019)                                                                    \
    CODE(InvalidVectorY, -1018)                                                                    \
    CODE(InvalidDimension, -1017)                                                                  \
    CODE(InvalidLeadDimA, -1016)                                                                   \
    CODE(InvalidLeadDimB, -1015)                                                                   \
    CODE(InvalidLeadDimC, -1014)                                                                   \
    CODE(InvalidIncrementX, -1013)                                                                 \
    CODE(InvalidIncrementY, -1012)                                                                 \
    CODE(InsufficientMemoryA, -1011)                                                               \
    CODE(InsufficientMemoryB, -1010)                                                               \
    CODE(InsufficientMemoryC, -1009)                                                               \
    CODE(InsufficientMemoryX, -1008)                                                               \
    CODE(InsufficientMemoryY, -1007)                                                               \
    CODE(InsufficientMemoryTemp, -2050)                                                            \
    CODE(InvalidBatchCount, -2049)                                                                 \
    CODE(InvalidOverrideKernel, -2048)                                                             \
    CODE(MissingOverrideParameter, -2047)                                                          \
    CODE(InvalidLocalMemUsage, -2046)                                                              \
    CODE(NoHalfPrecision, -2045)                                                                   \
    CODE(NoDoublePrecision, -2044)                                                                 \
    CODE(InvalidVectorScalar, -2043)                                                               \
    CODE(InsufficientMemoryScalar, -2042)                                                          \
    CODE(DatabaseError, -2041)                                                                     \
    CODE(UnknownError, -2040)                                                                      \
    CODE(UnexpectedError, -2039)

#if defined(__cplusplus)
#if !defined(CLBLAST_CLBLAST_H_)
namespace clblast {

#define SGEMM_CLBLAST_STATUS_CODE(name, value) k##name = (value),
/// What came of a call; kSuccess: it was enqueued.
enum class StatusCode : int { SGEMM_CLBLAST_STATUS_CODES(SGEMM_CLBLAST_STATUS_CODE) };
#undef SGEMM_CLBLAST_STATUS_CODE

/// Storage order of all three matrices of a call.
enum class Layout : int { kRowMajor = 101, kColMajor = 102 };
/// Real matrices: a conjugate transpose is a transpose.
enum class Transpose : int { kNo = 111, kYes = 112, kConjugate = 113 };

/// C = alpha * op(A) * op(B) + beta * C, op(A) m x k, op(B) k x n. T is float; `temp_buffer` is
/// accepted and not needed.
template <typename T>
StatusCode Gemm(Layout layout, Transpose a_transpose, Transpose b_transpose, size_t m, size_t n,
                size_t k, T alpha, cl_mem a, size_t a_offset, size_t a_ld, cl_mem b,
                size_t b_offset, size_t b_ld, T beta, cl_mem c, size_t c_offset, size_t c_ld,
                cl_command_queue* queue, cl_event* event = nullptr, cl_mem temp_buffer = nullptr);

/// `batch_count` products, each with an alpha, a beta and offsets of its own.
template <typename T>
StatusCode GemmBatched(Layout layout, Transpose a_transpose, Transpose b_transpose, size_t m,
                       size_t n, size_t k, const T* alphas, cl_mem a, const size_t* a_offsets,
                       size_t a_ld, cl_mem b, const size_t* b_offsets, size_t b_ld, const T* betas,
                       cl_mem c, const size_t* c_offsets, size_t c_ld, size_t batch_count,
                       cl_command_queue* queue, cl_event* event = nullptr);

/// `batch_count` products whose matrices are equally far apart.
template <typename T>
StatusCode GemmStridedBatched(Layout layout, Transpose a_transpose, Transpose b_transpose, size_t m,
                              size_t n, size_t k, T alpha, cl_mem a, size_t a_offset, size_t a_ld,
                              size_t a_stride, cl_mem b, size_t b_offset, size_t b_ld,
                              size_t b_stride, T beta, cl_mem c, size_t c_offset, size_t c_ld,
                              size_t c_stride, size_t batch_count, cl_command_queue* queue,
                              cl_event* event = nullptr);

/// The size of Gemm's temporary buffer: 0 bytes.
template <typename T>
StatusCode GemmTempBufferSize(Layout layout, Transpose a_transpose, Transpose b_transpose, size_t m,
                              size_t n, size_t k, size_t a_offset, size_t a_ld, size_t b_offset,
                              size_t b_ld, size_t c_offset, size_t c_ld, cl_command_queue* queue,
                              size_t& temp_buffer_size);

} // namespace clblast
#endif
namespace libsgemm {
/// The same names in the library's namespace.
namespace clblast = ::clblast;
} // namespace libsgemm
#endif

#if !defined(CLBLAST_CLBLAST_C_H_)
#if defined(__cplusplus)
extern "C" {
#endif

#define SGEMM_CLBLAST_STATUS_CODE(name, value) CLBlast##name = (value),
/** What came of a call; CLBlastSuccess: it was enqueued. */
typedef enum CLBlastStatusCode_ {
    SGEMM_CLBLAST_STATUS_CODES(SGEMM_CLBLAST_STATUS_CODE)
} CLBlastStatusCode;
#undef SGEMM_CLBLAST_STATUS_CODE

/** Storage order of all three matrices of a call. */
typedef enum CLBlastLayout_ {
    CLBlastLayoutRowMajor = 101,
    CLBlastLayoutColMajor = 102
} CLBlastLayout;
/** Real matrices: a conjugate transpose is a transpose. */
typedef enum CLBlastTranspose_ {
    CLBlastTransposeNo = 111,
    CLBlastTransposeYes = 112,
    CLBlastTransposeConjugate = 113
} CLBlastTranspose;

/** As clblast::Gemm<float>(). */
SGEMM_API CLBlastStatusCode CLBlastSgemm(CLBlastLayout layout, CLBlastTranspose a_transpose,
                                         CLBlastTranspose b_transpose, size_t m, size_t n, size_t k,
                                         float alpha, cl_mem a, size_t a_offset, size_t a_ld,
                                         cl_mem b, size_t b_offset, size_t b_ld, float beta,
                                         cl_mem c, size_t c_offset, size_t c_ld,
                                         cl_command_queue* queue, cl_event* event);

/** As clblast::Gemm<float>(). */
SGEMM_API CLBlastStatusCode CLBlastSgemmWithTempBuffer(
    CLBlastLayout layout, CLBlastTranspose a_transpose, CLBlastTranspose b_transpose, size_t m,
    size_t n, size_t k, float alpha, cl_mem a, size_t a_offset, size_t a_ld, cl_mem b,
    size_t b_offset, size_t b_ld, float beta, cl_mem c, size_t c_offset, size_t c_ld,
    cl_command_queue* queue, cl_event* event, cl_mem temp_buffer);

/** As clblast::GemmBatched<float>(). */
SGEMM_API CLBlastStatusCode CLBlastSgemmBatched(
    CLBlastLayout layout, CLBlastTranspose a_transpose, CLBlastTranspose b_transpose, size_t m,
    size_t n, size_t k, const float* alphas, cl_mem a, const size_t* a_offsets, size_t a_ld,
    cl_mem b, const size_t* b_offsets, size_t b_ld, const float* betas, cl_mem c,
    const size_t* c_offsets, size_t c_ld, size_t batch_count, cl_command_queue* queue,
    cl_event* event);

/** As clblast::GemmStridedBatched<float>(). */
SGEMM_API CLBlastStatusCode CLBlastSgemmStridedBatched(
    CLBlastLayout layout, CLBlastTranspose a_transpose, CLBlastTranspose b_transpose, size_t m,
    size_t n, size_t k, float alpha, cl_mem a, size_t a_offset, size_t a_ld, size_t a_stride,
    cl_mem b, size_t b_offset, size_t b_ld, size_t b_stride, float beta, cl_mem c, size_t c_offset,
    size_t c_ld, size_t c_stride, size_t batch_count, cl_command_queue* queue, cl_event* event);

/** As clblast::GemmTempBufferSize<float>(). */
SGEMM_API CLBlastStatusCode CLBlastSGemmTempBufferSize(
    CLBlastLayout layout, CLBlastTranspose a_transpose, CLBlastTranspose b_transpose, size_t m,
    size_t n, size_t k, size_t a_offset, size_t a_ld, size_t b_offset, size_t b_ld, size_t c_offset,
    size_t c_ld, cl_command_queue* queue, size_t* temp_buffer_size);

#if defined(__cplusplus)
}
#endif
#endif
