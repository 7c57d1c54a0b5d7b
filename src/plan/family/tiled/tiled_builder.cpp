// SPDX-License-Identifier: Apache-2.0
#include "plan/family/tiled/tiled_builder.hpp"

#include "plan/cost_model.hpp"
#include "plan/narrow_loads.hpp"
#include "support/round.hpp"

#include <algorithm>
#include <utility>

namespace libsgemm::planning {
namespace {

using support::Count;
using validate::Major;
using Kind = Argument::Kind;

/// A repacked operand's leading dimension is off the period of the memory channels.
constexpr int repack_gap = 32;

/// Extent of a stored operand whose mn extent and k extent are given.
Extent stored_extent(Major major, std::int64_t mn, std::int64_t k) {
    return major == Major::mn ? Extent{mn, k} : Extent{k, mn};
}

/// An operand whose first element is (mn0, k0).
Place moved(const Input& input, std::int64_t mn0, std::int64_t k0) {
    const bool mn_major = input.major == Major::mn;
    return moved(input.place, mn_major ? k0 * input.place.ld + mn0 : mn0 * input.place.ld + k0);
}

} // namespace

TiledBuilder::TiledBuilder(const FamilyPlanner& family, const BuildRequest& request)
    : PlanBuilder(family, request, narrowed(request.candidate, request.problem)) {}

bool TiledBuilder::pad_extents() {
    extents_ = {problem_.m, problem_.n, problem_.k};
    if (candidate_.variant.edges != EdgeStrategy::padding) {
        return true;
    }
    const Count m = support::checked_round_up(extents_.m, tile_.m);
    const Count n = support::checked_round_up(extents_.n, tile_.n);
    const Count k = support::checked_round_up(extents_.k, tile_.k);
    if (!m || !n || !k) {
        return false;
    }
    extents_ = {*m, *n, *k};
    return true;
}

/// Adds the pre-passes that A or B needs: none, pad, transpose, both fused or one by one.
Input TiledBuilder::prepare(bool is_a) {
    const validate::Operand& operand = is_a ? problem_.a : problem_.b;
    const std::int64_t mn = is_a ? problem_.m : problem_.n;
    const std::int64_t padded_mn = is_a ? extents_.m : extents_.n;
    const catalog::Accepts accepts = is_a ? candidate_.kernel->a : candidate_.kernel->b;
    const int alignment = is_a ? tile_.alignment_a : tile_.alignment_b;
    const bool repack = is_a ? candidate_.variant.repack_a : candidate_.variant.repack_b;
    const EdgeStrategy edges = candidate_.variant.edges;
    const bool accepted = catalog::accepts(accepts, operand.major);
    const bool pads_tiles = padded_mn != mn || extents_.k != problem_.k;
    // A matrix that the whole batch shares is prepared once.
    const std::int64_t batch = operand.batch_stride == 0 ? 1 : problem_.batch;
    const Place from = is_a ? caller_place(Kind::buffer_a, Kind::offset_a, operand)
                            : caller_place(Kind::buffer_b, Kind::offset_b, operand);
    if (accepted && !pads_tiles && !repack &&
        reads_in_place(operand, mn, alignment, batch, edges)) {
        return {from, operand.major, -1};
    }

    // Of two forms that a kernel reads a copy gets the one that need not be transposed once more.
    const Major major = accepts == catalog::Accepts::k_major ? Major::k : Major::mn;
    const bool transpose = major != operand.major;
    const std::int64_t vectors = reads_whole_vectors(edges) && major == Major::mn
                                     ? support::round_up(padded_mn, alignment)
                                     : padded_mn;
    const Extent in = stored_extent(operand.major, mn, problem_.k);
    const Extent transposed = stored_extent(major, mn, problem_.k);
    const Extent out = stored_extent(major, vectors, extents_.k);
    const bool pad = out.rows != transposed.rows || out.columns != transposed.columns;
    const auto reserve = [&](Extent extent) {
        return steps_.reserve({extent.rows + (repack ? repack_gap : 0), extent.columns}, alignment,
                              batch);
    };
    const auto copy = [&](const catalog::PassEntry& pass, const Place& source, Extent read,
                          const Place& target, Extent written, int after) {
        return steps_.add(
            copy_step(context_, pass, is_a ? "A" : "B", source, read, target, written, batch),
            {after});
    };
    copies_ = copies_ || pad || accepted; // that is transposed by choice, not by need
    if (transpose && pad && candidate_.variant.pre_passes == PrePassStyle::separate) {
        const Place between = reserve(transposed);
        const Place to = reserve(out);
        const int first = copy(transpose_entry(context_), from, in, between, transposed, -1);
        return {to, major,
                copy(catalog::pad_pass(context_.device), between, transposed, to, out, first)};
    }
    const catalog::PassEntry pass = !transpose ? catalog::pad_pass(context_.device)
                                    : pad      ? catalog::pad_transpose_pass(context_.device)
                                               : transpose_entry(context_);
    const Place to = reserve(out);
    return {to, major, copy(pass, from, in, to, out, -1)};
}

/// How often loads are halved against the row's.
int TiledBuilder::halvings(std::string_view load_width) const {
    int count = 0;
    for (int width = candidate_.parameters.get_or(load_width, 1);
         width < request_.candidate.parameters.get_or(load_width, 1); width *= 2) {
        ++count;
    }
    return count;
}

MainWork TiledBuilder::work_of(const Share& share) const {
    const std::int64_t period = ld_period(context_.machine, *candidate_.kernel);
    const auto collides = [&](const Input& input) {
        return period > 0 && input.written_by < 0 && input.place.ld % period == 0;
    };
    MainWork work;
    work.m = share.m;
    work.n = share.n;
    work.k = support::ceil_div(share.k, split_k());
    work.batch = problem_.batch * split_k();
    if (candidate_.variant.fused_reduction) {
        constexpr double element_bytes = sizeof(float);
        work.summed_bytes = element_bytes * split_k() * tile_.m * tile_.n;
    }
    if (candidate_.kernel->edges == catalog::Edges::selectable) {
        work.edges = candidate_.variant.edges;
    } else if (is_emulated(candidate_)) { // element by element in tiles at the edges
        work.edges = EdgeStrategy::guarded;
    }
    work.a_k_major = a_.major == Major::k;
    work.b_k_major = b_.major == Major::k;
    const bool by_element = tiled().transposes_by_element;
    work.halvings_a = by_element && work.a_k_major ? 0 : halvings(catalog::load_width_a_name);
    work.halvings_b = by_element && work.b_k_major ? 0 : halvings(catalog::load_width_b_name);
    work.ld_collides = collides(a_) || collides(b_);
    work.k_in_parts = candidate_.variant.parts.k > 1;
    return work;
}

std::size_t TiledBuilder::groups(std::int64_t extent, int tile) const {
    return static_cast<std::size_t>(tiles_along(candidate_, extent, tile));
}

Step TiledBuilder::launch(const Share& share, const Place& c, Argument alpha, Argument beta) const {
    catalog::BuildChoice choice;
    choice.a = a_.major;
    choice.b = b_.major;
    if (candidate_.variant.edges == EdgeStrategy::extension) {
        choice.extend_m = extension_of(share.m % tile_.m);
        choice.extend_n = extension_of(share.n % tile_.n);
    }
    Step step = main_step(choice, share.m, share.n, share.k);
    const auto local0 = static_cast<std::size_t>(tile_.local[0]);
    const auto local1 = static_cast<std::size_t>(tile_.local[1]);
    step.range.local = {local0, local1, 1};
    step.range.global = {groups(share.m + tile_.extra_rows, tile_.m) * local0,
                         groups(share.n, tile_.n) * local1,
                         static_cast<std::size_t>(problem_.batch * split_k())};
    for (const std::int64_t extent : {share.m, share.n, share.k}) {
        append_integer(step.arguments, extent);
    }
    step.arguments.push_back(alpha);
    append_place(step.arguments, moved(a_, share.m0, share.k0));
    append_place(step.arguments, moved(b_, share.n0, share.k0));
    step.arguments.push_back(beta);
    append_place(step.arguments, c);
    if (candidate_.kernel->split_k == catalog::SplitK::at_launch) {
        append_integer(step.arguments, split_k());
    }
    predict(step, work_of(share));
    return step;
}

int TiledBuilder::add_launch(const Share& share, const Place& c, Argument beta, int before) {
    return steps_.add(launch(share, c, user_alpha, beta), {a_.written_by, b_.written_by, before});
}

/// The main kernel's launches: one, or the parts one after the other, each of k adding to the one
/// before. Returns the last step.
int TiledBuilder::add_parts_into(const Place& c, Argument first_beta) {
    const Parts& parts = candidate_.variant.parts;
    const std::int64_t length_m = part_length(extents_.m, parts.m, tile_.m);
    const std::int64_t length_n = part_length(extents_.n, parts.n, tile_.n);
    const std::int64_t length_k = part_length(extents_.k, parts.k, tile_.k);
    int last = -1;
    for (std::int64_t n0 = 0; n0 < extents_.n; n0 += length_n) {
        for (std::int64_t m0 = 0; m0 < extents_.m; m0 += length_m) {
            for (std::int64_t k0 = 0; k0 < extents_.k; k0 += length_k) {
                const Share share{m0,
                                  n0,
                                  k0,
                                  std::min(length_m, extents_.m - m0),
                                  std::min(length_n, extents_.n - n0),
                                  std::min(length_k, extents_.k - k0)};
                const Argument beta = k0 == 0 ? first_beta : one;
                // Parts follow each other even where they could run side by side: running fewer
                // work-groups at a time is the point of them.
                last = add_launch(share, moved(c, n0 * c.ld + m0), beta, last);
            }
        }
    }
    return last;
}

/// One launch whose work-groups each sum a part of k into the workspace, and the reduction.
void TiledBuilder::add_split_k() {
    const Place sums = reserve_partial_sums({extents_.m, extents_.n}, tile_.alignment_c);
    Step step = launch(whole(), first_partial_sums(sums), one, zero);
    const int main = steps_.add(std::move(step), {a_.written_by, b_.written_by});
    steps_.add(reduction(sums), {main});
}

/// The same where the last work-group of each tile adds the partial sums.
void TiledBuilder::add_fused_split_k() {
    const std::int64_t tiles = tiles_of(candidate_, extents_, tile_);
    const Place slots = steps_.reserve({std::int64_t{tile_.m} * tile_.n, split_k()},
                                       tile_.alignment_c, tiles * problem_.batch);
    Step step = launch(whole(), c(), user_alpha, user_beta);
    step.arguments.push_back({slots.buffer, 0});
    step.arguments.push_back(slots.offset);
    step.arguments.push_back({Kind::counters, 0});
    steps_.add(std::move(step), {a_.written_by, b_.written_by});
}

void TiledBuilder::add_parts() {
    const bool padded = extents_.m != problem_.m || extents_.n != problem_.n;
    if (!padded && is_aligned(problem_.c, tile_.alignment_c, problem_.batch)) {
        add_parts_into(c(), user_beta);
        return;
    }
    copies_ = true;
    const Place product =
        steps_.reserve({extents_.m, extents_.n}, tile_.alignment_c, problem_.batch);
    const int last = add_parts_into(product, zero);
    steps_.add(unpad_step(context_, product, c(), {problem_.m, problem_.n}, problem_.batch),
               {last});
}

void TiledBuilder::add_launches() {
    if (split_k() == 1) {
        add_parts();
    } else if (candidate_.variant.fused_reduction) {
        add_fused_split_k();
    } else {
        add_split_k();
    }
}

std::string TiledBuilder::strategy(const std::vector<Step>& steps) const {
    return steps.size() == 1                                       ? "in place"
           : copies_                                               ? "padding"
           : split_k() > 1 || candidate_.variant.parts.count() > 1 ? "divided"
                                                                   : "transposition";
}

std::string TiledBuilder::add_steps() {
    if (!pad_extents()) {
        return "padded sizes do not fit in 63 bits";
    }
    for (std::string reason :
         {find_obstacle_to_options(), find_obstacle_to_family(), find_obstacle_to_tiles()}) {
        if (!reason.empty()) {
            return reason;
        }
    }
    a_ = prepare(true);
    b_ = prepare(false);
    if (std::max(a_.place.ld, b_.place.ld) > tiled().max_ld) {
        return "a leading dimension is longer than it addresses";
    }
    add_launches();
    if (request_.options.edges == EdgeStrategy::none && copies_) {
        return "tiles do not fit in place, and padding is excluded";
    }
    return {};
}

} // namespace libsgemm::planning
