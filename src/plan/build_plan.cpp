// SPDX-License-Identifier: Apache-2.0
#include "plan/build_plan.hpp"

#include "plan/cost_model.hpp"
#include "plan/workspace_layout.hpp"

#include <numeric>
#include <utility>

namespace sgemm::planning {
namespace {

using catalog::Major;
using support::Count;
using Kind = Argument::Kind;
using validate::CanonicalProblem;
using validate::Operand;

/// The kinds under which the executor knows an operand of the call.
struct CallerOperand {
    const char* name;
    Kind buffer;
    Kind offset;
};
constexpr CallerOperand caller_a{"A", Kind::buffer_a, Kind::offset_a};
constexpr CallerOperand caller_b{"B", Kind::buffer_b, Kind::offset_b};
constexpr CallerOperand caller_c{"C", Kind::buffer_c, Kind::offset_c};

Place caller_place(const CallerOperand& caller, const Operand& operand) {
    return {caller.buffer, {caller.offset, 0}, operand.ld, operand.batch_stride};
}

/// Whether vector accesses of `alignment` elements fit an operand where it lies.
bool is_aligned(const Operand& operand, int alignment, std::int64_t batch) {
    return operand.ld % alignment == 0 && operand.offset_alignment % alignment == 0 &&
           (batch == 1 || operand.batch_stride % alignment == 0);
}

/// Extent of a stored operand whose mn extent and k extent are given.
Extent stored_extent(Major major, std::int64_t mn, std::int64_t k) {
    return major == Major::mn ? Extent{mn, k} : Extent{k, mn};
}

bool operator!=(Extent x, Extent y) {
    return x.rows != y.rows || x.columns != y.columns;
}

/// Collects the steps of one plan. Any count that does not fit in 63 bits sets `overflowed`.
class Builder {
public:
    Builder(const CanonicalProblem& problem, const Candidate& candidate, const PassContext& context)
        : problem_(problem), candidate_(candidate), context_(context),
          tile_(candidate.kernel->tile(candidate.parameters)) {}

    std::variant<PlanValue, Obstacle> build(EdgeStrategy edges, std::size_t max_workspace_bytes);

private:
    /// What the main kernel reads of an operand, and which step writes it.
    struct Input {
        Place place;
        Major major = Major::mn;
        int written_by = -1;
    };

    bool pad_extents();
    Input prepare(const CallerOperand& caller, const Operand& operand, catalog::Accepts accepted,
                  int alignment, std::int64_t mn, std::int64_t padded_mn);
    Place reserve(Extent extent, int alignment, std::int64_t batch);
    int add(Step step, int after);
    void add_main(const Input& a, const Input& b);
    Step main_step(const Input& a, const Input& b, const Place& c, Argument beta) const;

