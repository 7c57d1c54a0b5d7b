// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/problem.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace libsgemm::planning {

/// "strict", "emulated", "fp16x2", "tf32x3", "bf16x3"; "automatic".
std::string_view precision_name(Precision precision);

/// The inverse; nothing for other names, "automatic" among them.
std::optional<Precision> parse_precision(std::string_view name);

/// PlanValue::bound_terms of a product by `strict`: k products and sums, the two scalings, the last
/// sum, and one for what is of second order.
inline double strict_bound_terms(std::int64_t k) {
    return static_cast<double>(k) + 4;
}

} // namespace libsgemm::planning
