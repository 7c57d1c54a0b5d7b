// SPDX-License-Identifier: Apache-2.0
#include "plan/family/family_planner.hpp"

namespace libsgemm::planning {

std::vector<Variant> FamilyPlanner::verified_copies(const catalog::KernelEntry& /*kernel*/,
                                                    bool /*a_k_major*/, bool /*b_k_major*/) const {
    return {Variant{}};
}

std::vector<Extents> FamilyPlanner::verified_blocks(const catalog::Parameters& /*parameters*/,
                                                    const catalog::TileShape& /*tile*/) const {
    return {};
}

} // namespace libsgemm::planning
