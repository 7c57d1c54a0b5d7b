// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/plan.hpp"

#include <string>

namespace libsgemm::catalog {

struct KernelEntry;

/// Launches of the main kernel, one after the other, that share the work: remedies for leading
/// dimensions that collide in memory channels. 1: that extent is not divided.
struct Parts {
    int m = 1;
    int n = 1;
    int k = 1;

    int count() const { return m * n * k; }
    bool operator==(const Parts&) const = default;
};

/// What distinguishes plans of one kernel with the same parameters.
struct Variant {
    /// One of padding (passes copy operands to tile multiples and C back; nothing where the tiles
    /// fit), guarded, pointer_shift and extension.
    EdgeStrategy edges = EdgeStrategy::padding;
    PrePassStyle pre_passes = PrePassStyle::fused;
    int split_k = 1;              ///< ranges of k in one launch, added by a pass ...
    bool fused_reduction = false; ///< ... or by the last work-group of each tile
    Parts parts;
    bool repack_a = false; ///< A is copied even if it could be read in place
    bool repack_b = false;
    bool pack_a = false;      ///< work-groups copy their rows of A; only where that is a choice
    bool transpose_b = false; ///< a pass makes B k-major; only for such a kernel
    /// Loads are as narrow as alignment asks, where the parameters' would need a copy.
    bool narrow_a = false;
    bool narrow_b = false;

    bool operator==(const Variant&) const = default;
};

/// ", guarded, k in 4 slices": what is not as usual, as far as the kernel takes it.
std::string to_string(const Variant& variant, const KernelEntry& kernel);

} // namespace libsgemm::catalog
