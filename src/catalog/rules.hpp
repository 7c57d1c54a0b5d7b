// SPDX-License-Identifier: Apache-2.0
//
// Parameters, search values and rules that entries of the catalogue share.
#pragma once

#include "catalog/kernel_entry.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <vector>

namespace libsgemm::catalog {

using Values = const Parameters&;
using Product = const validate::CanonicalProblem&;

// --- parameters ----------------------------------------------------------------------------------

inline constexpr int tile_extents[] = {8, 16, 32, 48, 64, 96, 128, 160, 192, 256};
inline constexpr int tile_depths[] = {4, 8, 16, 32, 64};
inline constexpr int register_extents[] = {1, 2, 4, 6, 8, 10, 12, 16, 32, 48};
inline constexpr int vector_widths[] = {1, 2, 4, 8, 16};
inline constexpr int bank_paddings[] = {0, 1, 2};
inline constexpr int switches[] = {0, 1};
inline constexpr int raster_bands[] = {0, 4, 8, 16};

inline ParameterSpec work_per_item_n(int value) {
    return {"work_per_item_n", "WPTN", value, register_extents, "columns of C per work-item"};
}

/// TSM, TSN, TSK.
inline std::vector<ParameterSpec> tiles(int m, int n, int k) {
    return {{"tile_m", "TSM", m, tile_extents, "rows of C per work-group"},
            {"tile_n", "TSN", n, tile_extents, "columns of C per work-group"},
            {"tile_k", "TSK", k, tile_depths, "depth of a tile in local memory"}};
}

/// TSM, TSN, TSK, WPTM, WPTN.
inline std::vector<ParameterSpec> register_tiles(int m, int n, int k, int work_m, int work_n) {
    std::vector<ParameterSpec> specs = tiles(m, n, k);
    specs.push_back(
        {"work_per_item_m", "WPTM", work_m, register_extents, "rows of C per work-item"});
    specs.push_back(work_per_item_n(work_n));
    return specs;
}

template <typename T>
std::vector<T> joined(std::vector<T> list, const std::vector<T>& more) {
    list.insert(list.end(), more.begin(), more.end());
    return list;
}

// --- constraints ---------------------------------------------------------------------------------

inline bool is_vector_width(int width) {
    return std::ranges::find(vector_widths, width) != std::end(vector_widths);
}

/// Whether `divisor` divides `value`; not if it is zero: then a rule before this one is broken.
inline bool divides(int divisor, int value) {
    return divisor != 0 && value % divisor == 0;
}

inline int items_2d(Values p) {
    return p["tile_m"] / p["work_per_item_m"] * (p["tile_n"] / p["work_per_item_n"]);
}

inline constexpr Constraint register_tiles_fill_tile = {
    "work_per_item_m must divide tile_m, and work_per_item_n tile_n: register tiles fill a "
    "work-group's tile",
    [](Values p) {
        return divides(p["work_per_item_m"], p["tile_m"]) &&
               divides(p["work_per_item_n"], p["tile_n"]);
    }};

inline constexpr Constraint vectors_fill_register_tile = {
    "vector_width must divide work_per_item_m and work_per_item_n: a work-item owns whole vectors",
    [](Values p) {
        return divides(p["vector_width"], p["work_per_item_m"]) &&
               divides(p["vector_width"], p["work_per_item_n"]);
    }};

inline constexpr Constraint vectors_along_m_and_n_fill_register_tile = {
    "vector_width_m must divide work_per_item_m, and vector_width_n work_per_item_n: a work-item "
    "owns whole vectors",
    [](Values p) {
        return divides(p["vector_width_m"], p["work_per_item_m"]) &&
               divides(p["vector_width_n"], p["work_per_item_n"]);
    }};

// One step of a kernel is straight-line code: sums and values live in registers only if its loops
// are unrolled. Compilers give up on very long ones, and PoCL 3.1 ends the process on the loops
// that remain.
inline constexpr int most_fmas = 8192;
inline constexpr int most_copies = 1024;

/// Whether a step of a work-item with `work` elements of C, accessed `width` at a time, is short
/// enough.
inline bool is_short(Values p, int items, int work, int width_m, int width_n) {
    const int tile_k = p["tile_k"];
    return items > 0 && work / width_m <= most_fmas / tile_k &&
           p["tile_m"] * tile_k / (items * width_m) <= most_copies &&
           p["tile_n"] * tile_k / (items * width_n) <= most_copies;
}

inline constexpr std::string_view short_step_reason =
    "a work-item may issue at most 8192 fmas and 1024 copies of each tile in a step: they are "
    "unrolled completely";

// --- tile shapes ---------------------------------------------------------------------------------

/// Of tile_m, tile_n and tile_k.
inline TileShape tile_of(Values p) {
    TileShape shape;
    shape.m = p["tile_m"];
    shape.n = p["tile_n"];
    shape.k = p["tile_k"];
    return shape;
}

/// `elements` of float as bytes.
constexpr std::int64_t float_bytes(std::int64_t elements) {
    return elements * std::int64_t{sizeof(float)};
}

} // namespace libsgemm::catalog
