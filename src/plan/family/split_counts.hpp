// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/candidate.hpp"
#include "problem/canonical_problem.hpp"
#include "sgemm/plan.hpp"

#include <vector>

namespace libsgemm::planning {

/// Into how many parts k may be divided, 1 and up to `most`: so many that the launch has at most
/// `most_groups` work-groups and each part `least_depth` steps.
std::vector<int> split_counts(const validate::CanonicalProblem& problem,
                              const catalog::TileShape& tile, double most_groups,
                              double least_depth, int most = 128);

/// As the options say, else those that fill a device where one launch has too few work-groups; 1
/// alone for a kernel that cannot.
std::vector<int> split_counts_to_fill(const Candidate& candidate,
                                      const validate::CanonicalProblem& problem,
                                      const PlanOptions& options, const DeviceTraits& device);

} // namespace libsgemm::planning
