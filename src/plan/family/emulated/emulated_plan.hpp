// SPDX-License-Identifier: Apache-2.0
//
// Plans of schemes that split operands (catalog::KernelEntry::precision): passes that find the scales, split and pack
// both operands, the main kernel, and behind it a strict kernel for values that the scheme must not be used for. Which
// of the two works is decided on the device.
#pragma once

#include "plan/build_plan.hpp"

namespace libsgemm::planning {

/// Terms of the bound (PlanValue::bound_terms) of a scheme: its kernel's, and the sums of slices of k.
double emulated_bound_terms(const Candidate& candidate, std::int64_t k);

/// Whether the main kernel multiplies what the scheme must not be used for, so that no strict kernel stands behind it.
bool is_strict_inside(const validate::CanonicalProblem& problem, const Candidate& candidate);

/// As build_plan(). `otherwise` is a plan of one launch for the same problem, of a conditional kernel
/// (catalog::KernelEntry); null where strict is inside.
std::variant<PlanValue, Obstacle> build_emulated_plan(const validate::CanonicalProblem& problem,
                                                      const Candidate& candidate,
                                                      const PassContext& context,
                                                      std::size_t max_workspace_bytes,
                                                      const PlanValue* otherwise);

} // namespace libsgemm::planning
