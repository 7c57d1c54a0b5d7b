// SPDX-License-Identifier: Apache-2.0
//
// Parameters of kernels for NVIDIA's devices, for their plans.
#pragma once

#include "catalog/parameters.hpp"

#include <string_view>

namespace libsgemm::catalog::nvidia {

inline constexpr std::string_view raster_name = "raster";

/// Tiles along n of the bands in which tiles are listed.
inline int raster(const Parameters& p) {
    return p[raster_name];
}

} // namespace libsgemm::catalog::nvidia
