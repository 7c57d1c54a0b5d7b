// SPDX-License-Identifier: Apache-2.0
#include "plan/pack_plan.hpp"

#include "catalog/emulated.hpp"
#include "catalog/passes.hpp"
#include "plan/family/emulated/split_passes.hpp"
#include "plan/inputs.hpp"
#include "support/round.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

namespace libsgemm::planning {
namespace {

using support::Count;
using support::round_up;
using validate::CanonicalProblem;
using Kind = Argument::Kind;

/// Fits the tiles of all splits, on either side of the product.
constexpr std::int64_t row_granule = 256;
/// Widest vectors that a kernel reads.
constexpr int copy_alignment = 16;
/// Off the period of the memory channels.
constexpr std::int64_t copy_gap = 32;

class PackBuilder {
public:
    PackBuilder(const CanonicalProblem& problem, CanonicalOperand which,
                const PlanningContext& context)
        : problem_(problem), which_(which),
          operand_(which == CanonicalOperand::a ? problem.a : problem.b),
          rows_(which == CanonicalOperand::a ? problem.m : problem.n),
          matrices_(operand_.batch_stride == 0 ? 1 : problem.batch), context_(context),
          passes_(context.passes()) {}

    std::variant<PackPlan, Obstacle> build(const PlanValue* scheme);

private:
    int add_copy();
    std::int64_t blocks_granule(const PlanValue& scheme) const;
    void add_parts(const PlanValue& scheme);

    const CanonicalProblem& problem_;
    CanonicalOperand which_;
    const validate::Operand& operand_;
    std::int64_t rows_;
    std::int64_t matrices_;
    const PlanningContext& context_;
    PassContext passes_;
    PackPlan plan_;
    StepList steps_;
};

/// As it is stored, with a leading dimension that suits vectors and memory channels.
int PackBuilder::add_copy() {
    const bool k_major = operand_.major == validate::Major::k;
    const Extent extent = k_major ? Extent{problem_.k, rows_} : Extent{rows_, problem_.k};
    std::int64_t ld = round_up(extent.rows, copy_alignment);
    const std::int64_t period = context_.table.machine.ld_period;
    if (period > 0 && ld % period == 0) {
        ld += copy_gap;
    }
    Place to = steps_.reserve({ld, extent.columns}, copy_alignment, matrices_);
    to.buffer = Kind::buffer_c;
    plan_.operand = {operand_.major, ld, to.batch_stride, copy_alignment, {}};
    const char* name = (which_ == CanonicalOperand::a) != problem_.operands_swapped ? "A" : "B";
    return steps_.add(copy_step(passes_, catalog::pad_pass(context_.device), name,
                                caller_place(Kind::buffer_a, Kind::offset_a, operand_), extent, to,
                                extent, matrices_),
                      {});
}

/// Whole chains of whichever row of the table multiplies it: the other operand may be packed for
/// products of another size.
std::int64_t PackBuilder::blocks_granule(const PlanValue& scheme) const {
    std::int64_t granule = catalog::emulated::promote(scheme.parameters);
    for (const tables::TableRow& row : context_.table.rows) {
        if (row.kernel == scheme.kernel->name) {
            granule = std::lcm(granule, std::int64_t{catalog::emulated::promote(row.parameters)});
        }
    }
    return granule;
}

void PackBuilder::add_parts(const PlanValue& scheme) {
    const SplitExtent extent{rows_, round_up(rows_, row_granule), matrices_};
    const SplitExtent nothing{0, 0, 0};
    const std::int64_t blocks = round_up(
        split_blocks(problem_.k, *scheme.kernel, scheme.parameters), blocks_granule(scheme));
    SplitWork work =
        plan_split(problem_.k, blocks, *scheme.kernel, nothing, extent, context_.device);
    work.space = Kind::buffer_c;
    SplitOperand operand;
    operand.operand = &operand_;
    operand.extent = nothing;
    const SplitOperand other = operand;
    operand.extent = extent;
    place_split(operand, work, steps_);
    plan_.operand.packed = {scheme.precision, extent.padded,   blocks,       matrices_,
                            operand.scales,   operand.control, operand.parts};
    add_split_passes(work, other, operand, passes_, steps_);
}

std::variant<PackPlan, Obstacle> PackBuilder::build(const PlanValue* scheme) {
    const int copy = add_copy();
    if (scheme != nullptr) {
        add_parts(*scheme);
    }
    const Count bytes = steps_.bytes();
    const auto most = static_cast<std::uint64_t>(context_.device.max_allocation_bytes);
    if (!bytes || static_cast<std::uint64_t>(*bytes) > most) {
        return Obstacle{"packed it is larger than a buffer of the device may be"};
    }
    plan_.elements = *bytes / static_cast<std::int64_t>(sizeof(float));
    PlanValue& value = plan_.value;
    value.steps = steps_.take();
    if (scheme != nullptr) { // the last step ends all of them
        value.steps.back().after.push_back(copy);
        value.precision = scheme->precision;
    }
    value.predicted_seconds = predict_steps(value.steps);
    return std::move(plan_);
}

/// The problem with the operand as it is once packed.
CanonicalProblem packed_problem(CanonicalProblem problem, CanonicalOperand which,
                                const validate::Operand& packed) {
    (which == CanonicalOperand::a ? problem.a : problem.b) = packed;
    return problem;
}

} // namespace

bool multiplies_parts(const PlanValue& plan, Precision scheme) {
    return plan.precision == scheme && plan.kernel != nullptr &&
           catalog::is_of<catalog::Emulated>(*plan.kernel);
}

std::variant<PackPlan, Obstacle> build_pack_plan(const CanonicalProblem& problem,
                                                 CanonicalOperand which, const PlanValue* scheme,
                                                 const PlanningContext& context) {
    return PackBuilder(problem, which, context).build(scheme);
}

std::vector<PackPlan> rank_pack_plans(const CanonicalProblem& problem, CanonicalOperand which,
                                      const ExpertPlanOptions& options,
                                      const PlanningContext& context) {
    const Ranking unpacked = rank_plans(problem, options, context);
    std::vector<PackPlan> plans;
    for (const Precision scheme : {Precision::fp16x2, Precision::tf32x3, Precision::bf16x3}) {
        const auto best =
            std::find_if(unpacked.plans.begin(), unpacked.plans.end(),
                         [&](const PlanValue& plan) { return multiplies_parts(plan, scheme); });
        if (best == unpacked.plans.end()) {
            continue;
        }
        auto built = build_pack_plan(problem, which, &*best, context);
        auto* plan = std::get_if<PackPlan>(&built);
        if (plan == nullptr) {
            continue;
        }
        const Ranking packed =
            rank_plans(packed_problem(problem, which, plan->operand), options, context);
        const PlanValue& first = packed.plans.front();
        if (multiplies_parts(first, scheme)) {
            plan->product_seconds = first.predicted_seconds;
            plans.push_back(std::move(*plan));
        }
    }
    std::stable_sort(plans.begin(), plans.end(), [](const PackPlan& x, const PackPlan& y) {
        return x.product_seconds < y.product_seconds;
    });
    auto copy = build_pack_plan(problem, which, nullptr, context);
    if (auto* plan = std::get_if<PackPlan>(&copy)) {
        plans.push_back(std::move(*plan));
    }
    return plans;
}

} // namespace libsgemm::planning
