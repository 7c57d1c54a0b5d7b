// SPDX-License-Identifier: Apache-2.0
#include "tune/fit/least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace libsgemm::tune {
namespace {

/// A symmetric positive definite matrix in rows, and what is needed of it.
class Normal {
public:
    explicit Normal(std::size_t size) : size_(size), values_(size * size) {}

    double& at(std::size_t i, std::size_t j) { return values_[i * size_ + j]; }
    double at(std::size_t i, std::size_t j) const { return values_[i * size_ + j]; }

    /// x with (this + damping * its diagonal) x = b, by Cholesky's method; empty if it is not
    /// definite.
    std::vector<double> solve(std::vector<double> b, double damping) const {
        Normal factor = *this;
        for (std::size_t i = 0; i < size_; ++i) {
            factor.at(i, i) *= 1 + damping;
        }
        for (std::size_t j = 0; j < size_; ++j) {
            for (std::size_t i = j; i < size_; ++i) {
                double sum = factor.at(i, j);
                for (std::size_t k = 0; k < j; ++k) {
                    sum -= factor.at(i, k) * factor.at(j, k);
                }
                if (i == j && !(sum > 0)) {
                    return {};
                }
                factor.at(i, j) = i == j ? std::sqrt(sum) : sum / factor.at(j, j);
            }
        }
        for (std::size_t i = 0; i < size_; ++i) {
            for (std::size_t k = 0; k < i; ++k) {
                b[i] -= factor.at(i, k) * b[k];
            }
            b[i] /= factor.at(i, i);
        }
        for (std::size_t i = size_; i-- > 0;) {
            for (std::size_t k = i + 1; k < size_; ++k) {
                b[i] -= factor.at(k, i) * b[k];
            }
            b[i] /= factor.at(i, i);
        }
        return b;
    }

private:
    std::size_t size_;
    std::vector<double> values_;
};

class Minimiser {
public:
    Minimiser(const std::vector<Unknown>& unknowns, const Residuals& residuals)
        : unknowns_(unknowns), residuals_(residuals) {
        for (const Unknown& unknown : unknowns_) {
            best_.point.push_back(std::clamp(unknown.start, unknown.least, unknown.most));
        }
        best_.loss = loss_at(best_.point, values_);
    }

    LeastSquares run(int most_steps) {
        double damping = 1e-2;
        for (int step = 0; step < most_steps && damping < 1e8; ++step) {
            linearise();
            double gain = 0;
            while (damping < 1e8 && !(gain > 0)) {
                gain = attempt(damping);
                damping *= gain > 0 ? 0.3 : 5;
            }
            if (gain < 1e-5 * best_.loss) {
                break;
            }
        }
        return best_;
    }

private:
    double pull(std::size_t i, double value) const {
        return (value - unknowns_[i].expected) / unknowns_[i].uncertainty;
    }

    double loss_at(const std::vector<double>& point, std::vector<double>& values) const {
        residuals_(point, values);
        double loss = 0;
        for (const double value : values) {
            loss += robust_loss(value);
        }
        for (std::size_t i = 0; i < point.size(); ++i) {
            loss += pull(i, point[i]) * pull(i, point[i]);
        }
        return loss;
    }

    /// Normal equations at the best point, each residual weighed by how far it is out.
    void linearise() {
        const std::size_t size = unknowns_.size();
        std::vector<std::vector<double>> columns(size);
        for (std::size_t j = 0; j < size; ++j) {
            std::vector<double> point = best_.point;
            const double step =
                point[j] + difference <= unknowns_[j].most ? difference : -difference;
            point[j] += step;
            residuals_(point, columns[j]);
            for (std::size_t r = 0; r < values_.size(); ++r) {
                columns[j][r] = (columns[j][r] - values_[r]) / step;
            }
        }
        normal_ = Normal(size);
        gradient_.assign(size, 0);
        for (std::size_t r = 0; r < values_.size(); ++r) {
            const double weight = 1 / (1 + values_[r] * values_[r]);
            for (std::size_t i = 0; i < size; ++i) {
                gradient_[i] -= weight * columns[i][r] * values_[r];
                for (std::size_t j = 0; j <= i; ++j) {
                    normal_.at(i, j) += weight * columns[i][r] * columns[j][r];
                }
            }
        }
        for (std::size_t i = 0; i < size; ++i) {
            const double u = unknowns_[i].uncertainty;
            normal_.at(i, i) += 1 / (u * u);
            gradient_[i] -= pull(i, best_.point[i]) / u;
        }
    }

    /// Moves if that is better; returns how much the loss fell.
    double attempt(double damping) {
        const std::vector<double> move = normal_.solve(gradient_, damping);
        if (move.empty()) {
            return 0;
        }
        std::vector<double> point = best_.point;
        for (std::size_t i = 0; i < point.size(); ++i) {
            point[i] = std::clamp(point[i] + std::clamp(move[i], -1.0, 1.0), unknowns_[i].least,
                                  unknowns_[i].most);
        }
        std::vector<double> values;
        const double loss = loss_at(point, values);
        const double gain = best_.loss - loss;
        if (gain > 0) {
            best_ = {std::move(point), loss};
            values_ = std::move(values);
        }
        return gain;
    }

    static constexpr double difference = 1e-3;

    const std::vector<Unknown>& unknowns_;
    const Residuals& residuals_;
    LeastSquares best_;
    std::vector<double> values_; ///< residuals at the best point
    Normal normal_{0};
    std::vector<double> gradient_;
};

} // namespace

double robust_loss(double residual) {
    return std::log1p(residual * residual);
}

LeastSquares minimise(const std::vector<Unknown>& unknowns, const Residuals& residuals,
                      int most_steps) {
    return Minimiser(unknowns, residuals).run(most_steps);
}

} // namespace libsgemm::tune
