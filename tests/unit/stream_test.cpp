// SPDX-License-Identifier: Apache-2.0
// Persistent work-groups do all steps of all tiles once, as kernels/nvidia/tile_list.clh has them
// share.
#include "plan/family/persistent/stream.hpp"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <vector>

namespace libsgemm::planning {
namespace {

/// Steps [first, last) of a tile, as a work-group takes them; its slot where it leaves partial
/// sums.
struct Part {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::int64_t slot = -1;
};

/// What kernels/nvidia/persistent.cl does, in its own arithmetic of 32 bits.
std::map<std::uint32_t, std::vector<Part>> work_of_all(const StreamShares& shares,
                                                       std::uint32_t all_steps) {
    std::map<std::uint32_t, std::vector<Part>> parts;
    const auto units = static_cast<std::uint32_t>(shares.units());
    const auto share = static_cast<std::uint32_t>(shares.share);
    const auto per_tile = static_cast<std::uint32_t>(shares.units_per_tile);
    const auto reciprocal = static_cast<std::uint32_t>(shares.reciprocal());
    for (std::uint32_t group = 0; group < shares.groups; ++group) {
        for (auto tile = group; tile < shares.whole;
             tile += static_cast<std::uint32_t>(shares.groups)) {
            parts[tile].push_back({0, all_steps, -1});
        }
        std::uint32_t unit = std::min(group * share, units);
        const std::uint32_t begin = unit;
        const std::uint32_t end = std::min(unit + share, units);
        while (unit < end) {
            const auto q = static_cast<std::uint32_t>(std::uint64_t{unit} * reciprocal >> 32U);
            const std::uint32_t in_tile = unit - q * per_tile;
            const std::uint32_t taken = std::min(end - unit, per_tile - in_tile);
            Part part{in_tile << shares.shift,
                      std::min((in_tile + taken) << shares.shift, all_steps), -1};
            if (part.first != 0 || part.last != all_steps) {
                part.slot = 2 * std::int64_t{group} + (unit == begin ? 0 : 1);
            }
            parts[static_cast<std::uint32_t>(shares.whole) + q].push_back(part);
            unit += taken;
        }
    }
    return parts;
}

/// The slots that kernels/nvidia/gather.cl adds for the q-th cut tile; none: its work-group stored
/// it.
std::vector<std::int64_t> gathered(const StreamShares& shares, std::int64_t q) {
    const std::int64_t begin = q * shares.units_per_tile;
    const std::int64_t first = begin / shares.share;
    const std::int64_t last = (begin + shares.units_per_tile - 1) / shares.share;
    std::vector<std::int64_t> slots;
    for (std::int64_t group = first; first != last && group <= last; ++group) {
        slots.push_back(2 * group + (group * shares.share >= begin ? 0 : 1));
    }
    return slots;
}

void expect_complete(std::int64_t tiles, std::int64_t steps, std::int64_t groups, bool deal_out) {
    SCOPED_TRACE(::testing::Message() << tiles << " tiles of " << steps << " steps, " << groups
                                      << " groups, deal out: " << deal_out);
    const StreamShares shares = share_stream(tiles, steps, groups, deal_out);
    EXPECT_LE(shares.groups, groups);
    EXPECT_EQ(shares.whole + shares.cut, tiles);
    const auto parts = work_of_all(shares, static_cast<std::uint32_t>(steps));
    ASSERT_EQ(parts.size(), static_cast<std::size_t>(tiles));
    std::set<std::int64_t> used;
    for (const auto& [tile, of_tile] : parts) {
        std::uint32_t next = 0;
        std::vector<std::int64_t> slots;
        for (const Part& part : of_tile) { // in the order of the work-groups: ascending in k
            ASSERT_EQ(part.first, next);
            ASSERT_GT(part.last, part.first);
            next = part.last;
            if (part.slot >= 0) {
                ASSERT_TRUE(used.insert(part.slot).second) << "two tiles share a slot";
                slots.push_back(part.slot);
            }
        }
        ASSERT_EQ(next, steps);
        if (tile >= shares.whole) {
            ASSERT_EQ(gathered(shares, tile - shares.whole), slots);
        } else {
            ASSERT_TRUE(slots.empty());
        }
    }
}

TEST(ShareStream, DoesEveryStepOfEveryTileOnce) {
    for (const std::int64_t groups : {1, 2, 3, 7, 132}) {
        for (const std::int64_t tiles : {1, 2, 5, 8, 131, 132, 133, 200, 263, 264, 265, 500}) {
            for (const std::int64_t steps : {1, 2, 15, 16, 17, 33, 128, 1000}) {
                expect_complete(tiles, steps, groups, false);
                expect_complete(tiles, steps, groups, true);
            }
        }
    }
}

TEST(ShareStream, DividesByMultiplyingHoweverDeepTheTiles) {
    for (const std::int64_t steps : {4096, 8191, 65536, 100'003, 16'777'216}) {
        expect_complete(1, steps, 132, true);
        expect_complete(131, steps, 132, true);
        expect_complete(397, steps, 132, true);
    }
    EXPECT_GT(share_stream(131, 16'777'216, 132, true).shift, 0);
}

TEST(ShareStream, CutsNothingWhereWavesAreComplete) {
    EXPECT_EQ(share_stream(264, 100, 132, true).cut, 0);
    EXPECT_EQ(share_stream(264, 100, 132, true).groups, 132);
    EXPECT_EQ(share_stream(50, 100, 132, false).groups, 50);
    EXPECT_EQ(share_stream(50, 3, 132, true).cut, 0) << "too few steps to share";
}

TEST(ShareStream, FewTilesEmployAllWorkGroups) {
    const StreamShares shares = share_stream(32, 128, 132, true);
    EXPECT_EQ(shares.cut, 32);
    EXPECT_EQ(shares.groups, 128); // 32 steps each: no more than 4 to a tile
    EXPECT_EQ(share_stream(1, 4224, 132, true).groups, 132);
}

} // namespace
} // namespace libsgemm::planning
