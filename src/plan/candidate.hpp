// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_entry.hpp"
#include "tables/device_table.hpp"

#include <cstdint>
#include <string>

namespace libsgemm::planning {

using catalog::Parts;
using catalog::Variant;

/// One thing to consider: a kernel with all its parameters and how its needs are met.
struct Candidate {
    const catalog::KernelEntry* kernel = nullptr;
    catalog::Parameters parameters;
    tables::KernelModel model;
    int row = -1; ///< of the table; negative: in none
    Variant variant;

    /// "tiled (tile_m=64 ...), guarded, split-K 4"
    std::string to_string() const;
};

/// PlanValue::bound_terms of the candidate's plans.
double bound_terms(const Candidate& candidate, std::int64_t k);

} // namespace libsgemm::planning
