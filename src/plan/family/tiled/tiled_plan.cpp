// SPDX-License-Identifier: Apache-2.0
#include "plan/family/tiled/tiled_plan.hpp"

#include "plan/arguments.hpp"
#include "plan/cost_model.hpp"
#include "plan/family/tiled/tiled_obstacles.hpp"
#include "plan/family/tiled/tiling.hpp"
#include "plan/inputs.hpp"
#include "plan/narrow_loads.hpp"
#include "plan/step_list.hpp"
#include "support/round.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace libsgemm::planning {
namespace {

using support::Count;
using validate::Major;
using Kind = Argument::Kind;
using validate::CanonicalProblem;

/// A share of the product: what one launch of the main kernel computes.
struct Share {
    std::int64_t m0 = 0, n0 = 0, k0 = 0;
    std::int64_t m = 0, n = 0, k = 0;
};

/// An operand whose first element is (mn0, k0).
Place moved(const Input& input, std::int64_t mn0, std::int64_t k0) {
    const bool mn_major = input.major == Major::mn;
    return moved(input.place, mn_major ? k0 * input.place.ld + mn0 : mn0 * input.place.ld + k0);
}

class PlanBuilder {
public:
    PlanBuilder(const CanonicalProblem& problem, const Candidate& candidate,
                const PassContext& context)
        : problem_(problem), row_(candidate), candidate_(narrowed(candidate, problem)),
          context_(context), tile_(candidate_.kernel->tile(candidate_.parameters)) {}

    std::variant<PlanValue, Obstacle> build(EdgeStrategy edges, std::size_t max_workspace_bytes);

private:
    bool pad_extents();
    Input prepare(const char* name, Kind buffer, Kind offset, const validate::Operand& operand);
    void add_launches();
    int add_shares(const Place& c, Argument first_beta);
    void add_slices();
    void add_slices_summed_in_launch();
    int add_share(const Share& share, const Place& c, Argument beta, int before);
    int add_stream(const Share& share, const Place& c, Argument beta, int before);
    Share whole() const { return {0, 0, 0, extents_.m, extents_.n, extents_.k}; }
    StreamShares stream_shares(const Share& share) const;
    Step main_step(const Share& share, const Place& c, Argument alpha, Argument beta) const;
    MainWork work_of(const Share& share) const;
    int halvings(std::string_view load_width) const;
    std::size_t groups(std::int64_t extent, int tile) const;
    PlanValue finish(std::int64_t bytes);

