// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/plan_value.hpp"
#include "plan/ranking.hpp"
#include "problem/canonical_problem.hpp"

#include <string>

namespace libsgemm::planning {

/// "pre-pass", "main kernel", "post-pass"
const char* name_of(PassKind kind);

/// "NT 1000x1000x1000 batch 4": the canonical problem, transposes as BLAS letters.
std::string problem_text(const validate::CanonicalProblem& problem);

/// One line: kernel, parameters, passes, predicted time.
std::string summarize(const PlanValue& plan);

/// The plan's steps, one a line.
std::string describe_steps(const PlanValue& plan);

/// The ranking with predicted times, then the rejections with reasons.
std::string describe_ranking(const Ranking& ranking);

} // namespace libsgemm::planning
