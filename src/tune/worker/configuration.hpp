// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_catalog.hpp"
#include "catalog/parameters.hpp"
#include "plan/candidate.hpp"

#include <string>

namespace libsgemm::tune {

using catalog::Variant;

/// One thing to measure: a kernel with all its parameters, and a variant.
using Configuration = catalog::PlanKey;

/// What the planner would consider, with a model of no meaning. Throws ArgumentError for a kernel
/// that is not there.
planning::Candidate to_candidate(const Configuration& configuration,
                                 const catalog::KernelCatalog& catalog);

} // namespace libsgemm::tune
