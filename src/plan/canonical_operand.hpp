// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace libsgemm::planning {

/// Which operand of the canonical problem.
enum class CanonicalOperand : std::uint8_t { a, b };

} // namespace libsgemm::planning
