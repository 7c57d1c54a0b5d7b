// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tune/fit/observations.hpp"

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace libsgemm::tune {

/// Measured plans by the row of the table that they are of.
using PlansByRow = std::vector<std::vector<Observation>>;

/// What a planner is expected to lose on the shapes of `plans`, going by predicted times: smooth in
/// these, unlike its regret. Keeps a reference to `plans`.
class ExpectedLoss {
public:
    explicit ExpectedLoss(const PlansByRow& plans);
    explicit ExpectedLoss(PlansByRow&& plans) = delete; // it keeps a reference

    /// Logarithms of the predicted times of a row's plans, in their order; needed of each row
    /// before anything is asked.
    void predict(std::size_t row, std::vector<double> log_seconds);
    const std::vector<double>& predicted(std::size_t row) const { return predicted_[row]; }

    double of_all_shapes() const;
    double of_shapes_with(std::size_t row) const;

private:
    /// Row, and index within the row.
    using ShapePlans = std::vector<std::pair<std::size_t, std::size_t>>;
    double of(const ShapePlans& plans) const;

    const PlansByRow& plans_;
    std::map<std::size_t, ShapePlans> by_shape_;
    std::vector<std::vector<std::size_t>> shapes_of_; ///< that a row was measured on
    std::vector<std::vector<double>> predicted_;
};

} // namespace libsgemm::tune
