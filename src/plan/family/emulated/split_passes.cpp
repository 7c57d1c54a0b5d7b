// SPDX-License-Identifier: Apache-2.0
#include "plan/family/emulated/split_passes.hpp"

#include "catalog/emulated.hpp"
#include "plan/arguments.hpp"
#include "plan/inputs.hpp"
#include "support/round.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace libsgemm::planning {
namespace {

using support::ceil_div;
using support::round_up;
using Kind = Argument::Kind;

constexpr std::int64_t block_words = split_block_rows * 32;
constexpr std::int64_t pass_rows = 64;   ///< of a work-group of the passes
constexpr std::int64_t pass_steps = 128; ///< along k
constexpr std::size_t pass_items = 256;
constexpr std::int64_t one_pass_rows = 8; ///< of a work-group of kernels/emulated/scan_pack.cl
/// Its work-groups.
struct OnePassShape {
    std::int64_t items;
    std::int64_t values; ///< of a work-item in registers
    /// Steps of k of a round.
    constexpr std::int64_t steps() const { return items * values / one_pass_rows; }
};

/// Many, which begin and end at times of their own: where k is short.
constexpr OnePassShape small_groups{128, 32};
/// The same in one round, for k of which a second would be at most half full: widths of 768 (ADR
/// 18).
constexpr OnePassShape small_groups_with_more_values{128, 48};
/// Two share a compute unit: one loads or stores while the other calculates. With fewer values
/// where there are few groups, or the last of longer rounds would be nearly empty (ADR 18).
constexpr OnePassShape large_groups{512, 32};
constexpr OnePassShape large_groups_with_few_values{512, 16};
static_assert(small_groups.steps() >= catalog::emulated::least_round_steps);
static_assert(small_groups_with_more_values.steps() == 768);
static_assert(large_groups_with_few_values.steps() >= catalog::emulated::least_round_steps);

std::int64_t one_pass_groups(const SplitExtent& x, const SplitExtent& y) {
    return (x.matrices * x.padded + y.matrices * y.padded) / one_pass_rows;
}

OnePassShape one_pass_shape(std::int64_t k, std::int64_t groups, const DeviceTraits& device) {
    constexpr std::int64_t short_k = 1024;
    if (k <= short_k) {
        const bool suits_more =
            k > small_groups.steps() && k <= small_groups_with_more_values.steps();
        return suits_more ? small_groups_with_more_values : small_groups;
    }
    const std::int64_t most_for_few = groups <= 2 * device.compute_units ? 4096 : 3072;
    return k <= most_for_few ? large_groups_with_few_values : large_groups;
}

class PassBuilder {
public:
    PassBuilder(const SplitWork& work, const SplitOperand& x, const SplitOperand& y,
                const PassContext& context)
        : work_(work), x_(x), y_(y), context_(context) {}

    Step first() const { return work_.scans() ? scan() : begin(); }
    Step pack() const;
    Step scan_pack() const;

private:
    Step scan() const;
    Step begin() const;
    Step pass(const catalog::PassEntry& entry) const;
    void append_operands(Step& step) const;
    double operand_bytes(double per_element) const;
    std::int64_t most_matrices() const { return std::max(x_.extent.matrices, y_.extent.matrices); }
    std::string names() const {
        return x_.extent.matrices == 0 ? "A" : y_.extent.matrices == 0 ? "B" : "A, B";
    }

