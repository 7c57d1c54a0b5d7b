// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "execute/runtime.hpp"
#include "plan/plan_value.hpp"
#include "problem/canonical_problem.hpp"

#include <string>

namespace libsgemm::execute {

/// Runs a plan for a problem, whose batch is 1, on a queue and on memory of its own, and holds the
/// result against one in double precision: what is wrong, or nothing. That includes what lies
/// between C's columns. A plan of FP32 emulation that splits operands runs twice, the second time
/// with a value that is left to strict. Blocks. Throws OpenClError.
std::string fault_of_small_product(const Runtime& runtime,
                                   const validate::CanonicalProblem& problem,
                                   const planning::PlanValue& plan,
                                   const compile::Programs& programs);

} // namespace libsgemm::execute
