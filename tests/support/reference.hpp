// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/problem.hpp"
#include "support/host_matrix.hpp"

#include <cstdint>
#include <vector>

namespace sgemm_test {

/// One element of C, computed in fp64.
struct Expected {
    double value = 0;
    double magnitude = 0; ///< |alpha| |op(A)| |op(B)| + |beta| |C|
};

/// C of every matrix of the batch: [matrix][row][column], dense.
struct Reference {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::vector<Expected> elements;

    const Expected& at(std::int64_t matrix, std::int64_t row, std::int64_t column) const {
        return elements[static_cast<std::size_t>((matrix * rows + row) * columns + column)];
    }
};

/// C = alpha * op(A) * op(B) + beta * C by its definition. As in BLAS, alpha == 0 or k == 0 leaves
/// A and B unread and beta == 0 leaves C unread.
Reference reference_gemm(float alpha, const HostMatrix& a, const HostMatrix& b, float beta,
                         const HostMatrix& c);

/// The error that fp32 may make: each of the k products and sums, the two scalings and the last sum
/// round once, by a factor of at most 1 + 2^-24; one more unit covers the second-order terms for
/// k < 2000 and the reference's own rounding.
///
/// There is no absolute term for underflow: with Values::uniform a product is zero or at least
/// 2^-46, so that nothing becomes subnormal on the way.
double error_bound(std::int64_t k, double magnitude);

/// Whether fp32 may have got `result`. NaN and infinities must be where the reference has them.
bool acceptable(float result, const Expected& expected, std::int64_t k);

} // namespace sgemm_test
