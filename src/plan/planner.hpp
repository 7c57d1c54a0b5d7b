// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/ranking.hpp"
#include "problem/canonical_problem.hpp"
#include "sgemm/expert.hpp"

#include <string>

namespace libsgemm::planning {

/// Ranks all candidates that the options allow: the table's rows, and the naive kernel in any case.
/// Where the options leave everything open, the table's choice for the problem's class comes first.
/// Pure: no OpenCL calls, equal arguments give equal results. `problem` has m, n, k, batch > 0.
///
/// Throws ArgumentError for a kernel or parameter name that does not exist, UnsupportedError if
/// nothing that the options allow can run.
Ranking rank_plans(const validate::CanonicalProblem& problem, const ExpertPlanOptions& options,
                   const PlanningContext& context);

/// Whether launches add to what others have written to C, so that it is read although beta is zero:
/// a driver need not bring to a launch what it may only write. (What a launch has itself written it
/// may find there, as `packed` does.)
bool adds_to_c(const PlanValue& plan);

/// Problems that are alike enough to share what timing says of one of them: equal forms, sizes
/// equal to about 20 %, loads of the same width, whole tiles or not.
std::string problem_class(const validate::CanonicalProblem& problem);

/// The plan that a key names, or why there is none. Only one that is made of several needs the
/// table's rows.
BuildResult plan_of(const catalog::PlanKey& key, const validate::CanonicalProblem& problem,
                    const PlanningContext& context);

/// The only plan where nothing is multiplied (alpha or k is zero): C = beta * C.
PlanValue scale_plan(const validate::CanonicalProblem& problem, const PassContext& context);

} // namespace libsgemm::planning
