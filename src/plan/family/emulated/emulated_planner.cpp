// SPDX-License-Identifier: Apache-2.0
#include "catalog/emulated.hpp"
#include "plan/family/emulated/launch_shares.hpp"
#include "plan/family/emulated/split_passes.hpp"
#include "plan/family/families.hpp"
#include "plan/family/plan_builder.hpp"
#include "plan/family/split_counts.hpp"
#include "plan/inputs.hpp"
#include "support/round.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace libsgemm::planning {
namespace {

namespace emulated = catalog::emulated;

using support::ceil_div;
using support::round_up;
using validate::PackedForm;
using Kind = Argument::Kind;

/// So small that a launch which nearly always leaves at once counts: 2 to 4 us of 112 at 2048
/// cubed, half of this limit, on an H200 (ADR 18).
bool is_small(const validate::CanonicalProblem& problem) {
    constexpr double most_products = 0x1p34;
    return static_cast<double>(problem.m) * static_cast<double>(problem.n) *
               static_cast<double>(problem.k) * static_cast<double>(problem.batch) <=
           most_products;
}

/// Blocks of parts along k: as many as an operand has that is packed already, if these are whole
/// chains, too.
std::int64_t blocks_of(const validate::CanonicalProblem& problem, const Candidate& candidate) {
    std::int64_t blocks = split_blocks(problem.k, *candidate.kernel, candidate.parameters);
    for (const validate::Operand* operand : {&problem.a, &problem.b}) {
        const PackedForm& packed = operand->packed;
        if (packed.has_parts() && packed.blocks % emulated::promote(candidate.parameters) == 0) {
            blocks = std::max(blocks, packed.blocks);
        }
    }
    return blocks;
}

/// What one launch of the main kernel multiplies: a block of C, by its rows of both operands.
struct LaunchShare {
    Block block;
    SplitOperand x, y; ///< op(B), op(A)
};

/// Whether the main kernel multiplies what must not be multiplied so, and no strict kernel stands
/// behind it.
bool is_strict_inside(const validate::CanonicalProblem& problem, const Candidate& candidate) {
    return emulated::strict_launches(candidate.parameters) == 0 && is_small(problem);
}

class EmulatedBuilder : public PlanBuilder {
public:
    EmulatedBuilder(const FamilyPlanner& family, const BuildRequest& request,
                    const PlanValue* strict)
        : PlanBuilder(family, request), strict_(strict), blocks_(blocks_of(problem_, candidate_)) {
        deal_out();
    }

private:
    std::string add_steps() override;
    std::string strategy(const std::vector<Step>& steps) const override;
    bool has_shares() const { return shares_.size() > 1; }
    void deal_out();
    std::string find_obstacle() const;
    /// Products that are computed side by side: the k ranges of each matrix of the batch.
    std::int64_t parts_count() const { return problem_.batch * split_k(); }
    SplitOperand operand_a(const Block& block) const;
    SplitOperand operand_b(const Block& block) const;
    SplitOperand operand(const validate::Operand& operand, Kind buffer, Kind offset,
                         std::int64_t rows, std::int64_t granule) const;
    std::int64_t groups_of(const Block& block) const;
    int add_passes();
    void place_shares(const SplitWork& work);
    int add_main(std::size_t number, int after);
    int add_reduce(int after);
    void append_verdict(Step& step, const catalog::TileShape& tile) const;
    void append_given(Step& step) const;
    SplitOperand packed_by(std::size_t number) const;
    void append_next(Step& step, const LaunchShare& share, const SplitOperand& next) const;
    void add_strict(int after);

