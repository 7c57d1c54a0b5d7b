// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/family/family_planner.hpp"

#include <vector>

namespace libsgemm::planning {

/// FP32 emulation: passes that find the scales, split and pack both operands, the main kernel, and
/// behind it a strict kernel for values that must not be multiplied so. Which of the two works is
/// decided on the device.
class EmulatedPlanner : public FamilyPlanner {
public:
    std::vector<Candidate> variants(const Candidate& row, const validate::CanonicalProblem& problem,
                                    const PlanOptions& options,
                                    const PlanningContext& context) const override;
    BuildResult build(const BuildRequest& request) const override;
    double predict(const Work& work, const catalog::TileShape& tile,
                   const tables::KernelModel& model, const tables::MachineModel& machine,
                   const DeviceTraits& device) const override;
    std::vector<Variant> tuned_variants(const catalog::KernelEntry& kernel,
                                        const catalog::Parameters& parameters,
                                        const validate::CanonicalProblem& problem,
                                        const DeviceTraits& device) const override;
};

} // namespace libsgemm::planning
