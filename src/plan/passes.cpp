// SPDX-License-Identifier: Apache-2.0
#include "plan/passes.hpp"

#include "plan/arguments.hpp"
#include "plan/cost_model.hpp"
#include "support/round.hpp"

#include <cstddef>
#include <numeric>

namespace libsgemm::planning {
namespace {

using Kind = Argument::Kind;

std::size_t groups(std::int64_t extent, std::int64_t tile) {
    return static_cast<std::size_t>(support::ceil_div(extent, tile));
}

Step pass_step(const PassContext& context, const catalog::PassEntry& entry, PassKind kind,
               Extent out, std::int64_t batch, double bytes, int split_k = 0) {
    Step step;
    step.kind = kind;
    step.build = build_of(entry);
    const auto local0 = static_cast<std::size_t>(entry.local[0]);
    const auto local1 = static_cast<std::size_t>(entry.local[1]);
    const auto sharers = static_cast<std::size_t>(entry.sharers);
    step.range.local = {local0, local1, sharers};
    step.range.global = {groups(out.rows, entry.tile_rows) * local0,
                         groups(out.columns, entry.tile_columns) * local1,
                         static_cast<std::size_t>(batch) * sharers};
    const double all = static_cast<double>(groups(out.rows, entry.tile_rows)) *
                       static_cast<double>(groups(out.columns, entry.tile_columns)) *
                       static_cast<double>(batch);
    predict(step, {bytes, entry.transposes, all, split_k}, context);
    return step;
}

double bytes_of(Extent extent, std::int64_t batch) {
    return static_cast<double>(sizeof(float)) * static_cast<double>(extent.rows) *
           static_cast<double>(extent.columns) * static_cast<double>(batch);
}

/// A pass over C: it reads and writes each element.
Step in_place_step(const PassContext& context, const catalog::PassEntry& entry, Extent extent,
                   std::int64_t batch) {
    return pass_step(context, entry, PassKind::post_pass, extent, batch,
                     2 * bytes_of(extent, batch));
}

/// Work-items share the partial sums of an element where there are too few elements to occupy the
/// device.
catalog::PassEntry reduce_entry(const DeviceTraits& device, int split_k, Extent extent,
                                std::int64_t batch) {
    constexpr int few_sums = 16;
    catalog::PassEntry plain = catalog::reduce_pass(device);
    const std::size_t work_groups = groups(extent.rows, plain.tile_rows) *
                                    groups(extent.columns, plain.tile_columns) *
                                    static_cast<std::size_t>(batch);
    const bool occupied = work_groups >= 2 * static_cast<std::size_t>(device.compute_units);
    return split_k < few_sums || occupied ? plain : catalog::shared_reduce_pass(device);
}

std::string text_of(Extent extent) {
    return std::to_string(extent.rows) + "x" + std::to_string(extent.columns);
}

void append_extent(std::vector<Argument>& arguments, Extent extent) {
    append_integer(arguments, extent.rows);
    append_integer(arguments, extent.columns);
}

} // namespace

Place workspace_place(std::int64_t offset, std::int64_t ld, std::int64_t batch_stride) {
    return {Kind::workspace, {Kind::integer, offset}, ld, batch_stride};
}

void predict(Step& step, const PassWork& work, const PassContext& context) {
    step.work = work;
    step.predicted_seconds = predict_pass(work, context.machine, context.device);
}

double predict_steps(const std::vector<Step>& steps) {
    return std::accumulate(steps.begin(), steps.end(), 0.0, [](double sum, const Step& step) {
        return sum + step.predicted_seconds;
    });
}

void append_place(std::vector<Argument>& arguments, const Place& place) {
    arguments.push_back({place.buffer, 0});
    arguments.push_back(place.offset);
    append_integer(arguments, place.ld);
    append_integer(arguments, place.batch_stride);
}

KernelBuild build_of(const catalog::PassEntry& entry) {
    KernelBuild build;
    build.name = entry.name;
    build.source = entry.source;
    build.function = entry.function;
    build.defines = entry.defines;
    return build;
}

catalog::PassEntry transpose_entry(const PassContext& context) {
    return catalog::transpose_pass(context.device, context.machine.streamed_transposes > 0);
}

Step copy_step(const PassContext& context, const catalog::PassEntry& entry, const char* operand,
               const Place& from, Extent in, const Place& to, Extent out, std::int64_t batch) {
    const double bytes = bytes_of(in, batch) + bytes_of(out, batch);
    Step step = pass_step(context, entry, PassKind::pre_pass, out, batch, bytes);
    append_extent(step.arguments, in);
    append_place(step.arguments, from);
    append_extent(step.arguments, out);
    append_place(step.arguments, to);
    step.purpose =
        std::string(operand) + ": " + step.build.name + " " + text_of(in) + " to " + text_of(out);
    return step;
}

Step unpad_step(const PassContext& context, const Place& product, const Place& c, Extent extent,
                std::int64_t batch) {
    Step step = in_place_step(context, catalog::unpad_pass(context.device), extent, batch);
    append_extent(step.arguments, extent);
    append_place(step.arguments, product);
    step.arguments.push_back(user_beta);
    append_place(step.arguments, c);
    step.purpose = "C: un-pad " + text_of(extent);
    return step;
}

Step reduce_step(const PassContext& context, const Place& parts, std::int64_t sum_stride,
                 int split_k, const Place& c, Extent extent, std::int64_t batch) {
    const double bytes = (split_k + 2) * bytes_of(extent, batch);
    const catalog::PassEntry entry = reduce_entry(context.device, split_k, extent, batch);
    const auto in_turn = static_cast<int>(support::ceil_div(split_k, entry.sharers));
    Step step = pass_step(context, entry, PassKind::post_pass, extent, batch, bytes, in_turn);
    append_extent(step.arguments, extent);
    append_integer(step.arguments, split_k);
    append_place(step.arguments, parts);
    append_integer(step.arguments, sum_stride);
    step.arguments.push_back(user_alpha);
    step.arguments.push_back(user_beta);
    append_place(step.arguments, c);
    step.purpose = "C: add " + std::to_string(split_k) + " partial sums of " + text_of(extent);
    return step;
}

Step scale_step(const PassContext& context, const Place& c, Extent extent, std::int64_t batch) {
    Step step = in_place_step(context, catalog::scale_pass(context.device), extent, batch);
    append_extent(step.arguments, extent);
    step.arguments.push_back(user_beta);
    append_place(step.arguments, c);
    step.purpose = "C: scale " + text_of(extent) + " by beta";
    return step;
}

} // namespace libsgemm::planning
