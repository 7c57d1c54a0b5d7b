// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tune/search/tuner.hpp"

#include <string>
#include <vector>

namespace libsgemm::tune {

/// A bar for each shape as an SVG picture: how many times as fast as before. The title gives the
/// geometric mean.
std::string speedup_svg(const std::vector<ShapeOutcome>& shapes, const std::string& device);

} // namespace libsgemm::tune
