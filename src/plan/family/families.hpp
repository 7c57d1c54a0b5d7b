// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/family/family_planner.hpp"

namespace libsgemm::planning {

/// That of a kernel's family.
const FamilyPlanner& planner_of(const catalog::KernelEntry& kernel);

inline BuildResult build_plan(const BuildRequest& request) {
    return planner_of(*request.candidate.kernel).build(request);
}

} // namespace libsgemm::planning
