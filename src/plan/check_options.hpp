// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_catalog.hpp"
#include "sgemm/expert.hpp"

namespace libsgemm::planning {

/// What can be wrong with options whatever they are used for: enumerators, ranges, names that the
/// catalogue does not have. Throws ArgumentError.
void check_options(const ExpertPlanOptions& options, const catalog::KernelCatalog& catalog);

/// Whether options leave everything that matters to the planner.
bool is_open(const ExpertPlanOptions& options);

} // namespace libsgemm::planning
