// SPDX-License-Identifier: Apache-2.0
//
// Parameters of kernels that pack, for their plans.
#pragma once

#include "catalog/parameters.hpp"

#include <string_view>

namespace libsgemm::catalog::packed {

inline constexpr std::string_view vector_width_name = "vector_width";
inline constexpr std::string_view depth_name = "depth";
inline constexpr std::string_view panels_n_name = "panels_n";

/// Elements per vector.
inline int vector_width(const Parameters& p) {
    return p.get_or(vector_width_name, 1);
}
/// Most steps along k of a panel.
inline int depth(const Parameters& p) {
    return p[depth_name];
}
/// Panels of B that a work-group packs at a time.
inline int panels_n(const Parameters& p) {
    return p.get_or(panels_n_name, 1);
}

} // namespace libsgemm::catalog::packed
