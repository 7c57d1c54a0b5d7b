// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tune/search/tuner.hpp"

#include <string>
#include <vector>

namespace libsgemm::tune {

/// The best-so-far curve as an SVG picture: time to the right, speed-up over the table before
/// upwards.
std::string curve_svg(const std::vector<CurvePoint>& curve, double seconds,
                      const std::string& title);

} // namespace libsgemm::tune
