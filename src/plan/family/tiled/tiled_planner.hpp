// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/family/family_planner.hpp"

#include <vector>

namespace libsgemm::planning {

/// Kernels whose work-groups compute tiles of C: edges, narrow loads, split-K, repacked operands
/// and parts of m, n and k in launches of their own.
class TiledPlanner : public FamilyPlanner {
public:
    std::vector<Candidate> variants(const Candidate& row, const validate::CanonicalProblem& problem,
                                    const ExpertPlanOptions& options,
                                    const PlanningContext& context) const override;
    BuildResult build(const BuildRequest& request) const override;
    std::vector<Variant> tuned_variants(const catalog::KernelEntry& kernel,
                                        const catalog::Parameters& parameters,
                                        const validate::CanonicalProblem& problem,
                                        const DeviceTraits& device) const override;

protected:
    /// Into how many parts work-groups may divide k.
    virtual std::vector<int> split_counts(const Candidate& candidate,
                                          const validate::CanonicalProblem& problem,
                                          const ExpertPlanOptions& options,
                                          const DeviceTraits& device) const;
    /// Whether launches that share k are a remedy for leading dimensions.
    virtual bool may_divide_k() const { return true; }
};

} // namespace libsgemm::planning
