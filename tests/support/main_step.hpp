// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_catalog.hpp"
#include "plan/planner.hpp"
#include "problem/problem.hpp"

#include <algorithm>

namespace sgemm_test {

/// A plan's only main step, or the first of several; there must be one.
inline const libsgemm::planning::Step& main_step(const libsgemm::planning::PlanValue& plan) {
    return *std::ranges::find(plan.steps, libsgemm::planning::PassKind::main_kernel,
                              &libsgemm::planning::Step::kind);
}

/// What the best plan builds for its main step by the catalogue alone, no table, on a device that
/// need not be there.
inline libsgemm::planning::KernelBuild main_build(const libsgemm::Problem& problem,
                                                  const libsgemm::ExpertPlanOptions& options,
                                                  const libsgemm::DeviceTraits& traits) {
    const libsgemm::tables::DeviceTable no_rows;
    return main_step(libsgemm::planning::rank_plans(
                         libsgemm::validate::check_problem(problem).canonical, options,
                         {traits, no_rows, libsgemm::catalog::kernel_catalog()})
                         .plans.front())
        .build;
}

} // namespace sgemm_test
