// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/parameters.hpp"
#include "sgemm/expert.hpp"

#include <array>
#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace libsgemm::catalog {

struct KernelEntry;

/// Launches of the main kernel, one after the other, that share the work: remedies for leading
/// dimensions that collide in memory channels. 1: that extent is not divided.
struct Parts {
    int m = 1;
    int n = 1;
    int k = 1;

    int count() const { return m * n * k; }
    auto operator<=>(const Parts&) const = default; // NOLINT(modernize-use-nullptr)
};

/// What distinguishes plans of one kernel with the same parameters.
struct Variant {
    /// One of padding (passes copy operands to tile multiples and C back; nothing where the tiles
    /// fit), guarded, pointer_shift and extension.
    EdgeStrategy edges = EdgeStrategy::padding;
    PrePassStyle pre_passes = PrePassStyle::fused;
    int split_k = 1;              ///< ranges of k in one launch, added by a pass ...
    bool fused_reduction = false; ///< ... or by the last work-group of each tile
    Parts parts = {};
    bool repack_a = false; ///< A is copied even if it could be read in place
    bool repack_b = false;
    bool pack_a = false;      ///< work-groups copy their rows of A; only where that is a choice
    bool transpose_b = false; ///< a pass makes B k-major; only for such a kernel
    /// Loads are as narrow as alignment asks, where the parameters' would need a copy.
    bool narrow_a = false;
    bool narrow_b = false;
    bool peeled = false; ///< other kernels compute the last rows and columns

    auto operator<=>(const Variant&) const = default; // NOLINT(modernize-use-nullptr)
};

/// What tells a problem's plans apart: for files, and for whoever looks for one of them.
struct PlanKey {
    std::string kernel;
    Parameters parameters = {}; ///< complete
    Variant variant = {};

    auto operator<=>(const PlanKey&) const = default; // NOLINT(modernize-use-nullptr)
};

/// "tiled (tile_m=64 ...), guarded, split-K 4": for people; what is as usual, or not the
/// kernel's to choose, is left out.
std::string to_string(const KernelEntry& kernel, const Parameters& parameters,
                      const Variant& variant);

// Names in files.

/// A choice that is on or off.
struct VariantFlag {
    std::string_view key;
    bool Variant::*value;
};
inline constexpr std::array variant_flags{VariantFlag{"fused_reduction", &Variant::fused_reduction},
                                          VariantFlag{"narrow_a", &Variant::narrow_a},
                                          VariantFlag{"narrow_b", &Variant::narrow_b},
                                          VariantFlag{"repack_a", &Variant::repack_a},
                                          VariantFlag{"repack_b", &Variant::repack_b},
                                          VariantFlag{"pack_a", &Variant::pack_a},
                                          VariantFlag{"transpose_b", &Variant::transpose_b},
                                          VariantFlag{"peeled", &Variant::peeled}};

/// Of one of the strategies that a variant may have.
std::string_view name_of(EdgeStrategy edges);
std::optional<EdgeStrategy> find_edge_strategy(std::string_view name);

} // namespace libsgemm::catalog
