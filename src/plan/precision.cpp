// SPDX-License-Identifier: Apache-2.0
#include "plan/precision.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace libsgemm::planning {
namespace {

constexpr std::array<std::string_view, 6> names{"automatic", "emulated", "fp16x2",
                                                "tf32x3",    "bf16x3",   "strict"};
static_assert(static_cast<std::size_t>(Precision::strict) + 1 == names.size());

} // namespace

std::string_view precision_name(Precision precision) {
    return names[static_cast<std::size_t>(precision)];
}

std::optional<Precision> parse_precision(std::string_view name) {
    const auto* found = std::find(names.begin(), names.end(), name);
    if (found == names.end() || found == names.begin()) {
        return std::nullopt;
    }
    return static_cast<Precision>(found - names.begin());
}

} // namespace libsgemm::planning
