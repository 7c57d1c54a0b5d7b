// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_catalog.hpp"
#include "catalog/parameters.hpp"
#include "plan/candidate.hpp"

#include <string>

namespace libsgemm::tune {

/// How a row of a table meets a problem: what the planner chooses beside kernel and parameters.
struct Treatment {
    planning::EdgeTreatment edges = planning::EdgeTreatment::padded;
    int split_k = 1;       ///< slices of k in one launch
    bool narrow = false;   ///< loads as narrow as alignment asks, not copies
    planning::Parts parts; ///< launches one after the other
    bool relay_a = false;  ///< A is copied even if it could be read in place
    bool relay_b = false;
    PrePassStyle pre_passes = PrePassStyle::fused;
    bool pack_a = false;        ///< work-groups copy their rows of A
    bool turn_b = false;        ///< a pass makes B k-major
    bool sum_in_launch = false; ///< slices are added by the last work-group of each tile

    bool operator==(const Treatment&) const = default;
};

/// One thing to measure: a kernel with all its parameters and a treatment.
struct Configuration {
    std::string kernel;
    catalog::Parameters parameters; ///< complete
    Treatment treatment;

    bool operator==(const Configuration&) const = default;
    /// "tiled (tile_m=64 ...), guarded, k in 4 slices"
    std::string to_string() const;
};

/// What the planner considers, as something to measure.
Configuration to_configuration(const planning::Candidate& candidate);

/// The reverse, with a model of no meaning. Throws ArgumentError for a kernel that is not there.
planning::Candidate to_candidate(const Configuration& configuration,
                                 const catalog::KernelCatalog& catalog);

} // namespace libsgemm::tune
