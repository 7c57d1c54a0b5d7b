// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/candidate.hpp"
#include "plan/passes.hpp"
#include "plan/ranking.hpp"
#include "problem/canonical_problem.hpp"
#include "sgemm/plan.hpp"

#include <cstddef>
#include <variant>

namespace libsgemm::planning {

/// Lays out passes, NDRanges, arguments and workspace of a candidate for a problem with
/// m, n, k, batch > 0 and predicts its time. The candidate's parameters must suit the device
/// (catalog::obstacles).
std::variant<PlanValue, Obstacle> build_plan(const validate::CanonicalProblem& problem,
                                             const Candidate& candidate, const PassContext& context,
                                             EdgeStrategy edges, std::size_t max_workspace_bytes);

/// The plan that computes C = beta * C.
PlanValue build_scale_plan(const validate::CanonicalProblem& problem, const PassContext& context);

} // namespace libsgemm::planning