    const CanonicalProblem& problem_;
    const Candidate& row_;      ///< with the loads of the table's row
    const Candidate candidate_; ///< with those that alignment leaves
    const PassContext& context_;
    catalog::TileShape tile_;
    WorkExtents extents_;
    Input a_, b_;
    StepList steps_;
    bool copies_ = false; ///< any copy that is not a mere transposition
};

bool PlanBuilder::pad_extents() {
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

Input PlanBuilder::prepare(const char* name, Kind buffer, Kind offset,
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
int PlanBuilder::halvings(std::string_view load_width) const {
    int count = 0;
    for (int width = candidate_.parameters.get_or(load_width, 1);
         width < row_.parameters.get_or(load_width, 1); width *= 2) {
        ++count;
    }
    return count;
}

MainWork PlanBuilder::work_of(const Share& share) const {
    const std::int64_t period = ld_period(context_.machine, *candidate_.kernel);
    const auto collides = [&](const Input& input) {
        return period > 0 && input.written_by < 0 && input.place.ld % period == 0;
    };
    const int slices = candidate_.kernel->streams ? 1 : candidate_.variant.split_k;
    MainWork work;
    work.m = share.m;
    work.n = share.n;
    work.k = support::ceil_div(share.k, slices);
    work.batch = problem_.batch * slices;
    const StreamShares shares = stream_shares(share);
    if (shares.cut > 0) {
        work.dealt_tiles = shares.tiles_per_group(support::ceil_div(share.k, tile_.k));
    }
    if (candidate_.has_rim()) {
        work.rim = share_rim(work, shares, tile_, context_.machine, context_.device);
    }
    if (candidate_.variant.fused_reduction) {
        constexpr double element_bytes = sizeof(float);
        work.summed_bytes = element_bytes * slices * tile_.m * tile_.n;
    }
    if (candidate_.kernel->edges == catalog::Edges::selectable) {
        work.edges = candidate_.variant.edges;
    } else if (candidate_.kernel->splits_itself) { // element by element in tiles at the edges
        work.edges = EdgeStrategy::guarded;
    }
    work.a_k_major = a_.major == Major::k;
    work.b_k_major = b_.major == Major::k;
    const bool by_element = candidate_.kernel->turns_by_element;
    work.halvings_a = by_element && work.a_k_major ? 0 : halvings(catalog::load_width_a_name);
    work.halvings_b = by_element && work.b_k_major ? 0 : halvings(catalog::load_width_b_name);
    work.ld_collides = collides(a_) || collides(b_);
    work.k_in_parts = candidate_.variant.parts.k > 1;
    return work;
}

std::size_t PlanBuilder::groups(std::int64_t extent, int tile) const {
    return static_cast<std::size_t>(tiles_along(candidate_, extent, tile));
}

Step PlanBuilder::main_step(const Share& share, const Place& c, Argument alpha,
                            Argument beta) const {
    const catalog::KernelEntry& kernel = *candidate_.kernel;
    catalog::BuildChoice choice;
    choice.a = a_.major;
    choice.b = b_.major;
    choice.variant = candidate_.variant;
    if (candidate_.variant.edges == EdgeStrategy::extension) {
        choice.extend_m = extension_of(share.m % tile_.m);
        choice.extend_n = extension_of(share.n % tile_.n);
    }

    Step step;
    step.kind = PassKind::main_kernel;
    step.build = {std::string(kernel.name),
                  std::string(kernel.source),
                  std::string(kernel.function),
                  catalog::main_kernel_defines(kernel, candidate_.parameters, choice),
                  candidate_.parameters.get_or(catalog::max_registers_name, 0),
                  catalog::is_architecture_specific(kernel, candidate_.parameters)};
    const auto local0 = static_cast<std::size_t>(tile_.local[0]);
    const auto local1 = static_cast<std::size_t>(tile_.local[1]);
    step.range.local = {local0, local1, 1};
    step.range.global = {groups(share.m, tile_.m) * local0, groups(share.n, tile_.n) * local1,
                         static_cast<std::size_t>(problem_.batch * candidate_.variant.split_k)};
    for (const std::int64_t extent : {share.m, share.n, share.k}) {
        append_integer(step.arguments, extent);
    }
    step.arguments.push_back(alpha);
    append_place(step.arguments, moved(a_, share.m0, share.k0));
    append_place(step.arguments, moved(b_, share.n0, share.k0));
    step.arguments.push_back(beta);
    append_place(step.arguments, c);
    if (candidate_.kernel->slices_at_launch) {
        append_integer(step.arguments, candidate_.variant.split_k);
    }
    const MainWork work = work_of(share);
    step.work = work;
    step.predicted_seconds =
        predict_main(work, tile_, candidate_.model, context_.machine, context_.device);
    step.purpose = "multiply " + std::to_string(share.m) + "x" + std::to_string(share.n) + "x" +
                   std::to_string(share.k);
    if (candidate_.variant.split_k > 1 && !candidate_.kernel->streams) {
        step.purpose += " in " + std::to_string(candidate_.variant.split_k) + " slices of k";
    }
    return step;
}

/// The main kernel's launches into C or a padded product: one, or the parts one after the other,
/// each of k adding to the one before. Returns the last step.
int PlanBuilder::add_shares(const Place& c, Argument first_beta) {
    const std::int64_t length_m = part_length(extents_.m, candidate_.variant.parts.m, tile_.m);
    const std::int64_t length_n = part_length(extents_.n, candidate_.variant.parts.n, tile_.n);
    const std::int64_t length_k = part_length(extents_.k, candidate_.variant.parts.k, tile_.k);
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
                last = add_share(share, moved(c, n0 * c.ld + m0), beta, last);
            }
        }
    }
    return last;
}

