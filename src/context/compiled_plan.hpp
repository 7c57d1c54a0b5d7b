// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/program.hpp"
#include "plan/plan_value.hpp"
#include "plan/planner.hpp"
#include "problem/problem.hpp"

#include <memory>
#include <string>

namespace libsgemm::detail {

/// A plan with its programs. Knows nothing of its Core, which remembers it.
struct CompiledPlan {
    validate::CheckedProblem problem; ///< with the offset alignments that were planned for
    planning::PlanValue value;
    compile::Programs programs;
    std::string explanation; ///< ranking, rejections, fallbacks; empty where nobody will ask
};

using PlanPointer = std::shared_ptr<const CompiledPlan>;

/// Text for people; `table_complaint` says why the user's own table is not used.
std::string describe(const CompiledPlan& plan, const planning::PlanningContext& context,
                     const std::string& table_complaint);

} // namespace libsgemm::detail
