// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/candidate.hpp"
#include "plan/ranking.hpp"
#include "problem/canonical_problem.hpp"

#include <vector>

namespace libsgemm::planning {

/// One candidate per row, before the variants, that the options allow and the device can run: the
/// table's rows (and the naive kernel, or the forced one, with default parameters where the table
/// has no row). Others go to `rejected`.
///
/// Throws ArgumentError for a kernel or parameter that does not exist.
std::vector<Candidate> list_rows(const ExpertPlanOptions& options, Precision precision,
                                 const PlanningContext& context, std::vector<Rejection>& rejected);

/// All variants of all rows. Throws as list_rows().
std::vector<Candidate> list_candidates(const validate::CanonicalProblem& problem,
                                       const ExpertPlanOptions& options,
                                       const PlanningContext& context,
                                       std::vector<Rejection>& rejected);

/// Whether a problem of that precision may be computed by a kernel that no program forces.
bool is_allowed(const catalog::KernelEntry& kernel, Precision precision);

} // namespace libsgemm::planning
