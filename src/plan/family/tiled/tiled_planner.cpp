// SPDX-License-Identifier: Apache-2.0
#include "plan/family/tiled/tiled_planner.hpp"

#include "plan/cost_model.hpp"
#include "plan/family/families.hpp"
#include "plan/family/split_counts.hpp"
#include "plan/family/tiled/tiled_builder.hpp"
#include "plan/narrow_loads.hpp"

#include <algorithm>
#include <utility>

namespace libsgemm::planning {
namespace {

using catalog::Edges;
using catalog::KernelEntry;
using validate::CanonicalProblem;
using validate::Operand;

bool fits_tiles(const CanonicalProblem& problem, const catalog::TileShape& tile) {
    return problem.m % tile.m == 0 && problem.n % tile.n == 0 && problem.k % tile.k == 0;
}

std::vector<EdgeStrategy> edge_strategies(const CanonicalProblem& problem,
                                          const KernelEntry& kernel, const catalog::TileShape& tile,
                                          EdgeStrategy wanted) {
    if (kernel.edges == Edges::any_size) {
        return {EdgeStrategy::guarded};
    }
    if (kernel.edges == Edges::whole_tiles || wanted == EdgeStrategy::padding ||
        wanted == EdgeStrategy::none) {
        return {EdgeStrategy::padding};
    }
    switch (wanted) {
    case EdgeStrategy::guarded:
        return {EdgeStrategy::guarded};
    case EdgeStrategy::pointer_shift:
        return {EdgeStrategy::pointer_shift};
    case EdgeStrategy::extension:
        return {EdgeStrategy::extension};
    default:
        break;
    }
    if (fits_tiles(problem, tile)) {
        return {EdgeStrategy::padding};
    }
    return {EdgeStrategy::padding, EdgeStrategy::guarded, EdgeStrategy::pointer_shift,
            EdgeStrategy::extension};
}

/// The candidate and those that narrow the loads of A, of B or of both to what alignment allows:
/// narrow loads read in place what full ones need a copy of.
std::vector<Candidate> with_loads(const Candidate& candidate, const CanonicalProblem& problem) {
    std::vector<Candidate> variants{candidate};
    const auto add_narrow = [&](bool Variant::*narrow) {
        for (std::size_t i = 0, known = variants.size(); i < known; ++i) {
            variants.push_back(variants[i]);
            variants.back().variant.*narrow = true;
        }
    };
    if (!candidate.variant.narrow_a && narrows_a(candidate, problem)) {
        add_narrow(&Variant::narrow_a);
    }
    if (!candidate.variant.narrow_b && narrows_b(candidate, problem)) {
        add_narrow(&Variant::narrow_b);
    }
    return variants;
}

/// The candidate with each way to reduce its split-K that is open.
std::vector<Candidate> with_sums(const Candidate& split, const ExpertPlanOptions& options,
                                 const PlanningContext& context) {
    const bool can = split.variant.split_k > 1 && can_fuse_reduction(split, context.device);
    if (!can || options.reduction == SplitKReduction::pass) {
        return {split};
    }
    Candidate in_launch = split;
    in_launch.variant.fused_reduction = true;
    if (options.reduction == SplitKReduction::fused) {
        return {in_launch};
    }
    const bool has_cost = context.table.machine.sum_bandwidth > 0;
    if (is_emulated(split) && has_cost) { // what it is for is one launch
        return {in_launch};
    }
    return has_cost ? std::vector<Candidate>{split, in_launch} : std::vector<Candidate>{split};
}

bool collides(const Operand& operand, std::int64_t period) {
    return period > 0 && operand.ld % period == 0;
}

/// Whether an operand whose elements are used so often is worth a copy in the form that the kernel
/// need not transpose element by element: by arithmetic, where a twentieth of the products takes
/// longer than the copy.
bool is_worth_transposing(const Candidate& candidate, const Operand& operand, std::int64_t uses) {
    constexpr std::int64_t least_uses = 2048;
    return catalog::tiled_of(*candidate.kernel)->transposes_by_element &&
           operand.major == validate::Major::k && uses >= least_uses;
}

/// Repacking and parts: what the options request, else what the sweep over leading dimensions
/// (bench/ld-sweep) has shown to help, where the table says that they cost something on the device:
/// a repacking of what collides, or k in two launches. More of those gained nothing, parts of C
/// neither.
std::vector<Candidate> with_remedies(const Candidate& candidate, const CanonicalProblem& problem,
                                     const ExpertPlanOptions& options,
                                     const tables::MachineModel& machine, bool may_divide_k) {
    Candidate plain = candidate;
    plain.variant.parts = {std::max(1, options.parts_m), std::max(1, options.parts_n),
                           std::max(1, options.parts_k)};
    const auto [first, second] = problem.operands_swapped
                                     ? std::pair{Repack::only_b, Repack::only_a}
                                     : std::pair{Repack::only_a, Repack::only_b};
    plain.variant.repack_a = options.repack == Repack::always || options.repack == first;
    plain.variant.repack_b = options.repack == Repack::always || options.repack == second;
    std::vector<Candidate> variants{plain};
    const auto add_repacked = [&](bool a, bool b) {
        const auto is_it = [&](const Candidate& variant) {
            return variant.variant.repack_a == a && variant.variant.repack_b == b;
        };
        if (options.repack == Repack::automatic && std::ranges::none_of(variants, is_it)) {
            variants.push_back(plain);
            variants.back().variant.repack_a = a;
            variants.back().variant.repack_b = b;
        }
    };
    const bool transpose_a = is_worth_transposing(candidate, problem.a, problem.n);
    const bool transpose_b = is_worth_transposing(candidate, problem.b, problem.m);
    add_repacked(transpose_a, false);
    add_repacked(false, transpose_b);
    add_repacked(transpose_a, transpose_b);
    const std::int64_t period = ld_period(machine, *candidate.kernel);
    const bool a = collides(problem.a, period);
    const bool b = collides(problem.b, period);
    if (!(a || b) || machine.ld_slowdown <= 1) {
        return variants;
    }
    add_repacked(a, b);
    if (options.parts_m + options.parts_n + options.parts_k == 0 &&
        candidate.variant.split_k == 1 && may_divide_k) {
        Candidate divided = plain;
        divided.variant.parts.k = 2;
        variants.push_back(divided);
    }
    return variants;
}

} // namespace

std::vector<int> TiledPlanner::split_counts(const Candidate& candidate,
                                            const CanonicalProblem& problem,
                                            const ExpertPlanOptions& options,
                                            const DeviceTraits& device) const {
    return split_counts_to_fill(candidate, problem, options, device);
}

std::vector<Candidate> TiledPlanner::variants(const Candidate& row, const CanonicalProblem& problem,
                                              const ExpertPlanOptions& options,
                                              const PlanningContext& context) const {
    std::vector<Candidate> candidates;
    const catalog::TileShape tile = row.kernel->tile(row.parameters);
    for (const EdgeStrategy edges : edge_strategies(problem, *row.kernel, tile, options.edges)) {
        Candidate variant = row;
        variant.variant.edges = edges;
        for (const Candidate& load : with_loads(variant, problem)) {
            for (const int count : split_counts(load, problem, options, context.device)) {
                Candidate split = load;
                split.variant.split_k = count;
                for (const Candidate& summed : with_sums(split, options, context)) {
                    const auto variants = with_remedies(summed, problem, options,
                                                        context.table.machine, may_divide_k());
                    candidates.insert(candidates.end(), variants.begin(), variants.end());
                }
            }
        }
    }
    return candidates;
}

BuildResult TiledPlanner::build(const BuildRequest& request) const {
    return TiledBuilder(*this, request).build();
}

std::vector<Variant> TiledPlanner::tuned_variants(const KernelEntry& kernel,
                                                  const catalog::Parameters& parameters,
                                                  const CanonicalProblem& problem,
                                                  const DeviceTraits& device) const {
    const catalog::TileShape tile = kernel.tile(parameters);
    const auto split_k = [&](double waves) {
        constexpr double least_depth = 64;
        return kernel.split_k == catalog::SplitK::none
                   ? 1
                   : planning::split_counts(problem, tile,
                                            waves * static_cast<double>(device.compute_units),
                                            std::max<double>(least_depth, tile.k))
                         .back();
    };
    Variant usual;
    if (kernel.edges == Edges::any_size) {
        usual.edges = EdgeStrategy::guarded;
    }
    const bool meets_edges = kernel.edges == Edges::selectable && !fits_tiles(problem, tile);
    if (meets_edges) {
        usual.edges = EdgeStrategy::guarded;
        usual.narrow_a = usual.narrow_b = true;
    }
    constexpr double usual_waves = 2;
    constexpr double more_waves = 6;
    usual.split_k = split_k(usual_waves);
    std::vector<Variant> variants{usual};
    const auto add = [&](const Variant& other) {
        if (other != usual) {
            variants.push_back(other);
        }
    };
    Variant other = usual;
    if (meets_edges) {
        other.narrow_a = other.narrow_b = false;
        other.edges = EdgeStrategy::padding;
        add(other);
        other = usual;
        other.edges = EdgeStrategy::pointer_shift;
        if (catalog::takes(kernel, other.edges) && problem.m >= tile.m && problem.n >= tile.n) {
            add(other);
        }
        other.edges = EdgeStrategy::extension;
        if (catalog::takes(kernel, other.edges)) {
            add(other);
        }
    }
    other = usual;
    other.split_k = 1;
    add(other);
    other.split_k = split_k(more_waves);
    if (other.split_k != 1) {
        add(other);
    }
    return variants;
}

const FamilyPlanner& planner_of(const catalog::Tiled& /*family*/) {
    static const TiledPlanner planner;
    return planner;
}

} // namespace libsgemm::planning
