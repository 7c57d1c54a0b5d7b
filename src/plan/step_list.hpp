// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/passes.hpp"
#include "plan/plan_value.hpp"
#include "support/checked.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace libsgemm::planning {

/// The steps and the workspace of a plan that is being built.
class StepList {
public:
    /// Appends a step that runs after the given ones (negative indices stand for none); returns its
    /// index.
    int add(Step step, std::initializer_list<int> after) {
        for (const int index : after) {
            if (index >= 0) {
                step.after.push_back(index);
            }
        }
        steps_.push_back(std::move(step));
        return static_cast<int>(steps_.size()) - 1;
    }

    /// A region for `batch` column-major blocks, each column aligned; remembers an overflow.
    Place reserve(Extent extent, int alignment, std::int64_t batch) {
        constexpr std::int64_t region_alignment = 64; // elements: 256 bytes
        const support::Count ld = support::checked_round_up(extent.rows, alignment);
        const support::Count stride = support::checked_multiply(ld, extent.columns);
        const support::Count begin = elements_;
        elements_ = support::checked_add(
            elements_,
            support::checked_round_up(support::checked_multiply(stride, batch), region_alignment));
        return elements_ ? workspace_place(*begin, *ld, batch > 1 ? *stride : 0) : Place{};
    }

    /// Size of the workspace; empty after an overflow.
    support::Count bytes() const {
        return support::checked_multiply(elements_, static_cast<std::int64_t>(sizeof(float)));
    }

    std::size_t size() const { return steps_.size(); }
    std::vector<Step> take() { return std::move(steps_); }

private:
    std::vector<Step> steps_;
    support::Count elements_ = 0;
};

} // namespace libsgemm::planning
