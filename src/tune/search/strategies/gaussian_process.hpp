// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace libsgemm::tune {

using Features = std::vector<double>;

/// Regression by a Gaussian process with a Matern 5/2 kernel of one length. Dense: for hundreds of
/// points, not for thousands.
class GaussianProcess {
public:
    /// Fits to values that have been scaled to mean 0 and variance 1; the length is the likeliest
    /// of a few, searched anew now and then.
    void fit(const std::vector<Features>& points, const std::vector<double>& values);

    struct Prediction {
        double mean = 0;
        double deviation = 1;
    };
    Prediction predict(const Features& point) const;

private:
    double factorize(double length);

    std::vector<Features> points_;
    std::vector<double> values_;
    std::vector<double> factor_;  ///< lower triangle of the covariance's Cholesky factor, by rows
    std::vector<double> weights_; ///< covariance^-1 * values
    double length_ = 0;
    std::size_t fitted_at_ = 0;
};

/// Mean of how far a normally distributed value falls below `best`; 0 where it never does.
double expected_improvement(const GaussianProcess::Prediction& prediction, double best);

} // namespace libsgemm::tune
