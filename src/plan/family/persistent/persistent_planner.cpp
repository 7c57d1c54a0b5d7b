// SPDX-License-Identifier: Apache-2.0
#include "catalog/nvidia.hpp"
#include "catalog/passes.hpp"
#include "plan/family/families.hpp"
#include "plan/family/persistent/stream.hpp"
#include "plan/family/tiled/tiled_builder.hpp"
#include "plan/family/tiled/tiled_planner.hpp"
#include "support/round.hpp"

#include <string>
#include <utility>

namespace libsgemm::planning {
namespace {

using Kind = Argument::Kind;

/// Whether work-groups sum the fringe behind the last whole tiles apart
/// (kernels/nvidia/fringe.clh).
bool has_fringe(const Candidate& candidate) {
    return candidate.variant.edges == EdgeStrategy::extension;
}

/// Rows or columns that are in tiles: all, but for such a fringe.
std::int64_t in_tiles(const Candidate& candidate, std::int64_t extent, int tile) {
    return has_fringe(candidate) ? extent / tile * tile : extent;
}

class PersistentBuilder : public TiledBuilder {
public:
    using TiledBuilder::TiledBuilder;

private:
    std::string find_obstacle_to_family() const override;
    void add_launches() override { add_parts(); }
    int add_launch(const Share& share, const Place& c, Argument beta, int before) override;
    MainWork work_of(const Share& share) const override;
    StreamShares shares_of(const Share& share) const;
    Step gather(const StreamShares& shares, const Place& partials, Argument beta, const Place& c,
                Extent extent) const;
};

std::string PersistentBuilder::find_obstacle_to_family() const {
    // Of tiles and of steps: indices have 32 bits.
    constexpr std::int64_t most = std::int64_t{1} << 30U;
    if (extents_.m / tile_.m + 1 > most / (extents_.n / tile_.n + 1) / problem_.batch ||
        extents_.k / tile_.k + 1 > most) {
        return "more tiles or steps than its indices reach";
    }
    return {};
}

StreamShares PersistentBuilder::shares_of(const Share& share) const {
    StreamShares shares =
        share_stream(in_tiles(candidate_, share.m, tile_.m), in_tiles(candidate_, share.n, tile_.n),
                     share.k, problem_.batch, tile_, context_.device.compute_units, split_k() > 1);
    if (has_fringe(candidate_)) { // for those that have no tile, too
        shares.groups = context_.device.compute_units;
    }
    return shares;
}

/// No part of k is a product of its own.
MainWork PersistentBuilder::work_of(const Share& share) const {
    MainWork work = TiledBuilder::work_of(share);
    work.k = share.k;
    work.batch = problem_.batch;
    const StreamShares shares = shares_of(share);
    if (shares.cut > 0) {
        work.stream_tiles = shares.tiles_per_group(support::ceil_div(share.k, tile_.k));
    }
    if (has_fringe(candidate_)) {
        work.fringe = share_fringe(work, shares, tile_, context_.machine, context_.device);
    }
    return work;
}

/// One launch of as many work-groups as there are compute units, and where tiles were cut the pass
/// that completes them.
int PersistentBuilder::add_launch(const Share& share, const Place& c, Argument beta, int before) {
    const StreamShares shares = shares_of(share);
    constexpr std::int64_t slots_per_group = 2;
    const Place partials = shares.cut > 0
                               ? steps_.reserve({std::int64_t{tile_.m} * tile_.n, shares.groups},
                                                tile_.alignment_c, slots_per_group)
                               : c;
    Step step = launch(share, c, user_alpha, beta);
    step.range.global = {static_cast<std::size_t>(shares.groups) * step.range.local[0],
                         step.range.local[1], 1};
    step.arguments.push_back({partials.buffer, 0});
    step.arguments.push_back(partials.offset);
    for (const std::int64_t value : {shares.whole, shares.units(), shares.share,
                                     shares.reciprocal(), std::int64_t{shares.shift}}) {
        append_integer(step.arguments, value);
    }
    if (const auto& fringe = std::get<MainWork>(step.work).fringe) {
        append_integer(step.arguments, problem_.batch);
        append_integer(step.arguments, fringe->first_group);
    }
    const int main = steps_.add(std::move(step), {a_.written_by, b_.written_by, before});
    if (shares.cut == 0) {
        return main;
    }
    const Extent extent{in_tiles(candidate_, share.m, tile_.m),
                        in_tiles(candidate_, share.n, tile_.n)};
    return steps_.add(gather(shares, partials, beta, c, extent), {main});
}

/// Completes the tiles that were cut: C = alpha * (sum of partial sums) + beta * C.
Step PersistentBuilder::gather(const StreamShares& shares, const Place& partials, Argument beta,
                               const Place& c, Extent extent) const {
    const catalog::PassEntry entry =
        catalog::gather_pass(tile_.m, tile_.n, catalog::nvidia::raster(candidate_.parameters));
    Step step;
    step.kind = PassKind::post_pass;
    step.build = build_of(entry);
    const auto items_m = static_cast<std::size_t>(entry.local[0]);
    const auto items_n = static_cast<std::size_t>(entry.local[1]);
    const auto groups_m =
        static_cast<std::size_t>(support::ceil_div(std::int64_t{tile_.m}, entry.tile_rows));
    const auto groups_n =
        static_cast<std::size_t>(support::ceil_div(std::int64_t{tile_.n}, entry.tile_columns));
    step.range.local = {items_m, items_n, 1};
    step.range.global = {groups_m * items_m, groups_n * items_n,
                         static_cast<std::size_t>(shares.cut)};
    append_integer(step.arguments, extent.rows);
    append_integer(step.arguments, extent.columns);
    step.arguments.push_back(user_alpha);
    step.arguments.push_back({partials.buffer, 0});
    step.arguments.push_back(partials.offset);
    append_integer(step.arguments, shares.whole);
    append_integer(step.arguments, shares.units_per_tile);
    append_integer(step.arguments, shares.share);
    step.arguments.push_back(beta);
    append_place(step.arguments, c);
    // Each work-group leaves partial sums of up to two tiles, which are written and read.
    const double tile_bytes = sizeof(float) * static_cast<double>(tile_.m) * tile_.n;
    const double bytes =
        tile_bytes * (4.0 * static_cast<double>(shares.groups) + static_cast<double>(shares.cut));
    // Where many share a tile, adding their sums is a chain of loads: on an H200 some 17 us for 132
    // of them and 9 us for 66, three times what as many parts of k take.
    constexpr int parts_per_share = 3;
    const auto sharers = static_cast<int>(support::ceil_div(shares.units_per_tile, shares.share));
    planning::predict(step,
                      {bytes, false,
                       static_cast<double>(groups_m * groups_n) * static_cast<double>(shares.cut),
                       parts_per_share * sharers},
                      context_);
    step.purpose = "C: complete " + std::to_string(shares.cut) + " tiles of " +
                   std::to_string(tile_.m) + "x" + std::to_string(tile_.n);
    return step;
}

/// Tiled kernels of one work-group to a compute unit, which may share the last tiles' steps of k
/// among all of them.
class PersistentPlanner : public TiledPlanner {
public:
    BuildResult build(const BuildRequest& request) const override;

protected:
    std::vector<int> split_counts(const Candidate& candidate,
                                  const validate::CanonicalProblem& problem,
                                  const ExpertPlanOptions& options,
                                  const DeviceTraits& device) const override;
    /// Each would end with a wave of its own, which stream-K avoids.
    bool may_divide_k() const override { return false; }
};

BuildResult PersistentPlanner::build(const BuildRequest& request) const {
    return PersistentBuilder(*this, request).build();
}

/// Where no tile would be cut there is nothing to share.
std::vector<int> PersistentPlanner::split_counts(const Candidate& candidate,
                                                 const validate::CanonicalProblem& problem,
                                                 const ExpertPlanOptions& options,
                                                 const DeviceTraits& device) const {
    const catalog::TileShape tile = candidate.kernel->tile(candidate.parameters);
    const StreamShares shares =
        share_stream(in_tiles(candidate, problem.m, tile.m), in_tiles(candidate, problem.n, tile.n),
                     problem.k, problem.batch, tile, device.compute_units, true);
    if (shares.cut == 0) {
        return {1};
    }
    return options.split_k > 0 ? std::vector<int>{options.split_k} : std::vector<int>{1, 2};
}

} // namespace

const FamilyPlanner& planner_of(const catalog::Persistent& /*family*/) {
    static const PersistentPlanner planner;
    return planner;
}

} // namespace libsgemm::planning
