// SPDX-License-Identifier: Apache-2.0
//
// What was measured for exactly one problem comes before what is predicted.
#pragma once

#include "plan/ranking.hpp"
#include "problem/canonical_problem.hpp"

#include <optional>

namespace libsgemm::planning {

/// What choices know a problem by; nothing for problems that none are kept for: batches, FP32
/// emulation, packed operands, a C that kernels may only write.
std::optional<tables::ExactProblem> exact_problem(const validate::CanonicalProblem& problem);

/// The plan that a key names, whether or not the table has such a row; or why there is none. The
/// key may come from a file: variants that the kernel's family would not offer are refused.
BuildResult build_named(const catalog::PlanKey& key, const validate::CanonicalProblem& problem,
                        const PlanningContext& context);

/// Brings the plan of that key to the front; false where it is not among those that are as asked.
/// Parameters that the key leaves out have the kernel's defaults.
bool put_first(Ranking& ranking, const catalog::PlanKey& wanted);

/// Puts a choice's plan first; false where it cannot run.
bool take_choice(Ranking& ranking, const tables::Choice& choice,
                 const validate::CanonicalProblem& problem, const PlanningContext& context);

/// What the table has for exactly this problem; null: nothing.
const tables::Choice* find_exact_choice(const validate::CanonicalProblem& problem,
                                        const tables::DeviceTable& table);

/// Puts the plan that the table has for exactly this problem first; false where there is none that
/// can run.
bool take_exact_choice(Ranking& ranking, const validate::CanonicalProblem& problem,
                       const PlanningContext& context);

} // namespace libsgemm::planning
