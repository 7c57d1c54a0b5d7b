// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "problem/problem.hpp"
#include "sgemm/problem.hpp"

#include <cstdint>

namespace libsgemm::detail {

/// `problem` with nothing left to be resolved: parts of tight matrices are not tight.
Problem resolved(Problem problem, const validate::CheckedProblem& checked);

/// Whether a problem is cut into products of its batch, and not into columns of C as memory has
/// them.
bool cuts_batch(const Problem& problem);

/// How many such products or columns it has.
std::int64_t units_of(const Problem& problem);

/// So many of them; `problem` is resolved.
Problem part_problem(Problem problem, std::int64_t units);

/// Elements of each operand.
struct Steps {
    std::int64_t a = 0;
    std::int64_t b = 0;
    std::int64_t c = 0;
};

/// From one product of a batch, row of op(A) and C, or column of op(B) and C to the next; `problem`
/// is resolved.
Steps product_steps(const Problem& problem);
Steps row_steps(const Problem& problem);
Steps column_steps(const Problem& problem);

/// From one unit to the next; `problem` is resolved.
Steps steps_of(const Problem& problem);

/// Further on by so many elements.
Matrix moved(Matrix matrix, std::int64_t elements);

} // namespace libsgemm::detail
