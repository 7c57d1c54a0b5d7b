// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tables/coefficients.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace libsgemm::tune {

/// The longest that a fit takes beginning a work-group of a CPU for, in microseconds. Two EPYC
/// cores with threads awake: 0.02 to 0.3.
constexpr double most_group_us_of_cpu = 1;

/// Those that a fit moves.
template <class Model>
std::vector<tables::Coefficient<Model>>
fitted(std::span<const tables::Coefficient<Model>> coefficients) {
    std::vector<tables::Coefficient<Model>> some;
    std::ranges::copy_if(coefficients, std::back_inserter(some),
                         [](const auto& c) { return c.prior.has_value(); });
    return some;
}

/// What is expected of a row's model where nothing better is known: its own values, or typical
/// ones.
tables::KernelModel typical_model(const tables::KernelModel& row);

/// What a fitted table says of a row; what it leaves open is typical.
tables::KernelModel given_model(const tables::KernelModel& row);

} // namespace libsgemm::tune
