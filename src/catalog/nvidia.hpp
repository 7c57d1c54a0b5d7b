// SPDX-License-Identifier: Apache-2.0
//
// Parameters of kernels for NVIDIA's devices, for their plans.
#pragma once

#include "catalog/parameters.hpp"

namespace libsgemm::catalog::nvidia {

/// Tiles along n of the bands in which tiles are listed.
inline int raster(const Parameters& p) {
    return p["raster"];
}

} // namespace libsgemm::catalog::nvidia
