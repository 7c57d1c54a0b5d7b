// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

namespace libsgemm::tune {

/// One unknown: where to begin, and what is known of it beforehand.
struct Unknown {
    double start = 0;
    double least = 0;
    double most = 0;
    double expected = 0;    ///< pulled towards this ...
    double uncertainty = 1; ///< ... as if it had been measured once with this error
};

/// Residuals at a point; as many at every point.
using Residuals = std::function<void(const std::vector<double>& point, std::vector<double>& out)>;

struct LeastSquares {
    std::vector<double> point;
    double loss = 0; ///< the sum of what robust_loss() makes of the residuals, and of the pulls
};

/// Grows like the square up to a residual of one, and then ever more slowly: outliers do not
/// decide.
double robust_loss(double residual);

/// Minimises the robust loss of residuals by Levenberg and Marquardt's method with differences for
/// derivatives, within bounds.
LeastSquares minimise(const std::vector<Unknown>& unknowns, const Residuals& residuals,
                      int most_steps = 60);

} // namespace libsgemm::tune