/// One launch whose work-groups each sum a slice of k into the workspace, and the pass that adds
/// the slices.
void PlanBuilder::add_slices() {
    const Extent extent{extents_.m, extents_.n};
    Place parts =
        steps_.reserve(extent, tile_.alignment_c, problem_.batch * candidate_.variant.split_k);
    const std::int64_t slice = parts.batch_stride;
    parts.batch_stride = slice * candidate_.variant.split_k;
    const int main =
        steps_.add(main_step(whole(), parts, one, zero), {a_.written_by, b_.written_by});
    const Place c = caller_place(Kind::buffer_c, Kind::offset_c, problem_.c);
    steps_.add(reduce_step(context_, parts, slice, candidate_.variant.split_k, c,
                           {problem_.m, problem_.n}, problem_.batch),
               {main});
}

/// The same where the last work-group of each tile adds the slices.
void PlanBuilder::add_slices_summed_in_launch() {
    const std::int64_t tiles = tiles_of(candidate_, extents_, tile_);
    const Place slots =
        steps_.reserve({std::int64_t{tile_.m} * tile_.n, candidate_.variant.split_k},
                       tile_.alignment_c, tiles * problem_.batch);
    const Place c = caller_place(Kind::buffer_c, Kind::offset_c, problem_.c);
    Step step = main_step(whole(), c, user_alpha, user_beta);
    step.arguments.push_back({slots.buffer, 0});
    step.arguments.push_back(slots.offset);
    step.arguments.push_back({Kind::counters, 0});
    steps_.add(std::move(step), {a_.written_by, b_.written_by});
}

StreamShares PlanBuilder::stream_shares(const Share& share) const {
    if (!candidate_.kernel->streams) {
        return {};
    }
    StreamShares shares = share_stream(
        candidate_.in_tiles(share.m, tile_.m), candidate_.in_tiles(share.n, tile_.n), share.k,
        problem_.batch, tile_, context_.device.compute_units, candidate_.variant.split_k > 1);
    if (candidate_.has_rim()) { // for those that have no tile, too
        shares.groups = context_.device.compute_units;
    }
    return shares;
}

/// One launch of the main kernel behind the step `before`. Returns the last step.
int PlanBuilder::add_share(const Share& share, const Place& c, Argument beta, int before) {
    if (candidate_.kernel->streams) {
        return add_stream(share, c, beta, before);
    }
    return steps_.add(main_step(share, c, user_alpha, beta),
                      {a_.written_by, b_.written_by, before});
}

/// One launch of as many work-groups as there are compute units, and where tiles were cut the pass that
/// completes them.
int PlanBuilder::add_stream(const Share& share, const Place& c, Argument beta, int before) {
    const StreamShares shares = stream_shares(share);
    constexpr std::int64_t slots_per_group = 2;
    const Place partials = shares.cut > 0
                               ? steps_.reserve({std::int64_t{tile_.m} * tile_.n, shares.groups},
                                                tile_.alignment_c, slots_per_group)
                               : c;
    Step step = main_step(share, c, user_alpha, beta);
    step.range.global = {static_cast<std::size_t>(shares.groups) * step.range.local[0],
                         step.range.local[1], 1};
    step.arguments.push_back({partials.buffer, 0});
    step.arguments.push_back(partials.offset);
    for (const std::int64_t value : {shares.whole, shares.units(), shares.share,
                                     shares.reciprocal(), std::int64_t{shares.shift}}) {
        append_integer(step.arguments, value);
    }
    if (const auto& rim = std::get<MainWork>(step.work).rim) {
        append_integer(step.arguments, problem_.batch);
        append_integer(step.arguments, rim->first_group);
    }
    const int main = steps_.add(std::move(step), {a_.written_by, b_.written_by, before});
    if (shares.cut == 0) {
        return main;
    }
    const GatherShape shape{tile_.m, tile_.n, candidate_.parameters.get_or("raster", 0)};
    const Extent extent{candidate_.in_tiles(share.m, tile_.m),
                        candidate_.in_tiles(share.n, tile_.n)};
    return steps_.add(gather_step(context_, shape, shares, partials, beta, c, extent), {main});
}

