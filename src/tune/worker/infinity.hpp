// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

namespace libsgemm::tune {

/// Time or cost of what cannot run, or has not yet.
inline constexpr double infinity = std::numeric_limits<double>::infinity();

} // namespace libsgemm::tune
