// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge/shape.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace libsgemm::judge {

/// One call: C = alpha * op(A) * op(B) + beta * C.
struct Workload {
    Shape shape;
    float alpha = 1.0F;
    float beta = 0.0F;
};

/// What C holds before a verified run with beta == 0, and in the gaps between its columns: a NaN
/// that no arithmetic makes, so that an element left out and a stray write both show.
float poison();
bool is_poison(float value);

/// Bound on |C - Cref| at one element: (k + 4) * 2^-24 * (|alpha| |A| |B| + |beta| |C|).
double error_bound(std::int64_t k, double magnitude);

/// How far a result is from the reference, over its elements.
struct Errors {
    double largest = 0.0;   ///< of |C - Cref|, in units of its bound
    double frobenius = 0.0; ///< sqrt(sum (C - Cref)^2 / sum Cref^2)
};

/// Chosen elements of C in float64, with the bound on each one's error.
class Reference {
public:
    /// At `rows` x `columns`. The arrays are the matrices as stored; `c` is C before the call.
    Reference(const Workload& workload, const float* a, const float* b, const float* c,
              std::vector<std::int64_t> rows, std::vector<std::int64_t> columns);

    /// Empty if `c`, with the shape's ldc, is right; otherwise what is wrong and where.
    /// Both `errors` are infinite where elements are missing or others were written.
    std::string check(const float* c, Errors& errors) const;

private:
    Shape shape_;
    std::vector<std::int64_t> rows_, columns_;
    std::vector<double> values_, bounds_; ///< column by column
};

/// Up to `count` indices below `extent`: the ends and a random choice between, ascending. All of
/// them where `count` is at least `extent`.
std::vector<std::int64_t> sample_indices(std::int64_t extent, std::int64_t count,
                                         std::uint64_t seed);

} // namespace libsgemm::judge
