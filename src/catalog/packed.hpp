// SPDX-License-Identifier: Apache-2.0
//
// Parameters of kernels that pack, for their plans.
#pragma once

#include "catalog/parameters.hpp"

namespace libsgemm::catalog::packed {

/// Elements per vector.
inline int vector_width(const Parameters& p) {
    return p.get_or("vector_width", 1);
}
/// Most steps along k of a panel.
inline int depth(const Parameters& p) {
    return p["depth"];
}
/// Panels of B that a work-group packs at a time.
inline int panels_n(const Parameters& p) {
    return p.get_or("panels_n", 1);
}

} // namespace libsgemm::catalog::packed
