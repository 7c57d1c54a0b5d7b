// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge/problem.hpp"
#include "problem/problem.hpp"

#include <cstdint>

namespace libsgemm::tune {

/// A shape as the planner sees it, with operands at the start of their buffers.
inline validate::CanonicalProblem canonical_of(const judge::Shape& shape) {
    constexpr std::int64_t widest = 16;
    validate::CanonicalProblem canonical =
        validate::check_problem(judge::to_problem(shape)).canonical;
    canonical.a.offset_alignment = widest;
    canonical.b.offset_alignment = widest;
    canonical.c.offset_alignment = widest;
    return canonical;
}

} // namespace libsgemm::tune
