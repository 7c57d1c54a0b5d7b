// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_catalog.hpp"
#include "plan/planner.hpp"
#include "validate/problem.hpp"

#include <algorithm>

namespace sgemm_test {

/// A plan's only main step, or the first of several; there must be one.
inline const sgemm::planning::Step& main_step(const sgemm::planning::PlanValue& plan) {
    return *std::ranges::find(plan.steps, sgemm::planning::PassKind::main_kernel,
                              &sgemm::planning::Step::kind);
}

/// What the best plan builds for its main step by the catalogue alone, no table, on a device that need not be there.
inline sgemm::planning::KernelBuild main_build(const sgemm::Problem& problem,
                                               const sgemm::PlanOptions& options,
                                               const sgemm::DeviceTraits& traits) {
    const sgemm::tables::DeviceTable no_rows;
    return main_step(sgemm::planning::rank_plans(
                         sgemm::validate::check_problem(problem).canonical, options,
                         {traits, no_rows, sgemm::catalog::kernel_catalog()})
                         .plans.front())
        .build;
}

} // namespace sgemm_test
