// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/candidate.hpp"
#include "plan/ranking.hpp"
#include "problem/canonical_problem.hpp"

#include <vector>

namespace libsgemm::planning {

/// Whether options and problem allow peeled plans at all: products that are or may be strict, and
/// where no one asks for them only if all is left to the planner.
bool may_peel(const validate::CanonicalProblem& problem, const ExpertPlanOptions& options);

/// Whether all plans by a row are to be peeled ones.
bool must_peel(const Candidate& row, const validate::CanonicalProblem& problem,
               const ExpertPlanOptions& options);

/// Appends the plans of `rows` that compute what is left over whole tiles apart: where the options
/// ask for it all of them, else those of tiles that little is left over, where the product is large
/// enough for more launches. What there is to choose from does not depend on what a model predicts;
/// which plan computes a strip does.
void add_peeled_plans(const validate::CanonicalProblem& problem, const ExpertPlanOptions& options,
                      const PlanningContext& context, const std::vector<Candidate>& rows,
                      Ranking& ranking);

} // namespace libsgemm::planning