    const SplitWork& work_;
    const SplitOperand& x_;
    const SplitOperand& y_;
    const PassContext& context_;
};

Step PassBuilder::pass(const catalog::PassEntry& entry) const {
    Step step;
    step.kind = PassKind::pre_pass;
    step.build = build_of(entry);
    step.range.local = {pass_items, 1, 1};
    step.range.global[2] = static_cast<std::size_t>(most_matrices());
    return step;
}

void PassBuilder::append_operands(Step& step) const {
    auto& arguments = step.arguments;
    for (const SplitOperand* operand : {&x_, &y_}) {
        const bool taken = operand->extent.matrices > 0;
        append_integer(arguments, taken ? operand->extent.rows : 0);
        append_integer(arguments, taken ? operand->extent.padded : 0);
        append_integer(arguments, operand->operand->major == validate::Major::k ? 1 : 0);
        append_integer(arguments, operand->extent.matrices);
        append_place(arguments, caller_place(operand->buffer, operand->offset, *operand->operand));
        append_integer(arguments, operand->maxima);
        append_integer(arguments, operand->scales);
        append_integer(arguments, operand->control);
        append_integer(arguments, operand->parts);
    }
    arguments.push_back({work_.space, 0});
}

double PassBuilder::operand_bytes(double per_element) const {
    const auto elements = [&](const SplitExtent& extent) {
        return static_cast<double>(extent.rows) * static_cast<double>(work_.k) *
               static_cast<double>(extent.matrices);
    };
    return per_element * (elements(x_.extent) + elements(y_.extent));
}

/// Only sets the control words, where no scales are needed.
Step PassBuilder::begin() const {
    Step step = pass(catalog::emulated::begin_pass(*work_.kernel));
    step.range.local = {1, 1, 1};
    step.range.global = {static_cast<std::size_t>(most_matrices()), 1, 1};
    step.arguments.push_back({work_.space, 0});
    for (const SplitOperand* operand : {&x_, &y_}) {
        append_integer(step.arguments, operand->control);
        append_integer(step.arguments, operand->extent.matrices);
    }
    predict(step, {0, false, 1, 0}, context_);
    step.purpose = "begin";
    return step;
}

Step PassBuilder::scan() const {
    Step step = pass(catalog::emulated::scan_pass(*work_.kernel));
    const auto row_groups = [](const SplitExtent& extent) {
        return extent.matrices == 0 ? 0 : ceil_div(extent.rows, pass_rows);
    };
    const std::int64_t groups =
        (row_groups(x_.extent) + row_groups(y_.extent)) * ceil_div(work_.k, work_.stretch);
    step.range.global[0] = static_cast<std::size_t>(groups) * pass_items;
    append_integer(step.arguments, work_.k);
    append_integer(step.arguments, work_.stretch);
    append_operands(step);
    // A group has 8 KiB on their way: fewer than two to a unit do not keep the memory busy.
    // (256x256x65536 on an H200, 128 groups: 241 us, 190 without this.)
    constexpr double busy_groups_per_unit = 2;
    const double idle =
        std::max(1.0, busy_groups_per_unit * static_cast<double>(context_.device.compute_units) /
                          static_cast<double>(groups));
    predict(step, {operand_bytes(sizeof(float)) * idle, false, static_cast<double>(groups), 0},
            context_);
    step.purpose = names() + ": largest magnitude of each row";
    return step;
}

Step PassBuilder::pack() const {
    Step step = pass(catalog::emulated::pack_pass(*work_.kernel));
    const std::int64_t depth = work_.blocks * (work_.is_fp16() ? 32 : 16);
    const auto row_groups = [](const SplitExtent& extent) {
        return extent.matrices == 0 ? 0 : extent.padded / pass_rows;
    };
    const std::int64_t groups =
        (row_groups(x_.extent) + row_groups(y_.extent)) * ceil_div(depth, pass_steps);
    step.range.global[0] = static_cast<std::size_t>(groups) * pass_items;
    append_integer(step.arguments, work_.k);
    append_integer(step.arguments, work_.stretch);
    append_integer(step.arguments, work_.blocks);
    append_operands(step);
    predict(step,
            {operand_bytes(sizeof(float) + work_.packed_bytes()), false,
             static_cast<double>(groups), 0},
            context_);
    step.purpose = names() + ": split and pack, k of " + std::to_string(work_.k) + ", rows of ";
    step.purpose += y_.extent.matrices == 0 ? std::to_string(x_.extent.rows)
                    : x_.extent.matrices == 0
                        ? std::to_string(y_.extent.rows)
                        : std::to_string(y_.extent.rows) + " and " + std::to_string(x_.extent.rows);
    return step;
}

Step PassBuilder::scan_pack() const {
    Step step = pass(catalog::emulated::scan_pack_pass(*work_.kernel));
    const std::int64_t groups = one_pass_groups(x_.extent, y_.extent);
    const OnePassShape shape = one_pass_shape(work_.k, groups, context_.device);
    step.build.defines.emplace_back("SLOT_ROWS", std::to_string(one_pass_rows));
    step.build.defines.emplace_back("ITEMS", std::to_string(shape.items));
    step.build.defines.emplace_back("VALUES", std::to_string(shape.values));
    const auto items = static_cast<std::size_t>(shape.items);
    step.range.local = {items, 1, 1};
    step.range.global[0] = static_cast<std::size_t>(groups) * items;
    append_integer(step.arguments, work_.k);
    append_integer(step.arguments, work_.blocks);
    append_operands(step);
    predict(step,
            {operand_bytes(sizeof(float) + work_.packed_bytes()), false,
             static_cast<double>(groups), 0},
            context_);
    step.purpose = names() + ": scan, split and pack";
    return step;
}

/// Several stretches of k where there are too few rows to occupy the device.
std::int64_t stretch_of(std::int64_t k, std::int64_t row_groups, std::int64_t units) {
    constexpr std::int64_t groups_per_unit = 8;
    constexpr std::int64_t most_stretches = 16;
    const std::int64_t wanted = std::clamp<std::int64_t>(
        groups_per_unit * units / std::max<std::int64_t>(1, row_groups), 1, most_stretches);
    return round_up(ceil_div(k, wanted), pass_steps);
}

std::int64_t reserve_words(const SplitOperand& operand, std::int64_t words, StepList& steps) {
    return steps.reserve({words, 1}, 1, operand.extent.matrices).offset.value;
}

} // namespace

