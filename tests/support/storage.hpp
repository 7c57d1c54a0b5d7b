// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/problem.hpp"

#include <cstdint>

namespace sgemm_test {

/// Where the elements of op(X), for one operand X of a Problem, lie relative to the first one.
/// Written from the BLAS definitions, sharing nothing with the library.
struct Storage {
    std::int64_t rows = 0; ///< of op(X)
    std::int64_t columns = 0;
    std::int64_t row_step = 1; ///< from op(X)(r, c) to op(X)(r + 1, c)
    std::int64_t column_step = 1;
    std::int64_t batch = 1;
    std::int64_t batch_stride = 0;

    std::int64_t index(std::int64_t matrix, std::int64_t row, std::int64_t column) const {
        return matrix * batch_stride + row * row_step + column * column_step;
    }
    bool empty() const { return rows == 0 || columns == 0 || batch == 0; }
    /// Elements from the first to the last one, both included.
    std::int64_t span() const { return empty() ? 0 : index(batch - 1, rows - 1, columns - 1) + 1; }
};

struct ProblemStorage {
    Storage a, b, c;
};

/// Resolves `tight` and gives each operand's storage.
ProblemStorage storage_of(const libsgemm::Problem& problem);

/// The smallest legal leading dimensions of a problem.
struct LeadingDimensions {
    std::int64_t a, b, c;
};
LeadingDimensions smallest_leading_dimensions(const libsgemm::Problem& problem);

/// Adds a gap to each leading dimension and between the matrices of the batch.
void spread(libsgemm::Problem& problem, LeadingDimensions gaps, std::int64_t batch_gap = 0);

} // namespace sgemm_test
