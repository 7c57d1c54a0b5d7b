// SPDX-License-Identifier: Apache-2.0
#include "plan/family/families.hpp"

#include "plan/family/emulated/emulated_planner.hpp"
#include "plan/family/packed/packed_planner.hpp"
#include "plan/family/persistent/persistent_planner.hpp"
#include "plan/family/tiled/tiled_planner.hpp"

#include <variant>

namespace libsgemm::planning {
namespace {

struct PlannerOf {
    const FamilyPlanner& operator()(const catalog::Tiled&) const {
        static const TiledPlanner planner;
        return planner;
    }
    const FamilyPlanner& operator()(const catalog::Persistent&) const {
        static const PersistentPlanner planner;
        return planner;
    }
    const FamilyPlanner& operator()(const catalog::Packed&) const {
        static const PackedPlanner planner;
        return planner;
    }
    const FamilyPlanner& operator()(const catalog::Emulated&) const {
        static const EmulatedPlanner planner;
        return planner;
    }
};

} // namespace

const FamilyPlanner& planner_of(const catalog::KernelEntry& kernel) {
    return std::visit(PlannerOf(), kernel.family);
}

} // namespace libsgemm::planning
