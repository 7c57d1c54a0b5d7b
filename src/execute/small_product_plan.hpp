// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/plan_value.hpp"
#include "plan/planner.hpp"
#include "problem/canonical_problem.hpp"

#include <optional>

namespace libsgemm::execute {

/// A problem to try a build with, and a plan for it that launches the build.
struct SmallProduct {
    validate::CanonicalProblem problem;
    planning::PlanValue plan;
};

/// Finds a small problem, some tiles with what is left over at their edges, whose plan launches the
/// very build `target` of a step of `plan`: same storage forms, edges, split-K and loads. Nothing
/// where there is none. Pure.
std::optional<SmallProduct> plan_small_product(const planning::PlanValue& plan,
                                               const planning::KernelBuild& target,
                                               const planning::PlanningContext& context);

} // namespace libsgemm::execute
