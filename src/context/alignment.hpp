// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "problem/operands.hpp"
#include "problem/problem.hpp"

namespace libsgemm::detail {

/// The matrices of the canonical problem.
validate::Matrices canonical_matrices(const validate::CheckedProblem& problem,
                                      const validate::Matrices& matrices);

/// Notes the alignments, as far as plans depend on them.
void set_alignments(validate::CheckedProblem& problem, const validate::Alignments& alignments);

/// Checks that matrices lie as `problem` was planned for. Throws ArgumentError.
void check_alignments(const validate::CheckedProblem& problem, const validate::Matrices& matrices,
                      const validate::Alignments& actual);

} // namespace libsgemm::detail
