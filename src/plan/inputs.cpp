// SPDX-License-Identifier: Apache-2.0
#include "plan/inputs.hpp"

#include "support/round.hpp"

namespace libsgemm::planning {
namespace {

using validate::Major;

/// Extent of a stored operand whose mn extent and k extent are given.
Extent stored_extent(Major major, std::int64_t mn, std::int64_t k) {
    return major == Major::mn ? Extent{mn, k} : Extent{k, mn};
}

bool same(Extent x, Extent y) {
    return x.rows == y.rows && x.columns == y.columns;
}

/// A repacked operand's leading dimension is off the period of the memory channels.
constexpr int relay_gap = 32;

} // namespace

Place caller_place(Argument::Kind buffer, Argument::Kind offset, const validate::Operand& operand) {
    return {buffer, {offset, 0}, operand.ld, operand.batch_stride};
}

bool is_aligned(const validate::Operand& operand, int alignment, std::int64_t batch) {
    return operand.ld % alignment == 0 && operand.offset_alignment % alignment == 0 &&
           (batch == 1 || operand.batch_stride % alignment == 0);
}

bool reads_in_place(const validate::Operand& operand, std::int64_t mn, int width,
                    std::int64_t batch, EdgeStrategy edges) {
    return is_aligned(operand, width, batch) &&
           !(reads_whole_vectors(edges) && operand.major == Major::mn && mn % width != 0);
}

Input prepare_input(const validate::Operand& operand, const InputNeeds& needs,
                    const PassContext& context, StepList& steps) {
    const bool accepted = catalog::accepts(needs.accepted, operand.major);
    const bool pads_tiles = needs.padded_mn != needs.mn || needs.padded_k != needs.k;
    // A matrix that the whole batch shares is prepared once.
    const std::int64_t batch = operand.batch_stride == 0 ? 1 : needs.batch;
    const Place from = caller_place(needs.buffer, needs.offset, operand);
    if (accepted && !pads_tiles && !needs.relay &&
        reads_in_place(operand, needs.mn, needs.alignment, batch, needs.edges)) {
        return {from, operand.major, -1, false};
    }

    // Of two forms that a kernel reads a copy gets the one that need not be transposed once more.
    const Major major = needs.accepted == catalog::Accepts::k_major ? Major::k : Major::mn;
    const bool transpose = major != operand.major;
    const std::int64_t vectors = reads_whole_vectors(needs.edges) && major == Major::mn
                                     ? support::round_up(needs.padded_mn, needs.alignment)
                                     : needs.padded_mn;
    const Extent in = stored_extent(operand.major, needs.mn, needs.k);
    const Extent turned = stored_extent(major, needs.mn, needs.k);
    const Extent out = stored_extent(major, vectors, needs.padded_k);
    const bool pad = !same(out, turned);
    const auto reserve = [&](Extent extent) {
        const Extent with_gap{extent.rows + (needs.relay ? relay_gap : 0), extent.columns};
        return steps.reserve(with_gap, needs.alignment, batch);
    };
    const auto copy = [&](const catalog::PassEntry& pass, const Place& source, Extent read,
                          const Place& target, Extent written, int after) {
        return steps.add(copy_step(context, pass, needs.name, source, read, target, written, batch),
                         {after});
    };
    const bool copied = pad || accepted; // an accepted operand is transposed by choice, not by need
    if (transpose && pad && needs.style == PrePassStyle::separate) {
        const Place between = reserve(turned);
        const Place to = reserve(out);
        const int first = copy(transpose_entry(context), from, in, between, turned, -1);
        const int second = copy(catalog::pad_pass(context.device), between, turned, to, out, first);
        return {to, major, second, copied};
    }
    const catalog::PassEntry pass = !transpose ? catalog::pad_pass(context.device)
                                    : pad      ? catalog::pad_transpose_pass(context.device)
                                               : transpose_entry(context);
    const Place to = reserve(out);
    return {to, major, copy(pass, from, in, to, out, -1), copied};
}

} // namespace libsgemm::planning
