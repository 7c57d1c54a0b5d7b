// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/opencl.hpp"

#include <cstdint>
#include <limits>
#include <vector>
#ifdef __cpp_impl_three_way_comparison
#include <compare>
#endif

namespace libsgemm {

/// Storage order of all three matrices of a call.
enum class Layout : std::uint8_t { column_major, row_major };

/// op(X): X itself or its transpose. (Real matrices: a conjugate transpose is a transpose.)
enum class Transpose : std::uint8_t { no, yes };

/// How products of single-precision numbers are formed. In all of them the result keeps the bound
/// of `strict` (Context::gemm()), element by element.
enum class Precision : std::uint8_t {
    /// What the environment variable SGEMM_PRECISION says, or else `strict`.
    automatic = 0,
    strict = 5, ///< every product and every sum is one of IEEE single precision
    /// The library may split operands into parts of fewer bits, for tensor cores, which
    /// multiply these faster, where that is predicted to be faster; where the bound would not hold
    /// for the values of a call, that call, or that part of it, is computed as by `strict`. On a
    /// device without them it is `strict`.
    emulated = 1,
    // One way to split, whether or not it is predicted to be faster; else as `emulated`.
    fp16x2 = 2, ///< rows and columns scaled, two parts of half precision, 3 products
    tf32x3 = 3, ///< the same, but the high part in TF32: for values of a wider range; slower
    bf16x3 = 4, ///< three parts of bfloat16, 6 products
};

/// Value of a leading dimension or batch stride that stands for "no gap": lines, or whole matrices,
/// one behind the other.
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
    Problem() = default;
    /// Column-major, nothing transposed, tight, one product; set what differs.
    constexpr Problem(std::int64_t rows, std::int64_t columns, std::int64_t terms)
        : m(rows), n(columns), k(terms) {}

    Layout layout = Layout::column_major;
    Transpose transpose_a = Transpose::no;
    Transpose transpose_b = Transpose::no;
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    /// Distance between consecutive columns (column-major) or rows (row-major) of the stored
    /// matrix, at least the length of one such column or row.
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
    Precision precision = Precision::automatic;

#ifdef __cpp_impl_three_way_comparison
    /// An order for maps, by members as they stand here; C++20.
    auto operator<=>(const Problem&) const = default; // NOLINT(modernize-use-nullptr)
#endif
};

/// Where a matrix lies: an OpenCL buffer (or sub-buffer) and the index of its first element.
struct Matrix {
    cl_mem buffer = nullptr;
    std::int64_t offset = 0; ///< in elements
    /// Instead of a buffer: memory from clSVMAlloc() (coarse or fine grain) of the same cl_context,
    /// or where the device has fine-grain system SVM any memory; `offset` counts from here. How far
    /// it reaches OpenCL does not tell, so that its extent is not checked. Coarse-grain memory must
    /// not be mapped while the call runs.
    const void* svm = nullptr;
};

/// The matrix whose first element is `offset` elements into shared virtual memory.
inline Matrix svm_matrix(const float* memory, std::int64_t offset = 0) {
    return {nullptr, offset, memory};
}

/// The matrices of a batch that lie at any offsets in one buffer, or from one SVM pointer on.
struct MatrixBatch {
    cl_mem buffer = nullptr;
    std::vector<std::int64_t> offsets; ///< of each matrix's first element, in elements
    const void* svm = nullptr;
};

} // namespace libsgemm
