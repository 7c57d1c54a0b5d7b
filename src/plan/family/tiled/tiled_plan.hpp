// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/build_plan.hpp"

#include <cstddef>
#include <variant>

namespace libsgemm::planning {

/// As build_plan(), of a kernel whose work-groups compute tiles of C from operands that passes bring into its form.
std::variant<PlanValue, Obstacle> build_tiled_plan(const validate::CanonicalProblem& problem,
                                                   const Candidate& candidate,
                                                   const PassContext& context, EdgeStrategy edges,
                                                   std::size_t max_workspace_bytes);

} // namespace libsgemm::planning
