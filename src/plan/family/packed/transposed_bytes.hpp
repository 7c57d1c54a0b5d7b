// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace libsgemm::planning {

/// Most bytes of B that a plan transposes at once; a larger product is computed in several
/// launches. Whatever fits would do for the result: what stays in the last-level cache until it is
/// used makes transposing cheap.
constexpr std::int64_t most_transposed_bytes = std::int64_t{32} << 20U;

/// Most bytes that it transposes at once where more of them make a part of k deeper than one block:
/// what two cores' caches kept (docs/internals/experiments.md).
constexpr std::int64_t usual_transposed_bytes = std::int64_t{8} << 20U;

} // namespace libsgemm::planning
