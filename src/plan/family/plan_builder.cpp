// SPDX-License-Identifier: Apache-2.0
#include "plan/family/plan_builder.hpp"

#include "plan/inputs.hpp"

#include <algorithm>
#include <utility>

namespace libsgemm::planning {

PlanBuilder::PlanBuilder(const FamilyPlanner& family, const BuildRequest& request,
                         Candidate candidate)
    : family_(family), request_(request), problem_(request.problem),
      candidate_(std::move(candidate)), context_(request.context.passes()),
      tile_(candidate_.kernel->tile(candidate_.parameters)) {}

Place PlanBuilder::c() const {
    return caller_place(Argument::Kind::buffer_c, Argument::Kind::offset_c, problem_.c);
}

std::string PlanBuilder::find_obstacle_to_options() const {
    const EdgeStrategy asked = request_.options.edges;
    if (asked == EdgeStrategy::padding && candidate_.kernel->edges == catalog::Edges::any_size) {
        return "it checks bounds itself and is never padded";
    }
    if (candidate_.kernel->edges != catalog::Edges::selectable &&
        (asked == EdgeStrategy::guarded || asked == EdgeStrategy::pointer_shift ||
         asked == EdgeStrategy::extension)) {
        return "its edges cannot be chosen";
    }
    const Parts& parts = candidate_.variant.parts;
    if (split_k() > 1 && std::max({parts.m, parts.n, parts.k}) > 1) {
        return "split-K and parts exclude each other";
    }
    return {};
}

Step PlanBuilder::main_step(catalog::BuildChoice choice, std::int64_t m, std::int64_t n,
                            std::int64_t k) const {
    const catalog::KernelEntry& kernel = *candidate_.kernel;
    choice.variant = candidate_.variant;
    choice.k = k;
    Step step;
    step.kind = PassKind::main_kernel;
    step.build = {std::string(kernel.name),
                  std::string(kernel.source),
                  std::string(kernel.function),
                  catalog::main_kernel_defines(kernel, candidate_.parameters, choice),
                  choice,
                  candidate_.parameters.get_or(catalog::max_registers_name, 0),
                  catalog::is_architecture_specific(kernel, candidate_.parameters)};
    step.purpose =
        "multiply " + std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
    if (split_k() > 1 && kernel.split_k != catalog::SplitK::stream_k) {
        step.purpose += ", split-K " + std::to_string(split_k());
    }
    return step;
}

void PlanBuilder::predict(Step& step, const Work& work) const {
    step.work = work;
    step.predicted_seconds =
        family_.predict(work, tile_, candidate_.model, context_.machine, context_.device);
}

Place PlanBuilder::reserve_partial_sums(Extent extent, int alignment) {
    return steps_.reserve(extent, alignment, problem_.batch * split_k());
}

Place PlanBuilder::first_partial_sums(Place sums) const {
    sums.batch_stride *= split_k();
    return sums;
}

Step PlanBuilder::reduction(const Place& sums) const {
    return reduce_step(context_, first_partial_sums(sums), sums.batch_stride, split_k(), c(),
                       {problem_.m, problem_.n}, problem_.batch);
}

PlanValue PlanBuilder::finish(std::int64_t workspace_bytes) {
    PlanValue plan;
    plan.kernel = candidate_.kernel;
    plan.parameters = candidate_.parameters;
    plan.row = candidate_.row;
    plan.variant = candidate_.variant;
    plan.workspace_bytes = static_cast<std::size_t>(workspace_bytes);
    plan.steps = steps_.take();
    plan.strategy = strategy(plan.steps);
    plan.counts = candidate_.variant.fused_reduction;
    plan.predicted_seconds = predict_steps(plan.steps);
    plan.precision = candidate_.kernel->precision;
    plan.bound_terms = bound_terms(candidate_, problem_.k);
    return plan;
}

BuildResult PlanBuilder::build() {
    constexpr std::int64_t most_products = std::int64_t{1} << 40;
    if (problem_.batch > most_products / split_k()) {
        return Obstacle{"batch times split-K is more than 2^40"};
    }
    if (std::string reason = add_steps(); !reason.empty()) {
        return Obstacle{std::move(reason)};
    }
    const support::Count bytes = steps_.bytes();
    if (!bytes) {
        return Obstacle{"its workspace does not fit in 63 bits"};
    }
    const std::size_t limit = request_.context.workspace_limit();
    if (static_cast<std::uint64_t>(*bytes) > limit) {
        return Obstacle{"its workspace of " + std::to_string(*bytes) +
                        " bytes is over the limit of " + std::to_string(limit)};
    }
    return finish(*bytes);
}

} // namespace libsgemm::planning
