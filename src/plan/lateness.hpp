// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

namespace sgemm::planning {

/// How late threads are that a launch wakes, as shares of the table's wake_us: launches scatter (ADR 10).
inline constexpr std::array lateness_shares{1.0 / 3, 1.0, 5.0 / 3};

/// What remains of a launch's time less what one loses whose work-groups even out. Every launch that a problem could be
/// computed with loses that, and models are fitted with it in `launch_us` and `call_us`. One that the first unit has done
/// before the others begin loses nothing. `alone`: the time of one unit for all of it.
inline double less_what_all_lose(double seconds, double alone, double late, double units) {
    return seconds - std::min(late * (units - 1) / units, alone - seconds);
}

/// Seconds by which a launch of many even work-groups is longer, so reckoned, than on units that are awake: none, but where
/// there is so little to do that the first unit has done most of it before the others begin.
inline double lateness_of_little(double alone, double units, double wake) {
    double sum = 0;
    for (const double share : lateness_shares) {
        const double late = share * wake;
        const double evened_out = std::min(alone, (alone + (units - 1) * late) / units);
        sum += less_what_all_lose(evened_out, alone, late, units) - alone / units;
    }
    return sum / lateness_shares.size();
}

} // namespace sgemm::planning
