// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/family/family_planner.hpp"

#include <cstdint>
#include <vector>

namespace libsgemm::planning {

/// Most bytes of B that a plan transposes at once; a larger product is computed in several
/// launches. Whatever fits would do for the result: what stays in the last-level cache until it is
/// used makes transposing cheap.
constexpr std::int64_t most_turned_bytes = std::int64_t{32} << 20U;

/// Most bytes that it transposes at once where more of them make a part of k deeper than one block:
/// what two cores' caches kept (docs/internals/experiments.md).
constexpr std::int64_t usual_turned_bytes = std::int64_t{8} << 20U;

/// Kernels that pack operands themselves: whether they do, whether a pass transposes B, and in how
/// many launches.
class PackedPlanner : public FamilyPlanner {
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
    std::vector<Variant> verified_copies(const catalog::KernelEntry& kernel, bool a_k_major,
                                         bool b_k_major) const override;
    std::vector<Extents> verified_blocks(const catalog::Parameters& parameters,
                                         const catalog::TileShape& tile) const override;
    Relay repack_of_fringe() const override { return Relay::automatic; }
};

} // namespace libsgemm::planning
