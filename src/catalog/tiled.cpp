// SPDX-License-Identifier: Apache-2.0
//
// The kernel that combines the ideas of the progression. Constraints and tile shape mirror the
// #error lines and local arrays of kernels/tiled/tiled.cl.
#include "catalog/kernel_catalog.hpp"
#include "catalog/rules.hpp"

namespace libsgemm::catalog {

namespace {

constexpr int padding_extents[] = {0, 1, 2, 4, 8};
constexpr int unroll_depths[] = {0, 1, 2, 4, 8};
constexpr int stagger_phases[] = {0, 2, 4, 8};

std::vector<ParameterSpec> tiled_parameters() {
    return joined(
        register_tiles(128, 128, 8, 8, 8),
        {{"vector_width_m", "WIDTHM", 4, vector_widths, "elements per vector along m"},
         {"vector_width_n", "WIDTHN", 4, vector_widths, "elements per vector along n"},
         {"load_width_a", "LOAD_A", 4, vector_widths, "elements of A per global load"},
         {"load_width_b", "LOAD_B", 4, vector_widths, "elements of B per global load"},
         {"local_a", "LOCAL_A", 1, switches, "1: A passes through local memory", 0, 1},
         {"local_b", "LOCAL_B", 1, switches, "1: B passes through local memory", 0, 1},
         {"bank_padding_a", "PADDING_A", 0, padding_extents,
          "unused elements per row of the tile of A", 0, 64},
         {"bank_padding_b", "PADDING_B", 0, padding_extents,
          "unused elements per row of the tile of B", 0, 64},
         {"prefetch", "PREFETCH", 1, switches,
          "1: load the next tiles while multiplying, in twice the local memory", 0, 1},
         {"unroll_k", "UNROLL_K", 0, unroll_depths, "unrolled steps along k of a tile; 0: all", 0},
         {"raster", "RASTER", 0, raster_bands,
          "tiles along n of the bands that work-groups walk through; 0 and 1: rows of all tiles",
          0},
         {"stagger", "STAGGER", 0, stagger_phases,
          "places along k at which work-groups start; 0 and 1: all at the same", 0}});
}

/// The fmas of a step are counted as if it were unrolled completely: compilers choose for
/// themselves, too.
bool has_short_steps(Values p) {
    return is_short(p, items_2d(p), p["work_per_item_m"] * p["work_per_item_n"],
                    p["vector_width_m"], 1) &&
           p["tile_m"] * p["tile_k"] / items_2d(p) <= most_copies;
}

std::vector<Constraint> tiled_constraints() {
    return {{"vector_width_m, vector_width_n, load_width_a and load_width_b must be 1, 2, 4, 8 or "
             "16: OpenCL C has no other vectors",
             [](Values p) {
                 return is_vector_width(p["vector_width_m"]) &&
                        is_vector_width(p["vector_width_n"]) &&
                        is_vector_width(p["load_width_a"]) && is_vector_width(p["load_width_b"]);
             }},
            register_tiles_fill_tile,
            vectors_along_m_and_n_fill_register_tile,
            {"load_width_a must divide tile_m and tile_k, and load_width_b tile_n and tile_k: a "
             "tile is a whole number of loads, whichever index is contiguous",
             [](Values p) {
                 return divides(p["load_width_a"], p["tile_m"]) &&
                        divides(p["load_width_a"], p["tile_k"]) &&
                        divides(p["load_width_b"], p["tile_n"]) &&
                        divides(p["load_width_b"], p["tile_k"]);
             }},
            {"vector_width_m must divide bank_padding_a, and vector_width_n bank_padding_b: "
             "vectors in local memory stay aligned",
             [](Values p) {
                 return divides(p["vector_width_m"], p["bank_padding_a"]) &&
                        divides(p["vector_width_n"], p["bank_padding_b"]);
             }},
            {"bank_padding_a needs local_a, bank_padding_b local_b, and prefetch one of them: it "
             "would change nothing",
             [](Values p) {
                 return (p["bank_padding_a"] == 0 || p["local_a"] == 1) &&
                        (p["bank_padding_b"] == 0 || p["local_b"] == 1) &&
                        (p["prefetch"] == 0 || p["local_a"] + p["local_b"] > 0);
             }},
            {"unroll_k must divide tile_k: a step is a whole number of unrolled parts",
             [](Values p) { return p["unroll_k"] == 0 || divides(p["unroll_k"], p["tile_k"]); }},
            {short_step_reason, has_short_steps}};
}

TileShape tiled_shape(Values p) {
    TileShape shape = tile_of(p);
    shape.local = {shape.m / p["work_per_item_m"], shape.n / p["work_per_item_n"]};
    const std::int64_t row_a = std::int64_t{p["local_a"]} * (shape.m + p["bank_padding_a"]);
    const std::int64_t row_b = std::int64_t{p["local_b"]} * (shape.n + p["bank_padding_b"]);
    shape.local_memory_bytes =
        float_bytes(std::int64_t{1 + p["prefetch"]} * shape.k * (row_a + row_b));
    shape.alignment_a = p["load_width_a"];
    shape.alignment_b = p["load_width_b"];
    return shape;
}

std::int64_t tiled_extension_bytes(Values p, int rows, int columns) {
    if (p["local_a"] == 0 || p["local_b"] == 0 || rows * columns > items_2d(p)) {
        return -1;
    }
    return float_bytes(std::int64_t{1 + p["prefetch"]} * p["tile_k"] * (rows + columns));
}

KernelEntry tiled() {
    KernelEntry entry{"tiled", "tiled/tiled.cl", "sgemm_tiled",
                      "register tiles, any storage, edges four ways, k split over work-groups"};
    entry.parameters = tiled_parameters();
    entry.constraints = tiled_constraints();
    entry.a = Accepts::either;
    entry.b = Accepts::either;
    entry.edges = Edges::selectable;
    entry.split_k = SplitK::at_build;
    entry.family = Tiled{.extension_bytes = tiled_extension_bytes, .conditional = true};
    entry.tile = tiled_shape;
    return entry;
}

} // namespace

std::vector<KernelEntry> tiled_entries() {
    return {tiled()};
}

} // namespace libsgemm::catalog
