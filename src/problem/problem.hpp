// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "problem/canonical_problem.hpp"
#include "problem/stored.hpp"
#include "sgemm/problem.hpp"

#include <cstdint>

namespace libsgemm::validate {

/// A problem that keeps every rule, with `tight` resolved.
struct CheckedProblem {
    Stored a;
    Stored b;
    Stored c;
    CanonicalProblem canonical; ///< with offset alignments of 1
};

/// What the canonical problem says of an operand whose lines are single elements, side by side.
enum class Vectors : std::uint8_t {
    /// that it is a single line: the same memory, and kernels read lines by vectors of elements
    one_line,
    as_given,
};

/// Checks enumerators and the signs of sizes. Throws ArgumentError.
void check_values(const Problem& problem);

/// Checks these, leading dimensions and strides, including that no extent overflows; where C is
/// empty all three matrices are, since nothing is touched. Of
/// Precision::automatic only a Context knows more than that it is strict. Throws ArgumentError.
CheckedProblem check_problem(const Problem& problem, Vectors vectors = Vectors::one_line);

/// Whether a call reads A and B at all; otherwise it scales C.
inline bool multiplies(const CheckedProblem& problem, float alpha) {
    return alpha != 0 && problem.canonical.k > 0; // NaN counts as a factor
}

/// What of its matrices a call reads; it writes C.
struct Reads {
    bool operands = true; ///< A and B
    bool c = true;
};

inline Reads reads_of(const CheckedProblem& checked, float alpha, float beta) {
    return {multiplies(checked, alpha), beta != 0};
}

/// The largest power of two, at most 64, that divides an offset (64 for 0).
std::int64_t alignment_of(std::int64_t offset);

} // namespace libsgemm::validate
