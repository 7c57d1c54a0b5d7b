// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/candidate.hpp"
#include "plan/planner.hpp"

#include <vector>

namespace sgemm::planning {

/// Every candidate that the options allow for a problem: the table's rows (and the naive kernel, or
/// the forced one, with default parameters where the table has no row) x edge treatments x slices
/// of k x remedies for leading dimensions. Rows of unknown kernels go to `rejected`.
///
/// Throws ArgumentError for a kernel or parameter that does not exist.
std::vector<Candidate> list_candidates(const validate::CanonicalProblem& problem,
                                       const PlanOptions& options, const PlanningContext& context,
                                       std::vector<Rejection>& rejected);

/// Whether a problem of that precision may be computed by a kernel that no program forces.
bool is_allowed(const catalog::KernelEntry& kernel, Precision precision);

/// Narrows a kernel's global loads to what the operands' alignment allows; false if nothing changed.
bool narrow_loads(Candidate& candidate, const validate::CanonicalProblem& problem);

} // namespace sgemm::planning
