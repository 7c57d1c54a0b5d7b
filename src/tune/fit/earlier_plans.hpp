// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/variant.hpp"

#include <string>

namespace libsgemm::tune {

/// The plan that a measurement run of an earlier version names by a text, as "tiled (tile_m=64
/// ...), guarded, k in 4 slices". What is no such text, or of a kernel that is gone, becomes a
/// plan that no table has, of a kernel with the text as its name.
catalog::PlanKey plan_of_earlier_text(const std::string& text);

} // namespace libsgemm::tune