void PlanBuilder::add_launches() {
    if (candidate_.variant.split_k > 1 && !candidate_.kernel->streams) {
        return candidate_.variant.fused_reduction ? add_slices_summed_in_launch() : add_slices();
    }
    const Place c = caller_place(Kind::buffer_c, Kind::offset_c, problem_.c);
    const bool padded = extents_.m != problem_.m || extents_.n != problem_.n;
    if (!padded && is_aligned(problem_.c, tile_.alignment_c, problem_.batch)) {
        add_shares(c, user_beta);
        return;
    }
    copies_ = true;
    const Place product =
        steps_.reserve({extents_.m, extents_.n}, tile_.alignment_c, problem_.batch);
    const int last = add_shares(product, zero);
    steps_.add(unpad_step(context_, product, c, {problem_.m, problem_.n}, problem_.batch), {last});
}

PlanValue PlanBuilder::finish(std::int64_t bytes) {
    PlanValue plan;
    plan.kernel = candidate_.kernel;
    plan.parameters = candidate_.parameters;
    plan.row = candidate_.row;
    plan.variant = candidate_.to_string();
    plan.workspace_bytes = static_cast<std::size_t>(bytes);
    plan.steps = steps_.take();
    plan.counts = candidate_.variant.fused_reduction;
    plan.strategy = plan.steps.size() == 1 ? "in place"
                    : copies_              ? "padding"
                    : candidate_.variant.split_k > 1 || candidate_.variant.parts.count() > 1
                        ? "divided"
                        : "transposition";
    plan.predicted_seconds = predict_call(plan.steps, context_);
    return plan;
}

std::variant<PlanValue, Obstacle> PlanBuilder::build(EdgeStrategy edges,
                                                     std::size_t max_workspace_bytes) {
    if (!pad_extents()) {
        return Obstacle{"padded sizes do not fit in 63 bits"};
    }
    if (std::string reason = find_obstacle(problem_, candidate_, extents_, edges, context_.device);
        !reason.empty()) {
        return Obstacle{std::move(reason)};
    }
    a_ = prepare("A", Kind::buffer_a, Kind::offset_a, problem_.a);
    b_ = prepare("B", Kind::buffer_b, Kind::offset_b, problem_.b);
    if (std::max(a_.place.ld, b_.place.ld) > candidate_.kernel->max_ld) {
        return Obstacle{"a leading dimension is longer than it addresses"};
    }
    add_launches();

    const Count bytes = steps_.bytes();
    if (!bytes) {
        return Obstacle{"its workspace does not fit in 63 bits"};
    }
    if (static_cast<std::uint64_t>(*bytes) > max_workspace_bytes) {
        return Obstacle{"its workspace of " + std::to_string(*bytes) +
                        " bytes is over the limit of " + std::to_string(max_workspace_bytes)};
    }
    if (edges == EdgeStrategy::none && copies_) {
        return Obstacle{"tiles do not fit in place, and padding is excluded"};
    }
    return finish(*bytes);
}

} // namespace

std::variant<PlanValue, Obstacle> build_tiled_plan(const CanonicalProblem& problem,
                                                   const Candidate& candidate,
                                                   const PassContext& context, EdgeStrategy edges,
                                                   std::size_t max_workspace_bytes) {
    return PlanBuilder(problem, candidate, context).build(edges, max_workspace_bytes);
}

} // namespace libsgemm::planning
