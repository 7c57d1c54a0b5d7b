// SPDX-License-Identifier: Apache-2.0
//
// Plans that pack an operand once for many products (PackedMatrix): a copy that any strict kernel
// can read, and behind it in the same buffer its splits.
#pragma once

#include "plan/canonical_operand.hpp"
#include "plan/planner.hpp"

#include <cstdint>
#include <variant>
#include <vector>

namespace libsgemm::planning {

struct PackPlan {
    /// The operand as products read it: the copy at the start of the buffer, and its parts.
    validate::Operand operand;
    std::int64_t elements = 0; ///< of the buffer
    /// Reads the operand as buffer_a and writes the buffer as buffer_c.
    PlanValue value;
    double product_seconds = 0; ///< predicted, of the problem with the packed operand
};

/// Whether a plan multiplies those splits, not values.
bool multiplies_parts(const PlanValue& plan, Precision scheme);

/// The copy alone, or with splits for the kernel of `scheme`, a plan of the same problem.
std::variant<PackPlan, Obstacle> build_pack_plan(const validate::CanonicalProblem& problem,
                                                 CanonicalOperand which, const PlanValue* scheme,
                                                 const PlanningContext& context);

/// Ways to pack an operand of a problem, best first: with those splits that its product would be
/// computed by then, and the copy alone at the end. Throws as rank_plans().
std::vector<PackPlan> rank_pack_plans(const validate::CanonicalProblem& problem,
                                      CanonicalOperand which, const ExpertPlanOptions& options,
                                      const PlanningContext& context);

} // namespace libsgemm::planning
