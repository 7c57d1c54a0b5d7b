// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/family/family_planner.hpp"

namespace libsgemm::planning {

/// What varies, builds and predicts for a family; each is defined with its planner.
const FamilyPlanner& planner_of(const catalog::Tiled& family);
const FamilyPlanner& planner_of(const catalog::Persistent& family);
const FamilyPlanner& planner_of(const catalog::Flat& family);
const FamilyPlanner& planner_of(const catalog::Packed& family);
const FamilyPlanner& planner_of(const catalog::Emulated& family);

inline const FamilyPlanner& planner_of(const catalog::KernelEntry& kernel) {
    return std::visit([](const auto& family) -> const FamilyPlanner& { return planner_of(family); },
                      kernel.family);
}

inline BuildResult build_plan(const BuildRequest& request) {
    return planner_of(*request.candidate.kernel).build(request);
}

} // namespace libsgemm::planning
