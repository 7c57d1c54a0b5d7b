// SPDX-License-Identifier: Apache-2.0
//
// Shares of C that launches multiply one after the other, each packing what the next one needs of
// an operand.
#pragma once

#include "catalog/kernel_entry.hpp"
#include "plan/canonical_operand.hpp"
#include "plan/peel.hpp"
#include "problem/canonical_problem.hpp"

#include <optional>
#include <vector>

namespace libsgemm::planning {

/// The operand whose rows (A) or columns (B) are divided among launches, the larger of those that
/// kernels/emulated/pack_beside.clh takes; no value: it takes none.
std::optional<CanonicalOperand> operand_to_share(const validate::CanonicalProblem& problem);

/// Cuts C into up to `most` blocks of whole tiles, along m where A is shared, else along n: of
/// whole waves of `units` tiles where there are several. Each has about twice as many as the one
/// before: the first is packed while nothing is multiplied. None begins within a tile of the strict
/// kernel behind them.
std::vector<Block> launch_shares(const validate::CanonicalProblem& problem,
                                 const catalog::TileShape& tile,
                                 const catalog::TileShape& strict_tile, CanonicalOperand shared,
                                 int most, int units);

} // namespace libsgemm::planning
