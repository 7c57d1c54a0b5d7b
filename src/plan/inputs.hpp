// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/passes.hpp"
#include "problem/canonical_problem.hpp"
#include "sgemm/expert.hpp"

#include <cstdint>

namespace libsgemm::planning {

/// The caller's operand as it lies.
Place caller_place(Argument::Kind buffer, Argument::Kind offset, const validate::Operand& operand);

/// Whether vector accesses of `alignment` elements fit an operand where it lies.
bool is_aligned(const validate::Operand& operand, int alignment, std::int64_t batch);

/// Whether tiles at the edges read whole vectors although the operand may end within one.
inline bool reads_whole_vectors(EdgeStrategy edges) {
    return edges == EdgeStrategy::guarded || edges == EdgeStrategy::pointer_shift;
}

/// Whether a main kernel can read an operand with mn rows or columns where it lies by vectors of
/// `width` elements.
bool reads_in_place(const validate::Operand& operand, std::int64_t mn, int width,
                    std::int64_t batch, EdgeStrategy edges);

} // namespace libsgemm::planning
