// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace sgemm::tune {

/// The middle of a sample; 0 for an empty one.
double median(std::vector<double> values);

/// Distance of the quartiles over the median; 0 for fewer than two values.
double relative_spread(std::vector<double> values);

/// exp of the mean of the logarithms; 0 for none. All values are positive.
double geometric_mean(const std::vector<double>& values);

} // namespace sgemm::tune
