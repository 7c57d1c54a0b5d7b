// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/case.hpp"

#include <rapidcheck.h>
#include <string>
#include <vector>

namespace sgemm_test {

/// Random cases: any form, sizes up to about 130, gaps, offsets, scalars and small batches; run by
/// one of `kernels`, where "" leaves the choice to the planner. Shrinks towards a tiny plain case.
rc::Gen<Case> arbitrary_case(const std::vector<std::string>& kernels);

/// The same with random ways to meet edges, to split and to divide the work, and to repack
/// operands. Not every kernel can have every one of them.
rc::Gen<Case> arbitrary_variant(const std::vector<std::string>& kernels);

} // namespace sgemm_test
