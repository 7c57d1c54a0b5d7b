// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace libsgemm::tune {

/// What a share of a sample is below, interpolated between neighbours; 0 for an empty one.
double quantile(std::vector<double> values, double share);

/// The middle of a sample; 0 for an empty one.
double median(std::vector<double> values);

/// The median of a sample whose values were taken alternately with those of `other`, but which may
/// have ended earlier: that of their ratios, times the median of `other`. What slowed both for a
/// while counts for neither. Values are positive.
double median_in_turn(const std::vector<double>& values, const std::vector<double>& other);

/// Distance of the quartiles over the median; 0 for fewer than two values.
double relative_spread(const std::vector<double>& values);

/// exp of the mean of the logarithms; 0 for none. All values are positive.
double geometric_mean(const std::vector<double>& values);

} // namespace libsgemm::tune
