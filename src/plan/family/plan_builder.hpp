// SPDX-License-Identifier: Apache-2.0
//
// What building a plan has in common in all families: the build of the main kernel, split-K, the
// workspace and its limits, finishing.
#pragma once

#include "plan/arguments.hpp"
#include "plan/family/family_planner.hpp"
#include "plan/step_list.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace libsgemm::planning {

class PlanBuilder {
public:
    PlanBuilder(const PlanBuilder&) = delete;
    PlanBuilder& operator=(const PlanBuilder&) = delete;
    virtual ~PlanBuilder() = default;

    BuildResult build();

protected:
    PlanBuilder(const FamilyPlanner& family, const BuildRequest& request)
        : PlanBuilder(family, request, request.candidate) {}
    /// Of a candidate that takes the place of the request's.
    PlanBuilder(const FamilyPlanner& family, const BuildRequest& request, Candidate candidate);

    /// Adds all steps, or says why they do not compute the problem.
    virtual std::string add_steps() = 0;
    /// PlanValue::strategy, of all steps.
    virtual std::string strategy(const std::vector<Step>& steps) const = 0;

    int split_k() const { return std::max(candidate_.variant.split_k, 1); }
    Place c() const;
    /// Why edges, or split-K and parts together, are not as the options ask; empty: they are.
    std::string find_obstacle_to_options() const;
    /// A launch of the main kernel on a product of such extents: its build and purpose.
    Step main_step(catalog::BuildChoice choice, std::int64_t m, std::int64_t n,
                   std::int64_t k) const;
    /// Says what a launch of the main kernel does, and predicts its time.
    void predict(Step& step, const Work& work) const;
    /// Room for the partial sums of split-K, matrix by matrix; batch_stride is from one to the
    /// next.
    Place reserve_partial_sums(Extent extent, int alignment);
    /// The first of each product.
    Place first_partial_sums(Place sums) const;
    /// C = alpha * (sum of the partial sums) + beta * C.
    Step reduction(const Place& sums) const;

    const FamilyPlanner& family_;
    const BuildRequest& request_;
    const validate::CanonicalProblem& problem_;
    const Candidate candidate_;
    const PassContext context_;
    const catalog::TileShape tile_;
    StepList steps_;

private:
    PlanValue finish(std::int64_t workspace_bytes);
};

} // namespace libsgemm::planning
