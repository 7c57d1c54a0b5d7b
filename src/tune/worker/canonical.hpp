// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "problem/problem.hpp"

#include <cstdint>

namespace libsgemm::tune {

/// The problem as the planner sees it, with operands at the start of their buffers.
inline validate::CanonicalProblem canonical_of(const Problem& problem) {
    constexpr std::int64_t widest = 16;
    validate::CanonicalProblem canonical = validate::check_problem(problem).canonical;
    canonical.a.offset_alignment = widest;
    canonical.b.offset_alignment = widest;
    canonical.c.offset_alignment = widest;
    return canonical;
}

} // namespace libsgemm::tune