std::int64_t split_blocks(std::int64_t k, const catalog::KernelEntry& kernel,
                          const catalog::Parameters& parameters) {
    return ceil_div(k, std::int64_t{kernel.tile(parameters).k}) *
           catalog::emulated::promote(parameters);
}

SplitWork plan_split(std::int64_t k, std::int64_t blocks, const catalog::KernelEntry& kernel,
                     const SplitExtent& x, const SplitExtent& y, const DeviceTraits& device) {
    const std::int64_t row_groups =
        ceil_div(y.rows, pass_rows) * y.matrices + ceil_div(x.rows, pass_rows) * x.matrices;
    return {k,       blocks,          stretch_of(k, row_groups, device.compute_units),
            &kernel, Kind::workspace, false};
}

bool fits_one_pass(const SplitWork& work, const SplitExtent& x, const SplitExtent& y,
                   const DeviceTraits& device) {
    constexpr std::int64_t most_rows = 65536; // slots are gathered by every work-group
    const std::int64_t groups = one_pass_groups(x, y);
    const OnePassShape shape = one_pass_shape(work.k, groups, device);
    // Where nothing is to be scanned the first of two launches does next to nothing: on an H200
    // calls without scales were 7 % slower and more with 4096 steps in one.
    const std::int64_t most_steps = work.scans() ? 4096 : 2048;
    // A group takes its rows' rounds one after the other: for more there have to be groups for most
    // units.
    const bool occupies_device = work.scans() && 4 * groups >= 3 * device.compute_units;
    return device.max_work_group_size >= shape.items &&
           device.max_work_item_sizes[0] >= shape.items && x.matrices <= 1 && y.matrices <= 1 &&
           x.matrices * x.padded <= most_rows && y.matrices * y.padded <= most_rows &&
           (work.k <= most_steps || occupies_device);
}

void place_parts(SplitOperand& operand, const SplitWork& work, std::int64_t slots,
                 StepList& steps) {
    const std::int64_t padded = operand.extent.padded;
    operand.slots = slots;
    if (work.scans()) {
        operand.scales = reserve_words(operand, padded, steps);
    }
    operand.control = reserve_words(operand, split_control_words * (1 + slots), steps);
    operand.parts =
        reserve_words(operand, padded / split_block_rows * work.blocks * block_words, steps);
}

void place_split(SplitOperand& operand, const SplitWork& work, StepList& steps) {
    const std::int64_t padded = operand.extent.padded;
    if (work.scans() && !work.in_one) {
        operand.maxima = reserve_words(operand, padded * ceil_div(work.k, work.stretch), steps);
    }
    place_parts(operand, work, work.in_one ? padded / one_pass_rows : 0, steps);
}

int add_split_passes(const SplitWork& work, const SplitOperand& x, const SplitOperand& y,
                     const PassContext& context, StepList& steps) {
    const PassBuilder passes(work, x, y, context);
    if (work.in_one) {
        return steps.add(passes.scan_pack(), {});
    }
    const int first = steps.add(passes.first(), {});
    return steps.add(passes.pack(), {first});
}

} // namespace libsgemm::planning
