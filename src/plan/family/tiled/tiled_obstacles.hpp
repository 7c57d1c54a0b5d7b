// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/family/tiled/tiling.hpp"
#include "problem/canonical_problem.hpp"

#include <string>

namespace libsgemm::planning {

/// Why a candidate's main kernel cannot compute the problem with its tiles laid on `extents`; empty
/// where it can.
std::string find_obstacle_to_tiles(const validate::CanonicalProblem& problem,
                                   const Candidate& candidate, const WorkExtents& extents,
                                   const DeviceTraits& device);

} // namespace libsgemm::planning
