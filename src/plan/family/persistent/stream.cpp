// SPDX-License-Identifier: Apache-2.0
#include "plan/family/persistent/stream.hpp"

#include "plan/cost_model.hpp"
#include "support/round.hpp"

#include <algorithm>

namespace libsgemm::planning {
namespace {

using support::ceil_div;

constexpr std::int64_t two_to_32 = std::int64_t{1} << 32U;

/// Tiles of the last wave and the one before it: each work-group then has at least one tile's
/// steps, so that no tile is cut between more than a few.
std::int64_t tiles_to_cut(std::int64_t tiles, std::int64_t groups) {
    if (tiles % groups == 0) {
        return 0;
    }
    return tiles - std::max<std::int64_t>(0, tiles / groups - 1) * groups;
}

} // namespace

std::int64_t StreamShares::reciprocal() const {
    return ceil_div(two_to_32, units_per_tile);
}

double StreamShares::tiles_per_group(std::int64_t steps) const {
    const auto dealt = static_cast<double>(share << static_cast<unsigned>(shift));
    return static_cast<double>(whole) / static_cast<double>(groups) +
           dealt / static_cast<double>(steps);
}

StreamShares share_stream(std::int64_t tiles, std::int64_t steps, std::int64_t most_groups,
                          bool deal_out) {
    // Fewer and a share is not worth its partial sums.
    constexpr std::int64_t least_steps = 8;
    StreamShares shares;
    shares.cut = deal_out && steps >= 2 * least_steps ? tiles_to_cut(tiles, most_groups) : 0;
    shares.whole = tiles - shares.cut;
    if (shares.cut == 0) {
        shares.groups = std::min(tiles, most_groups);
        return shares;
    }
    const auto units = [&] { return ceil_div(steps, std::int64_t{1} << shares.shift); };
    while (units() > (two_to_32 - 1) / shares.cut / units()) { // the kernel divides by multiplying
        ++shares.shift;
    }
    shares.units_per_tile = units();
    shares.share = std::max(ceil_div(shares.units(), most_groups),
                            ceil_div(least_steps, std::int64_t{1} << shares.shift));
    shares.groups = shares.whole > 0 ? most_groups : ceil_div(shares.units(), shares.share);
    return shares;
}

StreamShares share_stream(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch,
                          const catalog::TileShape& tile, std::int64_t most_groups, bool deal_out) {
    return share_stream(ceil_div(m, tile.m) * ceil_div(n, tile.n) * batch, ceil_div(k, tile.k),
                        most_groups, deal_out);
}

Fringe share_fringe(const MainWork& work, const StreamShares& shares,
                    const catalog::TileShape& tile, const tables::MachineModel& machine,
                    const DeviceTraits& device) {
    const std::int64_t lines =
        (work.m % tile.m > 0 ? work.n : 0) + (work.n % tile.n > 0 ? work.m : 0);
    const double bytes = sizeof(float) * static_cast<double>(lines) * static_cast<double>(work.k) *
                         static_cast<double>(work.batch);
    constexpr std::int64_t loads_at_once = 32; // FRINGE_LOADS of kernels/nvidia/fringe.clh
    const auto seconds = [&](std::int64_t groups) {
        const std::int64_t each = ceil_div(ceil_div(lines * work.batch, groups), tile.work_items());
        const double chain =
            machine.load_seconds * static_cast<double>(each * ceil_div(work.k, loads_at_once));
        // What one work-group reads is known where fused reductions were measured.
        const double all = machine.sum_bandwidth * static_cast<double>(groups);
        return all > 0 ? std::max(chain, bytes / all) : chain;
    };
    const std::int64_t busy = shares.cut == 0 ? shares.whole % shares.groups : 0;
    const double tile_seconds =
        2.0 * tile.m * tile.n * static_cast<double>(work.k) / unit_peak(machine, device);
    if (busy > 0 && seconds(shares.groups - busy) < tile_seconds) {
        return {busy, 0};
    }
    return {0, seconds(shares.groups)};
}

} // namespace libsgemm::planning
