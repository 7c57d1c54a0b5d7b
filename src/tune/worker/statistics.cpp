// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace libsgemm::tune {
double quantile(std::vector<double> values, double share) {
    if (values.empty()) {
        return 0;
    }
    std::sort(values.begin(), values.end());
    const double position = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    const double weight = position - static_cast<double>(below);
    return values[below] * (1 - weight) + values[above] * weight;
}

double median(std::vector<double> values) {
    return quantile(std::move(values), 0.5);
}

double median_in_turn(const std::vector<double>& values, const std::vector<double>& other) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < std::min(values.size(), other.size()); ++i) {
        ratios.push_back(values[i] / other[i]);
    }
    return median(ratios) * median(other);
}

double relative_spread(const std::vector<double>& values) {
    const double middle = median(values);
    return values.size() > 1 && middle > 0
               ? (quantile(values, 0.75) - quantile(values, 0.25)) / middle
               : 0;
}

double geometric_mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) {
        sum += std::log(value);
    }
    return values.empty() ? 0 : std::exp(sum / static_cast<double>(values.size()));
}

} // namespace libsgemm::tune
