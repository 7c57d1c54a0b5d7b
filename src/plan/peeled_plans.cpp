// SPDX-License-Identifier: Apache-2.0
#include "plan/peeled_plans.hpp"

#include "plan/candidates.hpp"
#include "plan/check_options.hpp"
#include "plan/cost_model.hpp"
#include "plan/family/families.hpp"
#include "plan/narrow_loads.hpp"
#include "plan/peel.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

namespace libsgemm::planning {
namespace {

using validate::CanonicalProblem;

/// More than an eighth of a tile is worth the tile.
constexpr int least_tiles_unasked = 8;

Cut cut_for(const Candidate& row, const CanonicalProblem& problem,
            const ExpertPlanOptions& options) {
    if (row.kernel->precision != Precision::strict) {
        return {problem.m, problem.n};
    }
    const bool asked = options.peeling == Peeling::always;
    if (!asked && row.kernel->edges == catalog::Edges::any_size) { // small tiles, or next to none
        return {problem.m, problem.n};
    }
    return cut_at(problem, row.kernel->tile(row.parameters), asked ? 1 : least_tiles_unasked);
}

/// Whether launches are short beside a product, were it computed at the device's peak.
bool outweighs_launches(const CanonicalProblem& problem, const PlanningContext& context) {
    constexpr double least_launches = 8;
    const double flops = 2.0 * static_cast<double>(problem.m) * static_cast<double>(problem.n) *
                         static_cast<double>(problem.k) * static_cast<double>(problem.batch);
    const double peak = unit_peak(context.table.machine, context.device) *
                        static_cast<double>(context.device.compute_units);
    return flops / peak >= least_launches * launch_seconds(context.table.machine, context.device);
}

/// Whether a candidate reads a block in place.
bool reads_block_in_place(const Candidate& candidate, const CanonicalProblem& block) {
    return (candidate.variant.narrow_a || !narrows_a(candidate, block)) &&
           (candidate.variant.narrow_b || !narrows_b(candidate, block));
}

/// Of the variants of a main block those that its whole tiles leave of interest: no copies to pad
/// it or for wider loads, and no other way to meet edges than the first where there are none but
/// that of k.
bool is_promising(const Candidate& candidate, const CanonicalProblem& main) {
    const catalog::TileShape tile = candidate.kernel->tile(candidate.parameters);
    const bool whole = main.m % tile.m == 0 && main.n % tile.n == 0;
    const bool pads =
        candidate.variant.edges == EdgeStrategy::padding && !(whole && main.k % tile.k == 0);
    const bool moves = candidate.variant.edges == EdgeStrategy::pointer_shift ||
                       candidate.variant.edges == EdgeStrategy::extension;
    return !pads && !(whole && moves) && reads_block_in_place(candidate, main);
}

/// Tiles that are much larger than what a strip has one way need not be tried; nor those of builds
/// that are tested before they are used, which is done for a plan's main kernel.
bool suits_strip(const Candidate& row, const CanonicalProblem& strip) {
    constexpr std::int64_t small = 32;
    const catalog::KernelEntry& kernel = *row.kernel;
    if (catalog::is_architecture_specific(kernel, row.parameters)) {
        return false;
    }
    if (kernel.edges == catalog::Edges::any_size) {
        return true;
    }
    const catalog::TileShape tile = kernel.tile(row.parameters);
    const std::int64_t across = strip.m < strip.n ? tile.m : tile.n;
    return kernel.edges == catalog::Edges::selectable &&
           across <= std::max(small, 2 * std::min(strip.m, strip.n));
}

/// Plans of the blocks of one problem. What a cut leaves over is planned once for all rows.
class Peeler {
public:
    Peeler(const CanonicalProblem& problem, const ExpertPlanOptions& options,
           const PlanningContext& context, Ranking& ranking)
        : problem_(problem), options_(options), context_(context), ranking_(ranking) {}

    void add_plans(const Candidate& row);

private:
    struct Peeled {
        Cut cut;
        std::vector<StripPlan> strips; ///< none: some have no plan
    };

    const Peeled& peeled_by(const Cut& cut);
    const std::vector<Candidate>& strip_rows();
    std::vector<StripPlan> plan_strips(const Cut& cut);
    std::optional<PlanValue> best_for_strip(const CanonicalProblem& strip);

