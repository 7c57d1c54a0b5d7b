// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/candidate.hpp"
#include "problem/canonical_problem.hpp"

namespace libsgemm::planning {

/// Whether loads of A as narrow as alignment asks are narrower than the parameters'.
bool narrows_a(const Candidate& candidate, const validate::CanonicalProblem& problem);
bool narrows_b(const Candidate& candidate, const validate::CanonicalProblem& problem);

/// Has the variant narrow what alignment asks for.
void narrow_loads(Candidate& candidate, const validate::CanonicalProblem& problem);

/// The candidate whose parameters have the loads that its variant asks for; the variant then asks
/// for nothing more.
Candidate narrowed(Candidate candidate, const validate::CanonicalProblem& problem);

} // namespace libsgemm::planning
