// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/checked.hpp"

#include <cstdint>

namespace sgemm::planning {

/// Lays regions one behind the other in a call's workspace, in elements.
class WorkspaceLayout {
public:
    /// Offset of a new region, aligned for any vector access; empty if the size overflows.
    support::Count reserve(support::Count elements) {
        constexpr std::int64_t alignment = 64; // elements: 256 bytes
        const support::Count begin = size_;
        size_ = support::checked_add(size_, support::checked_round_up(elements, alignment));
        return size_ ? begin : std::nullopt;
    }

    support::Count bytes() const {
        return support::checked_multiply(size_, static_cast<std::int64_t>(sizeof(float)));
    }

private:
    support::Count size_ = 0;
};

} // namespace sgemm::planning
