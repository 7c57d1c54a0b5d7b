// SPDX-License-Identifier: Apache-2.0
//
// Peeling: C is cut at its last whole tile. The main block is a product of whole tiles; the few
// rows below it and the few columns beside it are products of their own, each by a kernel for such
// skinny ones.
#pragma once

#include "catalog/kernel_entry.hpp"
#include "plan/plan_value.hpp"
#include "problem/canonical_problem.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace libsgemm::planning {

/// A block of C, and with it rows of op(A) and columns of op(B).
struct Block {
    std::int64_t m0 = 0, n0 = 0; ///< its first row and column
    std::int64_t m = 0, n = 0;
};

/// Extents of the main block; those of C where nothing is cut off.
struct Cut {
    std::int64_t m = 0;
    std::int64_t n = 0;

    bool operator==(const Cut&) const = default;
};

/// Where C is cut for a tile: behind the last whole one, where there is one and some rows or
/// columns, but at most 1 / `least_tiles` of a tile, are left over.
Cut cut_at(const validate::CanonicalProblem& problem, const catalog::TileShape& tile,
           int least_tiles);

/// Whether a cut cuts anything off.
bool cuts(const Cut& cut, const validate::CanonicalProblem& problem);

/// What is cut off: the last rows of all columns, then the last columns of the other rows.
std::vector<Block> strips_of(const Cut& cut, const validate::CanonicalProblem& problem);

/// The product that makes a block.
validate::CanonicalProblem problem_of(const Block& block,
                                      const validate::CanonicalProblem& problem);

/// Moves a step of that product's plan to where the block's operands begin.
void move_to_block(Step& step, const Block& block, const validate::CanonicalProblem& problem);

/// A plan for a strip.
struct StripPlan {
    Block block;
    PlanValue plan;
};

/// The main block's plan, then those of the strips (one or two), one after the other: they share
/// the workspace.
PlanValue join(PlanValue main, const std::vector<StripPlan>& strips,
               const validate::CanonicalProblem& problem);

} // namespace libsgemm::planning