    const CanonicalProblem& problem_;
    const Candidate& candidate_;
    const PassContext& context_;
    catalog::TileShape tile_;
    MainWork padded_;
    WorkspaceLayout workspace_;
    PlanValue plan_;
    bool overflowed_ = false;
    bool pads_ = false; ///< any copy that is not a mere transposition
};

bool Builder::pad_extents() {
    padded_ = {problem_.m, problem_.n, problem_.k, problem_.batch};
    if (candidate_.kernel->edges == catalog::Edges::any_size) {
        return true;
    }
    const Count m = support::checked_round_up(problem_.m, tile_.m);
    const Count n = support::checked_round_up(problem_.n, tile_.n);
    const Count k = support::checked_round_up(problem_.k, tile_.k);
    if (!m || !n || !k) {
        return false;
    }
    padded_ = {*m, *n, *k, problem_.batch};
    return true;
}

Place Builder::reserve(Extent extent, int alignment, std::int64_t batch) {
    const Count ld = support::checked_round_up(extent.rows, alignment);
    const Count stride = support::checked_multiply(ld, extent.columns);
    const Count offset = workspace_.reserve(support::checked_multiply(stride, batch));
    if (!offset) {
        overflowed_ = true;
        return {};
    }
    return workspace_place(*offset, *ld, batch > 1 ? *stride : 0);
}

int Builder::add(Step step, int after) {
    if (after >= 0) {
        step.after.push_back(after);
    }
    plan_.steps.push_back(std::move(step));
    return static_cast<int>(plan_.steps.size()) - 1;
}

Builder::Input Builder::prepare(const CallerOperand& caller, const Operand& operand,
                                catalog::Accepts accepted, int alignment, std::int64_t mn,
                                std::int64_t padded_mn) {
    const bool transpose = !catalog::accepts(accepted, operand.major);
    const Major major = !transpose                   ? operand.major
                        : operand.major == Major::mn ? Major::k
                                                     : Major::mn;
    // A matrix that the whole batch shares is prepared once.
    const std::int64_t batch = operand.batch_stride == 0 ? 1 : problem_.batch;
    const Extent in = stored_extent(operand.major, mn, problem_.k);
    const Extent transposed = stored_extent(major, mn, problem_.k);
    const Extent out = stored_extent(major, padded_mn, padded_.k);
    const bool pad = out != transposed;
    const Place from = caller_place(caller, operand);
    if (!transpose && !pad && is_aligned(operand, alignment, batch)) {
        return {from, major, -1};
    }
    pads_ = pads_ || pad || !transpose;

    if (transpose && pad && candidate_.pre_passes == PrePassStyle::separate) {
        const Place between = reserve(transposed, alignment, batch);
        const Place to = reserve(out, alignment, batch);
        const int first = add(copy_step(context_, catalog::transpose_pass(context_.device),
                                        caller.name, from, in, between, transposed, batch),
                              -1);
        return {to, major,
                add(copy_step(context_, catalog::pad_pass(context_.device), caller.name, between,
                              transposed, to, out, batch),
                    first)};
    }
    const catalog::PassEntry entry = !transpose ? catalog::pad_pass(context_.device)
                                     : pad      ? catalog::pad_transpose_pass(context_.device)
                                                : catalog::transpose_pass(context_.device);
    const Place to = reserve(out, alignment, batch);
    return {to, major, add(copy_step(context_, entry, caller.name, from, in, to, out, batch), -1)};
}

Step Builder::main_step(const Input& a, const Input& b, const Place& c, Argument beta) const {
    const catalog::KernelEntry& kernel = *candidate_.kernel;
    Step step;
    step.kind = PassKind::main_kernel;
    step.build = {std::string(kernel.name), std::string(kernel.source),
                  std::string(kernel.function),
                  catalog::main_kernel_defines(kernel, candidate_.parameters, a.major, b.major)};
    const auto groups = [](std::int64_t extent, int tile) {
        return static_cast<std::size_t>((extent + tile - 1) / tile);
    };
    const auto local0 = static_cast<std::size_t>(tile_.local[0]);
    const auto local1 = static_cast<std::size_t>(tile_.local[1]);
    step.range.local = {local0, local1, 1};
    step.range.global = {groups(padded_.m, tile_.m) * local0, groups(padded_.n, tile_.n) * local1,
                         static_cast<std::size_t>(padded_.batch)};
    for (const std::int64_t extent : {padded_.m, padded_.n, padded_.k}) {
        step.arguments.push_back({Kind::integer, extent});
    }
    step.arguments.push_back({Kind::alpha, 0});
    append_place(step.arguments, a.place);
    append_place(step.arguments, b.place);
    step.arguments.push_back(beta);
    append_place(step.arguments, c);
    for (const int input : {a.written_by, b.written_by}) {
        if (input >= 0) {
            step.after.push_back(input);
        }
    }
    step.predicted_seconds =
        predict_main(padded_, tile_, candidate_.model, context_.machine, context_.device);
    step.purpose = "multiply " + std::to_string(padded_.m) + "x" + std::to_string(padded_.n) + "x" +
                   std::to_string(padded_.k);
    return step;
}

void Builder::add_main(const Input& a, const Input& b) {
    const Place c = caller_place(caller_c, problem_.c);
    const Extent padded{padded_.m, padded_.n};
    const Extent exact{problem_.m, problem_.n};
    if (!(padded != exact) && is_aligned(problem_.c, tile_.alignment_c, problem_.batch)) {
        add(main_step(a, b, c, {Kind::beta, 0}), -1);
        return;
    }
    pads_ = true;
    const Place product = reserve(padded, tile_.alignment_c, problem_.batch);
    const int main = add(main_step(a, b, product, {Kind::zero, 0}), -1);
    add(unpad_step(context_, product, c, exact, problem_.batch), main);
}

std::variant<PlanValue, Obstacle> Builder::build(EdgeStrategy edges,
                                                 std::size_t max_workspace_bytes) {
    if (!pad_extents()) {
        return Obstacle{"padded sizes do not fit in 63 bits"};
    }
    plan_.kernel = candidate_.kernel;
    plan_.parameters = candidate_.parameters;
    const Input a = prepare(caller_a, problem_.a, candidate_.kernel->a, tile_.alignment_a,
                            problem_.m, padded_.m);
    const Input b = prepare(caller_b, problem_.b, candidate_.kernel->b, tile_.alignment_b,
                            problem_.n, padded_.n);
    add_main(a, b);

    const Count bytes = workspace_.bytes();
    if (overflowed_ || !bytes) {
        return Obstacle{"its workspace does not fit in 63 bits"};
    }
    if (static_cast<std::uint64_t>(*bytes) > max_workspace_bytes) {
        return Obstacle{"its workspace of " + std::to_string(*bytes) +
                        " bytes is over the limit of " + std::to_string(max_workspace_bytes)};
    }
    if (edges == EdgeStrategy::none && pads_) {
        return Obstacle{"tiles do not fit in place, and padding is excluded"};
    }
    if (edges == EdgeStrategy::padding && candidate_.kernel->edges == catalog::Edges::any_size) {
        return Obstacle{"it checks bounds itself and is never padded"};
    }
    plan_.workspace_bytes = static_cast<std::size_t>(*bytes);
    plan_.strategy = plan_.steps.size() == 1 ? "in place" : pads_ ? "padding" : "transposition";
    plan_.predicted_seconds =
        std::accumulate(plan_.steps.begin(), plan_.steps.end(), 0.0,
                        [](double sum, const Step& step) { return sum + step.predicted_seconds; });
    return std::move(plan_);
}

} // namespace

std::variant<PlanValue, Obstacle> build_plan(const CanonicalProblem& problem,
                                             const Candidate& candidate, const PassContext& context,
                                             EdgeStrategy edges, std::size_t max_workspace_bytes) {
    return Builder(problem, candidate, context).build(edges, max_workspace_bytes);
}

PlanValue build_scale_plan(const CanonicalProblem& problem, const PassContext& context) {
    PlanValue plan;
    plan.strategy = "scale";
    plan.steps.push_back(scale_step(context, caller_place(caller_c, problem.c),
                                    {problem.m, problem.n}, problem.batch));
    plan.predicted_seconds = plan.steps.front().predicted_seconds;
    return plan;
}

} // namespace sgemm::planning
