// SPDX-License-Identifier: Apache-2.0
#include "plan/family/emulated/launch_shares.hpp"

#include "support/round.hpp"

#include <algorithm>
#include <numeric>

namespace libsgemm::planning {
namespace {

using support::ceil_div;

/// Rounds of a row are copied whole, in pieces of 16 bytes.
bool can_be_shared(const validate::Operand& operand, const validate::CanonicalProblem& problem) {
    constexpr std::int64_t copied_together = 4; // elements
    return operand.major == validate::Major::k && !operand.packed.has_parts() &&
           problem.batch == 1 && problem.k % copied_together == 0 &&
           operand.ld % copied_together == 0 && operand.offset_alignment % copied_together == 0;
}

/// Parts of `all`, each twice the one before as far as that goes, none of nothing.
std::vector<std::int64_t> doubling_parts(std::int64_t all, int count) {
    std::vector<std::int64_t> parts;
    for (int i = 0; i < count; ++i) {
        const std::int64_t ones =
            (std::int64_t{1} << static_cast<unsigned>(count - i)) - 1; // 1 + 2 + 4 ...
        const std::int64_t left_for_others = count - i - 1;
        const std::int64_t nearest = (2 * all + ones) / (2 * ones);
        parts.push_back(std::clamp<std::int64_t>(nearest, 1, all - left_for_others));
        all -= parts.back();
    }
    return parts;
}

} // namespace

std::optional<CanonicalOperand> operand_to_share(const validate::CanonicalProblem& problem) {
    const bool a = can_be_shared(problem.a, problem);
    const bool b = can_be_shared(problem.b, problem);
    if (!a && !b) {
        return std::nullopt;
    }
    return a && (!b || problem.m >= problem.n) ? CanonicalOperand::a : CanonicalOperand::b;
}

std::vector<Block> launch_shares(const validate::CanonicalProblem& problem,
                                 const catalog::TileShape& tile,
                                 const catalog::TileShape& strict_tile, CanonicalOperand shared,
                                 int most, int units) {
    const bool along_m = shared == CanonicalOperand::a;
    const std::int64_t extent = along_m ? problem.m : problem.n;
    const std::int64_t step = along_m ? tile.m : tile.n;
    const std::int64_t strict_step = along_m ? strict_tile.m : strict_tile.n;
    const std::int64_t across = along_m ? ceil_div(problem.n, tile.n) : ceil_div(problem.m, tile.m);
    const std::int64_t lines = ceil_div(extent, step); // of tiles
    const std::int64_t wave = std::max<std::int64_t>(1, units / across);
    // A part of a wave takes as long as all of it, but somewhere it has to be cut.
    const std::int64_t cut = lines > wave ? wave * step : step;
    const std::int64_t whole = std::lcm(cut, strict_step);
    const std::int64_t unit = whole < extent ? whole : std::lcm(step, strict_step);
    const int count = static_cast<int>(std::min<std::int64_t>(most, ceil_div(extent, unit)));
    std::vector<Block> blocks;
    std::int64_t begin = 0;
    for (const std::int64_t part : doubling_parts(ceil_div(extent, unit), count)) {
        const std::int64_t size = std::min(part * unit, extent - begin);
        blocks.push_back(along_m ? Block{begin, 0, size, problem.n}
                                 : Block{0, begin, problem.m, size});
        begin += size;
    }
    return blocks;
}

} // namespace libsgemm::planning