    /// Of what emulation must not be used for; null: the main kernel has it inside.
    const PlanValue* strict_;
    std::int64_t blocks_;
    Place parts_;                     ///< products of the k ranges, where there are several
    std::vector<LaunchShare> shares_; ///< of C, all of it
    /// What launches pack for each other, where there are several shares.
    SplitOperand LaunchShare::*shared_ = &LaunchShare::y;
};

void EmulatedBuilder::deal_out() {
    std::vector<Block> blocks;
    const std::optional<CanonicalOperand> shared = operand_to_share(problem_);
    const int count = emulated::shares(candidate_.parameters);
    if (count > 1 && split_k() == 1 && strict_ != nullptr && shared) {
        shared_ = *shared == CanonicalOperand::a ? &LaunchShare::y : &LaunchShare::x;
        blocks = launch_shares(problem_, tile_, strict_->kernel->tile(strict_->parameters), *shared,
                               count, static_cast<int>(context_.device.compute_units));
    } else {
        blocks = {{0, 0, problem_.m, problem_.n}};
    }
    for (const Block& block : blocks) {
        shares_.push_back({block, operand_b(block), operand_a(block)});
    }
}

SplitOperand EmulatedBuilder::operand_b(const Block& block) const {
    const std::int64_t granule = std::max<std::int64_t>(split_block_rows, tile_.n);
    return operand(problem_.b, Kind::buffer_b, Kind::offset_b, block.n, granule);
}

SplitOperand EmulatedBuilder::operand_a(const Block& block) const {
    return operand(problem_.a, Kind::buffer_a, Kind::offset_a, block.m, split_block_rows);
}

/// Where it is packed already its parts are beside its values.
SplitOperand EmulatedBuilder::operand(const validate::Operand& operand, Kind buffer, Kind offset,
                                      std::int64_t rows, std::int64_t granule) const {
    const PackedForm& packed = operand.packed;
    if (packed.has_parts()) {
        return {&operand,     buffer, offset,        {rows, packed.padded, packed.matrices},
                buffer,       0,      packed.scales, packed.control,
                packed.parts, 0};
    }
    return {&operand,
            buffer,
            offset,
            {rows, round_up(rows, granule), operand.batch_stride == 0 ? 1 : problem_.batch},
            Kind::workspace,
            0,
            0,
            0,
            0,
            0};
}

/// Adds the passes over the operands that are not packed yet, of one that is shared over what the
/// first launch multiplies; returns the index of the last, or -1.
int EmulatedBuilder::add_passes() {
    LaunchShare& first = shares_.front();
    const auto left_out = [](SplitOperand operand) {
        if (operand.operand->packed.has_parts()) {
            operand.extent.matrices = 0;
        }
        return operand;
    };
    SplitOperand x = left_out(first.x);
    SplitOperand y = left_out(first.y);
    if (x.extent.matrices + y.extent.matrices == 0) {
        return -1;
    }
    SplitWork work =
        plan_split(problem_.k, blocks_, *candidate_.kernel, x.extent, y.extent, context_.device);
    work.in_one = emulated::pack_launches(candidate_.parameters) == 1 &&
                  fits_one_pass(work, x.extent, y.extent, context_.device) && problem_.batch == 1;
    if (x.extent.matrices > 0) {
        place_split(x, work, steps_);
        first.x = x;
    }
    if (y.extent.matrices > 0) {
        place_split(y, work, steps_);
        first.y = y;
    }
    place_shares(work);
    return add_split_passes(work, x, y, context_, steps_);
}

/// Where launches pack what those behind them multiply.
void EmulatedBuilder::place_shares(const SplitWork& work) {
    for (std::size_t i = 1; i < shares_.size(); ++i) {
        SplitOperand own = shares_[i].*shared_;
        place_parts(own, work, emulated::packers_per_group * groups_of(shares_[i - 1].block),
                    steps_);
        shares_[i].x = shares_.front().x;
        shares_[i].y = shares_.front().y;
        shares_[i].*shared_ = own;
    }
}

/// Numbers that the kernels hold in 32 bits, and operands that were packed in another way.
std::string EmulatedBuilder::find_obstacle() const {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    constexpr std::int64_t most_extent = std::int64_t{1} << 28U;
    constexpr std::int64_t pass_rows = 64;
    constexpr std::int64_t pass_steps = 128;
    if (std::max({problem_.m, problem_.n, problem_.k, problem_.batch}) > most_extent) {
        return "sizes above 2^28";
    }
    const std::int64_t tiles = ceil_div(problem_.m, tile_.m) * ceil_div(problem_.n, tile_.n);
    const std::int64_t rows = 2 * (std::max(problem_.m, problem_.n) + 2 * split_block_rows);
    if (tiles > most / problem_.batch ||
        ceil_div(rows, pass_rows) > most / (ceil_div(problem_.k, pass_steps) + 1)) {
        return "more than 2^31 work-groups";
    }
    // Whole chains to each range of k, and none without any.
    const std::int64_t chains = blocks_ / emulated::promote(candidate_.parameters);
    if ((split_k() - 1) * ceil_div(chains, split_k()) >= chains) {
        return "k is too small for that split-K";
    }
    for (const validate::Operand* operand : {&problem_.a, &problem_.b}) {
        const PackedForm& packed = operand->packed;
        if (packed.has_parts() && packed.scheme != candidate_.kernel->precision) {
            return "an operand is packed with other splits";
        }
        if (packed.has_parts() && packed.blocks != blocks_) {
            return "an operand is packed for chains of another length";
        }
    }
    if (problem_.b.packed.has_parts() && problem_.b.packed.padded < round_up(problem_.n, tile_.n)) {
        return "an operand is packed for smaller tiles";
    }
    // Another row says what one launch takes.
    if (emulated::shares(candidate_.parameters) > 1 && !has_shares() &&
        !request_.options.parameters.contains(std::string(emulated::shares_name))) {
        return "there is nothing that launches could share";
    }
    return {};
}

/// Work-groups that multiply a block.
std::int64_t EmulatedBuilder::groups_of(const Block& block) const {
    const std::int64_t tiles =
        ceil_div(block.m, tile_.m) * ceil_div(block.n, tile_.n) * parts_count();
    constexpr std::int64_t groups_per_unit_without = 64;
    const bool has_unit =
        catalog::is_architecture_specific(*candidate_.kernel, candidate_.parameters);
    return std::min<std::int64_t>(tiles, context_.device.compute_units *
                                             (has_unit ? 1 : groups_per_unit_without));
}

int EmulatedBuilder::add_main(std::size_t number, int after) {
    const LaunchShare& share = shares_[number];
    MainWork work;
    work.m = share.block.m;
    work.n = share.block.n;
    work.k = ceil_div(problem_.k, split_k());
    work.batch = parts_count();
    // Operands are packed: how they were stored makes no difference to the build.
    Step step = main_step({.a = validate::Major::mn,
                           .b = validate::Major::k,
                           .strict_inside = strict_ == nullptr,
                           .packs_next = has_shares()},
                          work.m, work.n, problem_.k);
    const auto items = static_cast<std::size_t>(tile_.local[0]);
    step.range.local = {items, 1, 1};
    step.range.global = {static_cast<std::size_t>(groups_of(share.block)) * items, 1, 1};
    auto& arguments = step.arguments;
    append_integer(arguments, share.block.m);
    append_integer(arguments, share.block.n);
    append_integer(arguments, blocks_);
    const bool splits = split_k() > 1;
    if (splits) {
        parts_ = reserve_partial_sums({problem_.m, problem_.n}, 4);
    }
    arguments.push_back({splits ? Kind::one : Kind::alpha, 0});
    arguments.push_back({splits ? Kind::zero : Kind::beta, 0});
    append_place(arguments, splits ? parts_ : c());
    append_integer(arguments, problem_.batch);
    append_integer(arguments, split_k());
    for (const SplitOperand* operand : {&share.x, &share.y}) {
        arguments.push_back({operand->space, 0});
        append_integer(arguments, operand->extent.padded);
        append_integer(arguments, operand->extent.matrices);
        append_integer(arguments, operand->scales);
        append_integer(arguments, operand->control);
        append_integer(arguments, operand->parts);
        append_integer(arguments, operand->slots);
    }
    if (strict_ == nullptr) {
        append_given(step);
    }
    const SplitOperand next = packed_by(number);
    if (has_shares()) {
        append_next(step, share, next);
    }
    work.packed_beside = static_cast<double>(next.extent.rows) * static_cast<double>(problem_.k);
    predict(step, work);
    step.purpose +=
        strict_ == nullptr ? ", strictly unless the values suit" : " if the values suit";
    if (work.packed_beside > 0) {
        step.purpose += "; pack what the next launch multiplies";
    }
    move_to_block(step, share.block, problem_);
    return steps_.add(std::move(step), {after});
}

/// Of the shared operand what a launch packs for the next; no rows: it is the last.
SplitOperand EmulatedBuilder::packed_by(std::size_t number) const {
    return number + 1 < shares_.size() ? shares_[number + 1].*shared_ : SplitOperand{};
}

/// The arguments of NEXT_NUMBERS. Its rows begin where those of this launch end.
void EmulatedBuilder::append_next(Step& step, const LaunchShare& share,
                                  const SplitOperand& next) const {
    const SplitOperand& own = share.*shared_;
    append_integer(step.arguments, problem_.k);
    append_integer(step.arguments, next.extent.rows);
    append_integer(step.arguments, next.extent.padded);
    step.arguments.push_back({own.buffer, 0});
    step.arguments.push_back({own.offset, own.extent.rows * own.operand->ld});
    append_integer(step.arguments, own.operand->ld);
    append_integer(step.arguments, next.scales);
    append_integer(step.arguments, next.control);
    append_integer(step.arguments, next.parts);
    step.arguments.push_back({Kind::workspace, 0});
}

/// Adds the products of the k ranges, in a fixed order; where a strict kernel stands behind, only
/// if emulation has computed them.
int EmulatedBuilder::add_reduce(int after) {
    if (split_k() == 1) {
        return after;
    }
    Step step = reduction(parts_);
    if (strict_ != nullptr) {
        step.build.defines.emplace_back("CONDITIONAL", "1");
        append_verdict(step, {});
    }
    return steps_.add(std::move(step), {after});
}

/// The arguments of ALSO_STRICT: the operands themselves.
void EmulatedBuilder::append_given(Step& step) const {
    append_integer(step.arguments, problem_.k);
    for (const SplitOperand* operand : {&shares_.front().x, &shares_.front().y}) {
        append_place(step.arguments,
                     caller_place(operand->buffer, operand->offset, *operand->operand));
        append_integer(step.arguments, operand->operand->major == validate::Major::k ? 1 : 0);
    }
}

/// The arguments of CONDITION, of a kernel that has such tiles (where there are several shares).
void EmulatedBuilder::append_verdict(Step& step, const catalog::TileShape& tile) const {
    constexpr std::size_t most_shares = emulated::most_shares;
    const auto share = [&](std::size_t number) -> const LaunchShare& {
        return shares_[std::min(number, shares_.size() - 1)];
    };
    for (SplitOperand LaunchShare::*which : {&LaunchShare::x, &LaunchShare::y}) {
        const SplitOperand& first = share(0).*which;
        step.arguments.push_back({first.space, 0});
        append_integer(step.arguments, first.extent.matrices == 1 ? 0 : split_control_words);
        for (std::size_t number = 0; number < most_shares; ++number) {
            append_integer(step.arguments, (share(number).*which).control);
        }
    }
    // Along the side that is not shared every block begins with 0.
    const auto append_begin = [&](std::int64_t Block::*begin, int strict_step) {
        for (std::size_t number = 1; number < most_shares; ++number) {
            const std::int64_t first =
                number < shares_.size() ? shares_[number].block.*begin : std::int64_t{0};
            append_integer(step.arguments, first > 0 ? first / strict_step
                                                     : std::numeric_limits<std::int32_t>::max());
        }
    };
    append_begin(&Block::m0, tile.m);
    append_begin(&Block::n0, tile.n);
}

/// Of all shares: work-groups look at the verdict of theirs, and leave.
void EmulatedBuilder::add_strict(int after) {
    Step step = strict_->steps.front();
    step.kind = PassKind::post_pass;
    step.after.clear();
    step.build.defines.emplace_back("CONDITIONAL", "1");
    append_verdict(step, strict_->kernel->tile(strict_->parameters));
    const std::size_t groups_m = step.range.global[0] / step.range.local[0];
    const std::size_t groups_n = step.range.global[1] / step.range.local[1];
    const double groups = static_cast<double>(groups_m) * static_cast<double>(groups_n) *
                          static_cast<double>(problem_.batch);
    planning::predict(step, {0, false, groups, 0}, context_);
    step.purpose += " else";
    steps_.add(std::move(step), {after});
}

std::string EmulatedBuilder::add_steps() {
    if (std::string reason = find_obstacle(); !reason.empty()) {
        return reason;
    }
    int last = add_passes();
    for (std::size_t number = 0; number < shares_.size(); ++number) {
        last = add_main(number, last);
    }
    last = add_reduce(last);
    if (strict_ != nullptr) {
        add_strict(last);
    }
    return {};
}

std::string EmulatedBuilder::strategy(const std::vector<Step>& /*steps*/) const {
    return strict_ == nullptr ? "packed, else strict in the same launch"
                              : "packed, else " + strict_->to_string();
}

/// FP32 emulation: passes that find the scales, split and pack both operands, the main kernel, and
/// behind it a strict kernel for values that must not be multiplied so. Which of the two works is
/// decided on the device.
class EmulatedPlanner : public FamilyPlanner {
public:
    std::vector<Candidate> variants(const Candidate& row, const validate::CanonicalProblem& problem,
                                    const ExpertPlanOptions& options,
                                    const PlanningContext& context) const override;
    BuildResult build(const BuildRequest& request) const override;
};

/// The passes take every form and size. Work-groups are one to a compute unit.
std::vector<Candidate> EmulatedPlanner::variants(const Candidate& row,
                                                 const validate::CanonicalProblem& problem,
                                                 const ExpertPlanOptions& options,
                                                 const PlanningContext& context) const {
    constexpr double least_depth = 512; // less is mostly the beginning and the end of a tile
    constexpr int most = 16;
    const catalog::TileShape tile = row.kernel->tile(row.parameters);
    const auto units = static_cast<double>(context.device.compute_units);
    std::vector<Candidate> candidates;
    for (const int count : options.split_k > 0
                               ? std::vector<int>{options.split_k}
                               : split_counts(problem, tile, units, least_depth, most)) {
        candidates.push_back(row);
        candidates.back().variant.split_k = count;
    }
    return candidates;
}

BuildResult EmulatedPlanner::build(const BuildRequest& request) const {
    if (!request.strict_plan) {
        return Obstacle{"it splits operands"};
    }
    if (is_strict_inside(request.problem, request.candidate)) {
        return EmulatedBuilder(*this, request, nullptr).build();
    }
    const BuildResult& strict = request.strict_plan();
    const auto* plan = std::get_if<PlanValue>(&strict);
    return plan == nullptr ? strict : EmulatedBuilder(*this, request, plan).build();
}

} // namespace

const FamilyPlanner& planner_of(const catalog::Emulated& /*family*/) {
    static const EmulatedPlanner planner;
    return planner;
}

} // namespace libsgemm::planning
