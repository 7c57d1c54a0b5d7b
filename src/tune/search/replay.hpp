// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tune/search/strategy.hpp"
#include "tune/worker/journal.hpp"

#include <span>
#include <string>
#include <vector>

namespace libsgemm::tune {

/// A space that has been measured completely: what an exhaustive search left in a journal.
struct RecordedSpace {
    const catalog::KernelEntry* kernel = nullptr;
    Shape shape;
    std::vector<Dimension> dimensions; ///< the values that occur
    std::map<Point, double> costs;     ///< infinity for failures
    double best = 0;

    /// The kernel's features, and as rule: was it recorded?
    Space space(const DeviceTraits& device) const;
};

/// The largest group of timing records with one kernel and one shape. Throws ConfigurationError if
/// there is none with more than a few points.
RecordedSpace recorded_space(std::span<const TrialRecord> records,
                             const catalog::KernelCatalog& catalog);

/// How one strategy did, over many seeds.
struct ReplayScore {
    std::string strategy;
    double median_trials = 0; ///< until a point within `within` of the best was measured
    double p90_trials = 0;
    double share = 0;     ///< median_trials over the size of the space
    double at_budget = 0; ///< median of best over best found, after 5 % of the space's trials
};

/// Runs every strategy on the record, without a device. `starts` of the searches are none: nothing
/// is known before.
std::vector<ReplayScore> replay(const RecordedSpace& recorded, const DeviceTraits& device,
                                int seeds, double within = 0.05);

} // namespace libsgemm::tune
