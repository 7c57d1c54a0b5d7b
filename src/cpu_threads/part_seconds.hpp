// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "context/core.hpp"
#include "sgemm/error.hpp"

#include <limits>

namespace libsgemm::detail {

/// What a part of a problem is predicted to take; for ever where it has no plan, as where the
/// options ask for a kernel that the part is too small for.
inline double part_seconds(const Core& core, const Problem& part) {
    try {
        return core.predicted_seconds(part);
    } catch (const UnsupportedError&) {
        return std::numeric_limits<double>::infinity();
    }
}

} // namespace libsgemm::detail
