// SPDX-License-Identifier: Apache-2.0
#include "tune/fit/expected_loss.hpp"

#include "tune/worker/infinity.hpp"

#include <algorithm>
#include <cmath>

namespace libsgemm::tune {

ExpectedLoss::ExpectedLoss(const PlansByRow& plans)
    : plans_(plans), shapes_of_(plans.size()), predicted_(plans.size()) {
    for (std::size_t row = 0; row < plans.size(); ++row) {
        for (std::size_t i = 0; i < plans[row].size(); ++i) {
            const std::size_t shape = plans[row][i].shape;
            by_shape_[shape].emplace_back(row, i);
            if (shapes_of_[row].empty() || shapes_of_[row].back() != shape) {
                shapes_of_[row].push_back(shape);
            }
        }
    }
}

void ExpectedLoss::predict(std::size_t row, std::vector<double> log_seconds) {
    predicted_[row] = std::move(log_seconds);
}

/// Of plans predicted nearly equal any may come first, so each counts by how near it is.
double ExpectedLoss::of(const ShapePlans& plans) const {
    constexpr double near = 0.05; // logarithmic
    double least = infinity;
    for (const auto& [row, index] : plans) {
        least = std::min(least, predicted_[row][index]);
    }
    double sum = 0;
    double weights = 0;
    for (const auto& [row, index] : plans) {
        const double weight = std::exp((least - predicted_[row][index]) / near);
        weights += weight;
        sum += weight * std::min(1.0, std::log(plans_[row][index].ratio));
    }
    return sum / weights;
}

double ExpectedLoss::of_all_shapes() const {
    double sum = 0;
    for (const auto& [shape, plans] : by_shape_) {
        sum += of(plans);
    }
    return sum;
}

double ExpectedLoss::of_shapes_with(std::size_t row) const {
    double sum = 0;
    for (const std::size_t shape : shapes_of_[row]) {
        sum += of(by_shape_.at(shape));
    }
    return sum;
}

} // namespace libsgemm::tune
