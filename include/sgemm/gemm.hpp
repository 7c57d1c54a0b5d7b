// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/context.hpp"
#include "sgemm/event.hpp"
#include "sgemm/export.hpp"
#include "sgemm/opencl.hpp"
#include "sgemm/problem.hpp"

#include <cstdint>
#include <vector>

namespace libsgemm {

/// The Context of a queue's cl_context and device, with default options. The first call with such a
/// queue makes it; it is kept, and with it the cl_context, until release_kept_contexts(): those of
/// the last eight pairs of cl_context and device. Any thread may call; while one makes a Context
/// only calls that need the same one wait. Throws ArgumentError for what is no queue, and as
/// Context's constructor.
SGEMM_API Context context_of(cl_command_queue queue);

/// Gives up what context_of() keeps. Copies stay usable; later calls make new ones. Any thread may
/// call.
SGEMM_API void release_kept_contexts();

/// Enqueues C = alpha * op(A) * op(B) + beta * C and returns at once: context_of(queue) with the
/// problem that the arguments make, in the order of BLAS.
///
/// m, n, k         op(A) is m x k, op(B) is k x n, C is m x n
/// lda, ldb, ldc   distance between columns (column-major) or rows (row-major) as stored, in
///                 elements, at least their length; or `tight`
/// offset_a, ...   of each matrix's first element in its buffer, in elements
///
/// All else, errors and threads too, as Context::gemm().
SGEMM_API Event gemm(cl_command_queue queue, Layout layout, Transpose transpose_a,
                     Transpose transpose_b, std::int64_t m, std::int64_t n, std::int64_t k,
                     float alpha, cl_mem a, std::int64_t offset_a, std::int64_t lda, cl_mem b,
                     std::int64_t offset_b, std::int64_t ldb, float beta, cl_mem c,
                     std::int64_t offset_c, std::int64_t ldc,
                     const std::vector<cl_event>& wait_list = {},
                     Completion completion = Completion::event);

} // namespace libsgemm
