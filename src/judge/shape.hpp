// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace libsgemm::judge {

/// Something that the user wrote cannot be understood; what() says where and why.
class UsageError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// One problem of a suite, column-major as BLAS counts: op(A) is m x k, op(B) is k x n, C is m x n.
/// Leading dimensions are always filled in.
struct Shape {
    bool transpose_a = false;
    bool transpose_b = false;
    std::int64_t m = 1, n = 1, k = 1;
    std::int64_t lda = 1, ldb = 1, ldc = 1;

    std::int64_t rows_a() const { return transpose_a ? k : m; } ///< of A as stored
    std::int64_t columns_a() const { return transpose_a ? m : k; }
    std::int64_t rows_b() const { return transpose_b ? n : k; }
    std::int64_t columns_b() const { return transpose_b ? k : n; }
    std::int64_t elements_a() const { return lda * columns_a(); } ///< gaps included
    std::int64_t elements_b() const { return ldb * columns_b(); }
    std::int64_t elements_c() const { return ldc * n; }
    double flops() const;
    bool has_gaps() const; ///< a leading dimension is larger than it must be

    bool operator==(const Shape&) const = default;
};

/// A shape whose leading dimensions are the smallest legal ones. Throws UsageError for an op that
/// is none of NN, NT, TN, TT and for sizes below 1.
Shape make_shape(std::string_view op, std::int64_t m, std::int64_t n, std::int64_t k);

/// Sets the leading dimensions. Throws UsageError where one is below the stored rows.
Shape with_leading_dimensions(Shape shape, std::int64_t lda, std::int64_t ldb, std::int64_t ldc);

std::string op_name(const Shape& shape); ///< "NT"

/// "NT/64x32x16", with "/ld80,40,64" after it where the shape has gaps: the tail of a benchmark's
/// name.
std::string shape_name(const Shape& shape);

/// The inverse of shape_name(). Throws UsageError.
Shape parse_shape_name(const std::string& name);

} // namespace libsgemm::judge
