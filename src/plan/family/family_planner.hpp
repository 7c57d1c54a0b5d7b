// SPDX-License-Identifier: Apache-2.0
//
// What families of kernels (catalog/family.hpp) do differently: which variants there are of a
// table's row, how these become plans, and how long a launch takes.
#pragma once

#include "plan/candidate.hpp"
#include "plan/cost_model.hpp"
#include "plan/ranking.hpp"
#include "problem/canonical_problem.hpp"
#include "sgemm/expert.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace libsgemm::planning {

/// Of a product.
struct Extents {
    std::int64_t m = 0, n = 0, k = 0;
};

/// What a plan is built from; all of it outlives the call.
struct BuildRequest {
    const validate::CanonicalProblem& problem; ///< m, n, k, batch > 0
    const Candidate& candidate;                ///< its parameters suit the device
    const ExpertPlanOptions& options;
    const PlanningContext& context;
    /// Gives the fastest strict plan of one launch whose kernel is conditional (catalog::Tiled),
    /// for values that an emulated product must not be used for. None: no plan needs one.
    std::function<const BuildResult&()> strict_plan = nullptr;
};

class FamilyPlanner {
public:
    FamilyPlanner() = default;
    FamilyPlanner(const FamilyPlanner&) = delete;
    FamilyPlanner& operator=(const FamilyPlanner&) = delete;
    virtual ~FamilyPlanner() = default;

    /// The variants of a row for a problem, as far as the options leave them open.
    virtual std::vector<Candidate> variants(const Candidate& row,
                                            const validate::CanonicalProblem& problem,
                                            const ExpertPlanOptions& options,
                                            const PlanningContext& context) const = 0;

    /// Lays out passes, NDRanges, arguments and workspace, and predicts the time.
    virtual BuildResult build(const BuildRequest& request) const = 0;

    /// Seconds of a launch of the main kernel.
    virtual double predict(const Work& work, const catalog::TileShape& tile,
                           const tables::KernelModel& model, const tables::MachineModel& machine,
                           const DeviceTraits& device) const {
        return predict_main(std::get<MainWork>(work), tile, model, machine, device);
    }

    /// The variants that the tuner measures of a row: the usual one, then others that may be
    /// faster.
    virtual std::vector<Variant> tuned_variants(const catalog::KernelEntry& /*kernel*/,
                                                const catalog::Parameters& /*parameters*/,
                                                const validate::CanonicalProblem& /*problem*/,
                                                const DeviceTraits& /*device*/) const {
        return {Variant{}};
    }

    /// Which copies a verified row makes where operands are k-major or not: one way, or several.
    virtual std::vector<Variant> verified_copies(const catalog::KernelEntry& /*kernel*/,
                                                 bool /*a_k_major*/, bool /*b_k_major*/) const {
        return {Variant{}};
    }

    /// Products beside those of some tiles that a row is verified with: of more than one block.
    virtual std::vector<Extents> verified_blocks(const catalog::Parameters& /*parameters*/,
                                                 const catalog::TileShape& /*tile*/) const {
        return {};
    }

    /// With which copies a fringe that is peeled off is planned: no passes; a kernel's own are
    /// free.
    virtual Repack repack_of_fringe() const { return Repack::never; }
};

} // namespace libsgemm::planning
