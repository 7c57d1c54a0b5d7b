// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/opencl.hpp"

#include <cstdint>
#include <limits>

namespace sgemm {

/// Storage order of all three matrices of a call.
enum class Layout : std::uint8_t { column_major, row_major };

/// op(X): X itself or its transpose. (Real matrices: a conjugate transpose is a transpose.)
enum class Transpose : std::uint8_t { no, yes };

/// Value of a leading dimension or batch stride that stands for "no gap": lines, or whole matrices, one
/// behind the other.
inline constexpr std::int64_t tight = std::numeric_limits<std::int64_t>::min();

/// What is multiplied: C = alpha * op(A) * op(B) + beta * C, for every matrix of a strided batch.
///
/// Everything a plan depends on is here; where the data lies is in Matrix. A plain value: copy it,
/// keep it. All sizes, leading dimensions and strides count matrix elements, not bytes.
///
/// Shapes: op(A) is m x k, op(B) is k x n, C is m x n. Stored, A is m x k (transpose_a == no) or
/// k x m (yes); B is k x n or n x k. Zero sizes are legal: with m, n or batch_count zero a call
/// touches nothing, with k zero it computes C = beta * C.
struct Problem {
    Layout layout = Layout::column_major;
    Transpose transpose_a = Transpose::no;
    Transpose transpose_b = Transpose::no;
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    /// Distance between consecutive columns (column-major) or rows (row-major) of the stored matrix,
    /// at least the length of one such column or row.
    std::int64_t lda = tight;
    std::int64_t ldb = tight;
    std::int64_t ldc = tight;
    /// Number of independent products in a strided batch.
    std::int64_t batch_count = 1;
    /// Distance between consecutive matrices of the batch; unused when batch_count <= 1.
    /// Zero for A or B means that all products share that matrix; C's matrices must not overlap.
    std::int64_t batch_stride_a = tight;
    std::int64_t batch_stride_b = tight;
    std::int64_t batch_stride_c = tight;
};

/// Where a matrix lies: an OpenCL buffer (or sub-buffer) and the index of its first element.
struct Matrix {
    cl_mem buffer = nullptr;
    std::int64_t offset = 0; ///< in elements
};

} // namespace sgemm
