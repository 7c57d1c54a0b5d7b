// SPDX-License-Identifier: Apache-2.0
//
// Plans of kernels that pack operands themselves (catalog::KernelEntry::packs): whether they do, whether a pass
// turns B, and in how many launches.
#pragma once

#include "plan/build_plan.hpp"

#include <cstddef>
#include <variant>
#include <vector>

namespace libsgemm::planning {

/// Most bytes of B that a plan turns at once; a larger product is computed in several launches. Whatever
/// fits would do for the result: what stays in the last-level cache until it is used makes turning cheap.
constexpr std::int64_t most_turned_bytes = std::int64_t{32} << 20U;

/// Most bytes that it turns at once where more of them make a part of k deeper than one block: what
/// two cores' caches kept (docs/internals/experiments.md).
constexpr std::int64_t usual_turned_bytes = std::int64_t{8} << 20U;

/// The ways to bring A and B to the kernel: A packed by it, B turned by a pass, or in place where that is
/// possible; one way, if it packs both. With as many slices of k as may pay.
std::vector<Candidate> with_packing(const Candidate& candidate,
                                    const validate::CanonicalProblem& problem,
                                    const PlanOptions& options);

/// As build_plan(). Launches follow each other: parts of the batch, of n, of k (from the second part of k
/// on they add to C) and of m, each behind the pass that turns its part of B
/// into the same workspace.
std::variant<PlanValue, Obstacle> build_packed_plan(const validate::CanonicalProblem& problem,
                                                    const Candidate& candidate,
                                                    const PassContext& context, EdgeStrategy edges,
                                                    std::size_t max_workspace_bytes);

} // namespace libsgemm::planning
