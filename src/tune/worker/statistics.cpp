// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace libsgemm::tune {
namespace {

/// Of sorted values, interpolated.
double quantile_of_sorted(const std::vector<double>& sorted, double share) {
    const double position = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    const double weight = position - static_cast<double>(below);
    return sorted[below] * (1 - weight) + sorted[above] * weight;
}

} // namespace

double median(std::vector<double> values) {
    if (values.empty()) {
        return 0;
    }
    std::sort(values.begin(), values.end());
    return quantile_of_sorted(values, 0.5);
}

double median_in_turn(const std::vector<double>& values, const std::vector<double>& other) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < std::min(values.size(), other.size()); ++i) {
        ratios.push_back(values[i] / other[i]);
    }
    return median(ratios) * median(other);
}

double relative_spread(std::vector<double> values) {
    if (values.size() < 2) {
        return 0;
    }
    std::sort(values.begin(), values.end());
    const double middle = quantile_of_sorted(values, 0.5);
    return middle > 0
               ? (quantile_of_sorted(values, 0.75) - quantile_of_sorted(values, 0.25)) / middle
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
