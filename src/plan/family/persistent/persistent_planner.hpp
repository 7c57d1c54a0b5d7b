// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/family/tiled/tiled_planner.hpp"

#include <vector>

namespace libsgemm::planning {

/// Tiled kernels of one work-group to a compute unit, which may deal out the last tiles' steps of k
/// among all of them.
class PersistentPlanner : public TiledPlanner {
public:
    BuildResult build(const BuildRequest& request) const override;

protected:
    std::vector<int> split_counts(const Candidate& candidate,
                                  const validate::CanonicalProblem& problem,
                                  const PlanOptions& options,
                                  const DeviceTraits& device) const override;
    /// Each would end with a wave of its own, which stream-K avoids.
    bool may_divide_k() const override { return false; }
};

} // namespace libsgemm::planning
