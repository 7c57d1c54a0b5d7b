// SPDX-License-Identifier: Apache-2.0
#include "plan/family/split_counts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace libsgemm::planning {
namespace {

/// Work-groups that a compute unit is taken to hold. Not what a model says: what there is to choose
/// from must not change when a model is fitted anew.
double groups_at_once(const catalog::TileShape& tile, const DeviceTraits& device) {
    constexpr double items = 1024;
    return device.type == DeviceType::cpu ? 1 : std::clamp(items / tile.work_items(), 1.0, 16.0);
}

} // namespace

std::vector<int> split_counts(const validate::CanonicalProblem& problem,
                              const catalog::TileShape& tile, double most_groups,
                              double least_depth, int most) {
    // Powers of two and those times 1.5 are close enough.
    constexpr std::array counts{2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128};
    const double groups = std::ceil(static_cast<double>(problem.m) / tile.m) *
                          std::ceil(static_cast<double>(problem.n) / tile.n) *
                          static_cast<double>(problem.batch);
    std::vector<int> possible{1};
    for (const int count : counts) {
        if (count <= most && groups * count <= most_groups &&
            static_cast<double>(problem.k) >= count * least_depth) {
            possible.push_back(count);
        }
    }
    return possible;
}

std::vector<int> split_counts_to_fill(const Candidate& candidate,
                                      const validate::CanonicalProblem& problem,
                                      const PlanOptions& options, const DeviceTraits& device) {
    if (candidate.kernel->split_k == catalog::SplitK::none) {
        return {1};
    }
    if (options.split_k > 0) {
        return {options.split_k};
    }
    constexpr double least_depth = 64;
    constexpr double most_waves = 2;
    const catalog::TileShape tile = candidate.kernel->tile(candidate.parameters);
    const double slots = static_cast<double>(device.compute_units) * groups_at_once(tile, device);
    return split_counts(problem, tile, most_waves * slots, std::max<double>(least_depth, tile.k));
}

} // namespace libsgemm::planning
