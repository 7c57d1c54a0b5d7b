// SPDX-License-Identifier: Apache-2.0
#include "plan/family/tiled/tiled_builder.hpp"

#include "plan/cost_model.hpp"
#include "plan/family/tiled/tiled_obstacles.hpp"
#include "plan/narrow_loads.hpp"
#include "support/round.hpp"

#include <algorithm>
#include <utility>

namespace libsgemm::planning {
namespace {

using support::Count;
using validate::Major;
using Kind = Argument::Kind;

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

Input TiledBuilder::prepare(const char* name, Kind buffer, Kind offset,
                            const validate::Operand& operand) {
    const bool is_a = buffer == Kind::buffer_a;
    InputNeeds needs;
    needs.name = name;
    needs.buffer = buffer;
    needs.offset = offset;
    needs.accepted = is_a ? candidate_.kernel->a : candidate_.kernel->b;
    needs.alignment = is_a ? tile_.alignment_a : tile_.alignment_b;
    needs.mn = is_a ? problem_.m : problem_.n;
    needs.k = problem_.k;
    needs.padded_mn = is_a ? extents_.m : extents_.n;
    needs.padded_k = extents_.k;
    needs.batch = problem_.batch;
    needs.style = candidate_.variant.pre_passes;
    needs.edges = candidate_.variant.edges;
    needs.relay = is_a ? candidate_.variant.repack_a : candidate_.variant.repack_b;
    Input input = prepare_input(operand, needs, context_, steps_);
    copies_ = copies_ || input.copied;
    return input;
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
    step.range.global = {groups(share.m, tile_.m) * local0, groups(share.n, tile_.n) * local1,
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
         {find_obstacle_to_options(), find_obstacle_to_family(),
          find_obstacle_to_tiles(problem_, candidate_, extents_, context_.device)}) {
        if (!reason.empty()) {
            return reason;
        }
    }
    a_ = prepare("A", Kind::buffer_a, Kind::offset_a, problem_.a);
    b_ = prepare("B", Kind::buffer_b, Kind::offset_b, problem_.b);
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
