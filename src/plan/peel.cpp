// SPDX-License-Identifier: Apache-2.0
#include "plan/peel.hpp"

#include "plan/passes.hpp"

#include <algorithm>
#include <numeric>

namespace libsgemm::planning {
namespace {

using Kind = Argument::Kind;
using validate::CanonicalProblem;
using validate::Operand;

std::int64_t cut_extent(std::int64_t extent, std::int64_t tile, std::int64_t least_tiles) {
    const std::int64_t rest = extent % tile;
    return extent > tile && rest <= tile / least_tiles ? extent - rest : extent;
}

/// First element of an operand's block that begins at the row or column mn0.
std::int64_t begin_of(const Operand& operand, std::int64_t mn0) {
    return operand.major == validate::Major::mn ? mn0 : mn0 * operand.ld;
}

/// Elements from the start of each matrix to the start of its block.
struct Shifts {
    std::int64_t a = 0;
    std::int64_t b = 0;
    std::int64_t c = 0;
};

Shifts shifts_of(const Block& block, const CanonicalProblem& problem) {
    return {begin_of(problem.a, block.m0), begin_of(problem.b, block.n0),
            block.n0 * problem.c.ld + block.m0};
}

/// An operand that begins so many elements further on.
Operand moved(Operand operand, std::int64_t elements) {
    operand.offset_alignment = std::gcd(operand.offset_alignment, elements); // a power of two
    return operand;
}

void move_arguments(Step& step, const Shifts& shifts) {
    for (Argument& argument : step.arguments) {
        if (argument.kind == Kind::offset_a) {
            argument.value += shifts.a;
        } else if (argument.kind == Kind::offset_b) {
            argument.value += shifts.b;
        } else if (argument.kind == Kind::offset_c) {
            argument.value += shifts.c;
        }
    }
}

bool is_below(const Block& strip) {
    return strip.m0 > 0;
}

void append(PlanValue& plan, const StripPlan& strip, const CanonicalProblem& problem) {
    const bool below = is_below(strip.block);
    const Shifts shifts = shifts_of(strip.block, problem);
    const auto first = static_cast<int>(plan.steps.size());
    for (Step step : strip.plan.steps) {
        move_arguments(step, shifts);
        for (int& index : step.after) {
            index += first;
        }
        if (step.after.empty()) { // the workspace is free, and the last event stands for all
            step.after.push_back(first - 1);
        }
        step.purpose += below ? ", last rows" : ", last columns";
        if (step.kind == PassKind::main_kernel) {
            step.purpose += " by " + strip.plan.to_string();
        }
        plan.steps.push_back(std::move(step));
    }
    plan.workspace_bytes = std::max(plan.workspace_bytes, strip.plan.workspace_bytes);
    plan.counts = plan.counts || strip.plan.counts;
    plan.predicted_seconds += predict_steps(strip.plan.steps);
}

} // namespace

Cut cut_at(const CanonicalProblem& problem, const catalog::TileShape& tile, int least_tiles) {
    return {cut_extent(problem.m, tile.m, least_tiles), cut_extent(problem.n, tile.n, least_tiles)};
}

bool cuts(const Cut& cut, const CanonicalProblem& problem) {
    return cut != Cut{problem.m, problem.n};
}

std::vector<Block> strips_of(const Cut& cut, const CanonicalProblem& problem) {
    std::vector<Block> strips;
    if (cut.m < problem.m) {
        strips.push_back({cut.m, 0, problem.m - cut.m, problem.n});
    }
    if (cut.n < problem.n) {
        strips.push_back({0, cut.n, cut.m, problem.n - cut.n});
    }
    return strips;
}

CanonicalProblem problem_of(const Block& block, const CanonicalProblem& problem) {
    const Shifts shifts = shifts_of(block, problem);
    CanonicalProblem part = problem;
    part.m = block.m;
    part.n = block.n;
    part.a = moved(problem.a, shifts.a);
    part.b = moved(problem.b, shifts.b);
    part.c = moved(problem.c, shifts.c);
    return part;
}

void move_to_block(Step& step, const Block& block, const CanonicalProblem& problem) {
    move_arguments(step, shifts_of(block, problem));
}

PlanValue join(PlanValue main, const std::vector<StripPlan>& strips,
               const CanonicalProblem& problem) {
    main.strategy = "peeled";
    main.variant.peeled = true;
    for (const StripPlan& strip : strips) {
        append(main, strip, problem);
    }
    return main;
}

} // namespace libsgemm::planning
