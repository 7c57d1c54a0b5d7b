// SPDX-License-Identifier: Apache-2.0
//
// What of CLBlast's C++ interface is served, declared as CLBlast 1.5 to 1.7 have it: the linker's
// names and the values of the enumerators are those of programs that were compiled with its header.
#pragma once

#include "sgemm/export.h"
#include "sgemm/opencl.h"

#include <cstddef>

// NOLINTBEGIN(readability-identifier-naming): the names are CLBlast's.
namespace clblast {

enum class StatusCode : int {
    kSuccess = 0,
    kOpenCLOutOfHostMemory = -6,
    kInvalidValue = -30,
    kInvalidCommandQueue = -36,
    kNotImplemented = -1024,
    kInvalidMatrixA = -1022,
    kInvalidMatrixB = -1021,
    kInvalidMatrixC = -1020,
    kInvalidDimension = -1017,
    kInvalidLeadDimA = -1016,
    kInvalidLeadDimB = -1015,
    kInvalidLeadDimC = -1014,
    kInsufficientMemoryA = -1011,
    kInsufficientMemoryB = -1010,
    kInsufficientMemoryC = -1009,
    kInvalidBatchCount = -2049,
    kUnexpectedError = -2039,
};

enum class Layout : int { kRowMajor = 101, kColMajor = 102 };
enum class Transpose : int { kNo = 111, kYes = 112, kConjugate = 113 };

template <typename T>
StatusCode Gemm(Layout layout, Transpose a_transpose, Transpose b_transpose, std::size_t m,
                std::size_t n, std::size_t k, T alpha, cl_mem a, std::size_t a_offset,
                std::size_t a_ld, cl_mem b, std::size_t b_offset, std::size_t b_ld, T beta,
                cl_mem c, std::size_t c_offset, std::size_t c_ld, cl_command_queue* queue,
                cl_event* event, cl_mem temp_buffer);

template <typename T>
StatusCode GemmBatched(Layout layout, Transpose a_transpose, Transpose b_transpose, std::size_t m,
                       std::size_t n, std::size_t k, const T* alphas, cl_mem a,
                       const std::size_t* a_offsets, std::size_t a_ld, cl_mem b,
                       const std::size_t* b_offsets, std::size_t b_ld, const T* betas, cl_mem c,
                       const std::size_t* c_offsets, std::size_t c_ld, std::size_t batch_count,
                       cl_command_queue* queue, cl_event* event);

template <typename T>
StatusCode GemmStridedBatched(Layout layout, Transpose a_transpose, Transpose b_transpose,
                              std::size_t m, std::size_t n, std::size_t k, T alpha, cl_mem a,
                              std::size_t a_offset, std::size_t a_ld, std::size_t a_stride,
                              cl_mem b, std::size_t b_offset, std::size_t b_ld,
                              std::size_t b_stride, T beta, cl_mem c, std::size_t c_offset,
                              std::size_t c_ld, std::size_t c_stride, std::size_t batch_count,
                              cl_command_queue* queue, cl_event* event);

template <typename T>
StatusCode GemmTempBufferSize(Layout layout, Transpose a_transpose, Transpose b_transpose,
                              std::size_t m, std::size_t n, std::size_t k, std::size_t a_offset,
                              std::size_t a_ld, std::size_t b_offset, std::size_t b_ld,
                              std::size_t c_offset, std::size_t c_ld, cl_command_queue* queue,
                              std::size_t& bytes);

} // namespace clblast
// NOLINTEND(readability-identifier-naming)