    const CanonicalProblem& problem_;
    const ExpertPlanOptions& options_;
    const PlanningContext& context_;
    Ranking& ranking_;
    std::vector<Peeled> known_;
    std::optional<std::vector<Candidate>> strip_rows_; ///< listed when first needed
};

/// Rows for the strips: any, even if the options name a kernel.
const std::vector<Candidate>& Peeler::strip_rows() {
    if (!strip_rows_) {
        std::vector<Rejection> rejected;
        strip_rows_ = list_rows({}, problem_.precision, context_, rejected);
    }
    return *strip_rows_;
}

std::optional<PlanValue> Peeler::best_for_strip(const CanonicalProblem& strip) {
    std::optional<PlanValue> best;
    for (const Candidate& row : strip_rows()) {
        if (!suits_strip(row, strip)) {
            continue;
        }
        ExpertPlanOptions in_place;
        const FamilyPlanner& family = planner_of(*row.kernel);
        in_place.repack = family.repack_of_fringe();
        in_place.edges = row.kernel->edges == catalog::Edges::selectable ? EdgeStrategy::guarded
                                                                         : EdgeStrategy::automatic;
        Candidate aligned = row;
        aligned.variant.edges = EdgeStrategy::guarded;
        narrow_loads(aligned, strip);
        for (const Candidate& candidate : family.variants(aligned, strip, in_place, context_)) {
            auto result = build_plan({strip, candidate, in_place, context_});
            auto* plan = std::get_if<PlanValue>(&result);
            if (plan != nullptr && (!best || plan->predicted_seconds < best->predicted_seconds)) {
                best = std::move(*plan);
            }
        }
    }
    return best;
}

std::vector<StripPlan> Peeler::plan_strips(const Cut& cut) {
    std::vector<StripPlan> strips;
    for (const Block& block : strips_of(cut, problem_)) {
        auto plan = best_for_strip(problem_of(block, problem_));
        if (!plan) {
            return {};
        }
        strips.push_back({block, *std::move(plan)});
    }
    return strips;
}

const Peeler::Peeled& Peeler::peeled_by(const Cut& cut) {
    const auto found = std::ranges::find(known_, cut, &Peeled::cut);
    if (found != known_.end()) {
        return *found;
    }
    return known_.emplace_back(Peeled{cut, plan_strips(cut)});
}

void Peeler::add_plans(const Candidate& row) {
    const Cut cut = cut_for(row, problem_, options_);
    if (!cuts(cut, problem_)) {
        return;
    }
    const Peeled& peeled = peeled_by(cut);
    if (peeled.strips.empty()) {
        ranking_.rejected.push_back({row.to_string(), "no kernel computes what it leaves over"});
        return;
    }
    const CanonicalProblem main = problem_of({0, 0, cut.m, cut.n}, problem_);
    Candidate aligned = row;
    if (options_.peeling == Peeling::automatic) {
        narrow_loads(aligned, main); // so that variants that copy are not even listed
    }
    for (const Candidate& candidate :
         planner_of(*row.kernel).variants(aligned, main, options_, context_)) {
        if (options_.peeling == Peeling::automatic && !is_promising(candidate, main)) {
            continue;
        }
        auto result = build_plan({main, candidate, options_, context_});
        if (auto* plan = std::get_if<PlanValue>(&result)) {
            ranking_.plans.push_back(join(std::move(*plan), peeled.strips, problem_));
        } else {
            ranking_.rejected.push_back(
                {candidate.to_string() + ", peeled", std::get<Obstacle>(result).reason});
        }
    }
}

} // namespace

bool may_peel(const CanonicalProblem& problem, const ExpertPlanOptions& options) {
    const bool may_be_strict =
        problem.precision == Precision::strict || problem.precision == Precision::emulated;
    return may_be_strict && options.peeling != Peeling::never &&
           (options.peeling == Peeling::always || is_open(options));
}

bool must_peel(const Candidate& row, const CanonicalProblem& problem,
               const ExpertPlanOptions& options) {
    return options.peeling == Peeling::always && may_peel(problem, options) &&
           cuts(cut_for(row, problem, options), problem);
}

void add_peeled_plans(const CanonicalProblem& problem, const ExpertPlanOptions& options,
                      const PlanningContext& context, const std::vector<Candidate>& rows,
                      Ranking& ranking) {
    if (!may_peel(problem, options) ||
        (options.peeling == Peeling::automatic && !outweighs_launches(problem, context))) {
        return;
    }
    CanonicalProblem strict = problem; // so are the blocks, whatever else the problem would allow
    strict.precision = Precision::strict;
    Peeler peeler(strict, options, context, ranking);
    for (const Candidate& row : rows) {
        peeler.add_plans(row);
    }
}

} // namespace libsgemm::planning
