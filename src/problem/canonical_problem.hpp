// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "problem/major.hpp"
#include "problem/packed_form.hpp"
#include "sgemm/problem.hpp"

#include <cstdint>

namespace libsgemm::validate {

/// An operand of the canonical problem: storage, resolved strides, and what is known of alignment.
struct Operand {
    Major major = Major::mn;
    std::int64_t ld = 1;
    std::int64_t batch_stride = 0;
    /// Largest power of two, at most 64, that divides the offset (in elements).
    std::int64_t offset_alignment = 1;
    PackedForm packed = {}; ///< parts that are there beside the values

    bool operator==(const Operand&) const = default;
};

/// A checked problem in column-major form: op(A) is m x k, op(B) is k x n, C is m x n column-major.
/// A row-major problem is the column-major problem with A and B exchanged.
struct CanonicalProblem {
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    std::int64_t batch = 1;
    Operand a;
    Operand b;
    Operand c;                               ///< always mn-major: m is contiguous
    bool operands_swapped = false;           ///< a is the caller's B and b the caller's A
    Precision precision = Precision::strict; ///< never automatic
    bool c_is_write_only = false;            ///< kernels may not read C's buffer; beta is zero then

    bool operator==(const CanonicalProblem&) const = default;
};

} // namespace libsgemm::validate
