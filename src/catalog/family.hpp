// SPDX-License-Identifier: Apache-2.0
//
// The families of kernels. Plans of one family are varied, built and predicted alike
// (plan/family/); what only its kernels have is here.
#pragma once

#include "catalog/parameters.hpp"
#include "sgemm/device.hpp"

#include <cstdint>
#include <limits>
#include <variant>

namespace libsgemm::catalog {

/// Work-groups compute tiles of C from operands that passes bring into a form that the kernel
/// reads.
struct Tiled {
    bool shifts = true; ///< with selectable edges: takes a pointer shift, too
    /// Local memory that tiles extended by so many rows and columns need beside the tile's;
    /// negative: these parameters do not allow it. Null: no parameters do.
    std::int64_t (*extension_bytes)(const Parameters&, int rows, int columns) = nullptr;
    /// With split-K: takes SUM_IN_LAUNCH. Where that is 1, the last work-group that arrives at a
    /// tile adds all parts of it, and the last argument is the counters of the tiles. Device or
    /// parameters may exclude it; null: there is no such define.
    bool (*sums_in_launch)(const DeviceTraits&, const Parameters&) = nullptr;
    /// Brings a k-major operand element by element, whatever the widths of its loads are.
    bool transposes_by_element = false;
    /// Reads A column after column, or B row after row, each from end to end, for so few columns or
    /// rows of C that the other operand hardly counts: leading dimensions that crowd cache sets
    /// cost it nothing.
    bool reads_whole_lines = false;
    /// Takes CONDITIONAL: where a verdict on an emulated product is that it did the work, it leaves
    /// at once.
    bool conditional = false;
    /// The longest leading dimension of A and B that it addresses.
    std::int64_t max_ld = std::numeric_limits<std::int64_t>::max();
};

/// The same by one work-group to a compute unit: they share a list of tiles.
struct Persistent : Tiled {};

/// Tiled, for products of few steps of k, whose time goes into writing C. Steps share k as equally
/// as they can, none deeper than the tile's: takes CHUNK, their depth, and EXACT_K, whether all
/// have as much.
struct Flat : Tiled {};

/// For caches: work-groups copy panels of operands, so that these may lie either way. Dimension 1
/// of a launch may be any number.
struct Packed {
    bool a_by_choice =
        false; ///< takes A_PACKED: A alone is copied, or read in place; else both are
};

/// Passes scale, split and pack both operands; the main kernel multiplies the parts. Its arguments
/// are those of kernels/emulated/multiply.cl.
struct Emulated {};

using Family = std::variant<Tiled, Persistent, Flat, Packed, Emulated>;

} // namespace libsgemm::catalog
