// SPDX-License-Identifier: Apache-2.0
//
// What threads that wake up late cost a launch. The numbers here belong to the method, an average
// over three cases and a slope that keeps times in order; how late threads are, a table says.
#pragma once

#include <algorithm>
#include <array>

namespace libsgemm::planning {

/// The average of of_latency(seconds) over how late the threads are that a launch wakes: a third of
/// the median `wake`, once and five thirds of it, as launches scatter (ADR 31).
template <class OfLatency>
double average_over_wake_latency(double wake, const OfLatency& of_latency) {
    if (wake == 0) {
        return of_latency(0.0);
    }
    constexpr std::array shares{1.0 / 3, 1.0, 5.0 / 3};
    double sum = 0;
    for (const double share : shares) {
        sum += of_latency(share * wake);
    }
    return sum / shares.size();
}

/// When all units end if the first helps the others, which begin late, with what they have not
/// begun.
inline double evened_out(double alone, double late, double units) {
    return (alone + (units - 1) * late) / units;
}

/// The time of a launch less what any launch with much to do loses by threads that begin late:
/// models are fitted with that in them. Where the first unit has done it all (in `alone`) before
/// the others begin, nothing was lost, and nothing is taken off; in between so much that more work
/// never takes less time.
inline double without_common_loss(double seconds, double alone, double late, double units) {
    // Even work-groups take so much longer for more work, as a share of what they would on units
    // that are awake.
    constexpr double slope = 0.5;
    const double common = late * (units - 1) / units;
    const double grown = slope * std::max(0.0, alone - late) / units;
    return seconds - std::min({common, grown, alone - seconds});
}

/// Seconds by which a launch of many even work-groups takes longer, so reckoned, than on units that
/// are awake: none where there is much to do.
inline double extra_of_late_units(double alone, double units, double wake) {
    return average_over_wake_latency(wake, [&](double late) {
        const double seconds = std::min(alone, evened_out(alone, late, units));
        return without_common_loss(seconds, alone, late, units) - alone / units;
    });
}

} // namespace libsgemm::planning
