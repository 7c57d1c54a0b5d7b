// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/family/tiled/tiling.hpp"
#include "sgemm/plan.hpp"

#include <string>

namespace libsgemm::planning {

/// Why a candidate's strict, unpacked main kernel cannot compute the problem with its tiles laid on `extents`; empty where
/// it can.
std::string find_obstacle(const validate::CanonicalProblem& problem, const Candidate& candidate,
                          const WorkExtents& extents, EdgeStrategy edges,
                          const DeviceTraits& device);

} // namespace libsgemm::planning
