// SPDX-License-Identifier: Apache-2.0
#include "tune/search/strategies/gaussian_process.hpp"

#include "tune/worker/infinity.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace libsgemm::tune {
namespace {

/// Variance of a measurement, in units of the values' variance.
constexpr double noise = 0.01;

double distance(const Features& x, const Features& y) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    }
    return std::sqrt(sum);
}

/// x := factor^-1 * x for a lower triangle stored by rows.
void solve_lower(const std::vector<double>& factor, std::vector<double>& x) {
    const std::size_t n = x.size();
    for (std::size_t i = 0; i < n; ++i) {
        const double* row = factor.data() + i * n;
        x[i] = (x[i] - std::inner_product(row, row + i, x.begin(), 0.0)) / row[i];
    }
}

/// x := factor^-T * x
void solve_upper(const std::vector<double>& factor, std::vector<double>& x) {
    const std::size_t n = x.size();
    for (std::size_t i = n; i-- > 0;) {
        x[i] /= factor[i * n + i];
        for (std::size_t j = 0; j < i; ++j) {
            x[j] -= factor[i * n + j] * x[i];
        }
    }
}

double covariance(const Features& x, const Features& y, double length) {
    const double r = std::sqrt(5.0) * distance(x, y) / length;
    return (1 + r + r * r / 3) * std::exp(-r);
}

} // namespace

/// Returns the logarithm of the likelihood, without constants.
double GaussianProcess::factorize(double length) {
    const std::size_t n = points_.size();
    factor_.assign(n * n, 0);
    double log_determinant = 0;
    for (std::size_t i = 0; i < n; ++i) {
        double* row = factor_.data() + i * n;
        for (std::size_t j = 0; j <= i; ++j) {
            const double* other = factor_.data() + j * n;
            const double rest = covariance(points_[i], points_[j], length) + (i == j ? noise : 0) -
                                std::inner_product(row, row + j, other, 0.0);
            row[j] = i == j ? std::sqrt(std::max(rest, 1e-12)) : rest / other[j];
        }
        log_determinant += std::log(row[i]);
    }
    weights_ = values_;
    solve_lower(factor_, weights_);
    const double fit =
        std::inner_product(weights_.begin(), weights_.end(), weights_.begin(), 0.0) / 2;
    solve_upper(factor_, weights_);
    length_ = length;
    return -fit - log_determinant;
}

void GaussianProcess::fit(const std::vector<Features>& points, const std::vector<double>& values) {
    points_ = points;
    values_ = values;
    constexpr std::size_t refit_every = 10;
    if (length_ > 0 && points.size() < fitted_at_ + refit_every) {
        factorize(length_);
        return;
    }
    fitted_at_ = points.size();
    double best = -infinity;
    double best_length = 1;
    for (const double length : {1.0, 2.0, 4.0, 8.0, 16.0}) {
        const double likelihood = factorize(length);
        if (likelihood > best) {
            best = likelihood;
            best_length = length;
        }
    }
    factorize(best_length);
}

GaussianProcess::Prediction GaussianProcess::predict(const Features& point) const {
    std::vector<double> column(points_.size());
    std::transform(points_.begin(), points_.end(), column.begin(),
                   [&](const Features& other) { return covariance(point, other, length_); });
    Prediction prediction;
    prediction.mean = std::inner_product(column.begin(), column.end(), weights_.begin(), 0.0);
    solve_lower(factor_, column);
    const double known = std::inner_product(column.begin(), column.end(), column.begin(), 0.0);
    prediction.deviation = std::sqrt(std::max(1e-9, 1 - known));
    return prediction;
}

double expected_improvement(const GaussianProcess::Prediction& prediction, double best) {
    const double z = (best - prediction.mean) / prediction.deviation;
    const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
    const double below = std::erfc(-z / std::numbers::sqrt2) / 2;
    return prediction.deviation * (z * below + density);
}

} // namespace libsgemm::tune
