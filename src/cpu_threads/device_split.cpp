// SPDX-License-Identifier: Apache-2.0
#include "cpu_threads/device_split.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

namespace libsgemm::detail {
namespace {

constexpr std::int64_t most_parts = 16;

/// Ends of the pieces that are given out, the extent last.
std::vector<std::int64_t> piece_ends(const Cuts& cuts) {
    std::vector<std::int64_t> ends;
    for (std::int64_t i = 1; i < most_parts; ++i) {
        // Two factors, so that nothing overflows.
        const std::int64_t wanted =
            cuts.extent / most_parts * i + cuts.extent % most_parts * i / most_parts;
        if (wanted < cuts.first) {
            continue;
        }
        const std::int64_t end = cuts.first + (wanted - cuts.first) / cuts.step * cuts.step;
        if (end > 0 && end < cuts.extent && (ends.empty() || end > ends.back())) {
            ends.push_back(end);
        }
    }
    ends.push_back(cuts.extent);
    return ends;
}

} // namespace

Cuts aligned_cuts(std::int64_t extent, std::int64_t distance, std::int64_t offset,
                  std::int64_t alignment) {
    Cuts cuts{extent, std::numeric_limits<std::int64_t>::max(), 1};
    cuts.step = alignment / std::gcd(distance, alignment);
    for (std::int64_t i = 1; i <= cuts.step; ++i) { // at most `alignment` candidates
        if ((offset % alignment + distance % alignment * i) % alignment == 0) {
            cuts.first = i;
            break;
        }
    }
    return cuts;
}

std::vector<std::int64_t> split_among(std::size_t devices, const Cuts& cuts,
                                      const PartSeconds& seconds, double sharing_seconds) {
    const std::vector<std::int64_t> ends = piece_ends(cuts);
    const std::size_t pieces = ends.size();
    const auto begin = [&](std::size_t piece) { return piece == 0 ? 0 : ends[piece - 1]; };
    std::map<std::pair<std::size_t, std::int64_t>, double> known;
    const auto seconds_of = [&](std::size_t device, std::int64_t units) {
        if (units == 0) {
            return 0.0;
        }
        const auto [position, is_new] = known.try_emplace({device, units});
        if (is_new) {
            position->second = seconds(device, units);
        }
        return position->second;
    };

    // best[d][p]: when the slowest of the first d devices ends that share the first p pieces.
    constexpr double never = std::numeric_limits<double>::infinity();
    std::vector<std::vector<double>> best(devices + 1, std::vector<double>(pieces + 1, never));
    std::vector<std::vector<std::size_t>> from(devices + 1, std::vector<std::size_t>(pieces + 1));
    best[0][0] = 0;
    for (std::size_t d = 1; d <= devices; ++d) {
        for (std::size_t p = 0; p <= pieces; ++p) {
            for (std::size_t q = 0; q <= p; ++q) {
                if (best[d - 1][q] == never) {
                    continue;
                }
                const double end = std::max(best[d - 1][q], seconds_of(d - 1, begin(p) - begin(q)));
                if (end < best[d][p]) {
                    best[d][p] = end;
                    from[d][p] = q;
                }
            }
        }
    }
    std::vector<std::int64_t> units(devices);
    std::size_t alone = 0;
    for (std::size_t d = 1; d < devices; ++d) {
        alone = seconds_of(d, cuts.extent) < seconds_of(alone, cuts.extent) ? d : alone;
    }
    if (seconds_of(alone, cuts.extent) <= best[devices][pieces] + sharing_seconds) {
        units[alone] = cuts.extent;
        return units;
    }
    std::size_t p = pieces;
    for (std::size_t d = devices; d > 0; --d) {
        units[d - 1] = begin(p) - begin(from[d][p]);
        p = from[d][p];
    }
    return units;
}

} // namespace libsgemm::detail
