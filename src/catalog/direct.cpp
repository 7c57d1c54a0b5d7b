// SPDX-License-Identifier: Apache-2.0
//
// Kernels for products with few elements of C. Constraints and tile shapes mirror the #error lines
// and local arrays of kernels/direct/.
#include "catalog/kernel_catalog.hpp"
#include "catalog/rules.hpp"
#include "problem/canonical_problem.hpp"

namespace libsgemm::catalog {

namespace {

constexpr int direct_extents[] = {8, 16, 32, 64};
constexpr int direct_depths[] = {16, 32, 64, 128};
constexpr int direct_works[] = {1, 2, 4, 8};
constexpr int direct_widths[] = {1, 2, 4};
constexpr int direct_paddings[] = {0, 1, 2, 4};
constexpr int slice_counts[] = {1, 2, 4, 8, 16};
constexpr int direct_lane_counts[] = {8, 16, 32, 64, 128};
constexpr int few[] = {1, 2, 4};
constexpr int thin_extents[] = {1, 2, 4, 8, 16};
constexpr int thin_vectors[] = {1, 2, 4};
constexpr int direct_unroll_depths[] = {1, 2, 4, 8};

// --- direct --------------------------------------------------------------------------------------

/// All loops of a step are unrolled.
bool has_short_direct_steps(Values p) {
    const int items = items_2d(p) * p["k_split"];
    const int sums = p["work_per_item_m"] * p["work_per_item_n"];
    return items > 0 && sums <= most_fmas / p["tile_k"] &&
           p["tile_m"] * p["tile_k"] / items <= most_copies &&
           p["tile_n"] * p["tile_k"] / items <= most_copies;
}

TileShape direct_shape(Values p) {
    TileShape shape = tile_of(p);
    shape.local = {shape.m / p["work_per_item_m"], shape.n / p["work_per_item_n"] * p["k_split"]};
    const std::int64_t rows = shape.m + shape.n + 2 * p["bank_padding"];
    const std::int64_t tiles = std::int64_t{1 + p["prefetch"]} * shape.k * rows + 4;
    const std::int64_t parts = std::int64_t{p["k_split"]} * shape.m * shape.n;
    shape.local_memory_bytes = float_bytes(std::max(tiles, parts));
    return shape;
}

KernelEntry direct() {
    KernelEntry entry{"direct", "direct/direct.cl", "sgemm_direct",
                      "one launch for small products: work-items share the k range of an element"};
    entry.suits = [](Product product, const DeviceTraits& device) {
        const std::int64_t most = device.type == DeviceType::cpu ? 64 * 1024 : 512 * 512;
        return product.m * product.n <= most;
    };
    entry.parameters = {
        {"tile_m", "TSM", 32, direct_extents, "rows of C per work-group", 1, 1024},
        {"tile_n", "TSN", 32, direct_extents, "columns of C per work-group", 1, 1024},
        {"tile_k", "TSK", 32, direct_depths, "depth of a step"},
        {"work_per_item_m", "WPTM", 4, direct_works, "rows of C per work-item"},
        {"work_per_item_n", "WPTN", 4, direct_works, "columns of C per work-item"},
        {"vector_width_m", "WIDTHM", 1, direct_widths, "elements per vector along m", 1, 4},
        {"vector_width_n", "WIDTHN", 1, direct_widths, "elements per vector along n", 1, 4},
        {"k_split", "SLICES", 4, slice_counts, "work-items that share the k range of an element", 1,
         64},
        {"bank_padding", "PADDING", 1, direct_paddings, "unused elements per row of a tile", 0, 64},
        {"prefetch", "PREFETCH", 0, switches,
         "1: load the next tiles while multiplying, in twice the local memory", 0, 1}};
    entry.constraints = {
        {"vector_width_m and vector_width_n must be 1, 2 or 4",
         [](Values p) { return p["vector_width_m"] != 3 && p["vector_width_n"] != 3; }},
        register_tiles_fill_tile,
        vectors_along_m_and_n_fill_register_tile,
        {"vector_width_m and vector_width_n must divide bank_padding: vectors in local memory stay "
         "aligned",
         [](Values p) {
             return divides(p["vector_width_m"], p["bank_padding"]) &&
                    divides(p["vector_width_n"], p["bank_padding"]);
         }},
        {"k_split must divide tile_k: its shares of a step are equally deep",
         [](Values p) { return divides(p["k_split"], p["tile_k"]); }},
        {short_step_reason, has_short_direct_steps}};
    entry.a = Accepts::either;
    entry.b = Accepts::either;
    entry.edges = Edges::any_size;
    entry.tile = direct_shape;
    return entry;
}

// --- skinny --------------------------------------------------------------------------------------

constexpr std::int64_t most_thin = 32;

int wide_extent(Values p) {
    return p["lanes"] * p["work_per_item"];
}

/// For work-groups whose tile of C is m x n.
TileShape skinny_shape(Values p, int m, int n) {
    TileShape shape;
    shape.m = m;
    shape.n = n;
    shape.k = 1;
    shape.local = {p["lanes"], p["slices"]};
    const std::int64_t items = std::int64_t{p["lanes"]} * p["slices"];
    shape.local_memory_bytes = float_bytes(items * std::max(p["work_per_item"], p["dots"]));
    return shape;
}

KernelEntry skinny(std::string_view name, std::string_view summary, bool few_columns) {
    KernelEntry entry{name, "direct/skinny.cl", "sgemm_skinny", summary};
    entry.parameters = {
        {"lanes", "LANES", 32, direct_lane_counts, "work-items along what is contiguous in memory",
         1, 1024},
        {"slices", "SLICES", 8, slice_counts,
         "work-items that share the k range of an element, or the rows where k is contiguous", 1,
         1024},
        {"work_per_item", "WPT", 1, few, "rows per work-item where rows are contiguous", 1, 64},
        {"dots", "DOTS", 2, few, "rows at once per work-item where k is contiguous", 1, 64},
        {"thin", "THIN", 4, thin_extents, "columns of the skinny operand at once", 1, 64},
        {"thin_vector", "THIN_VECTOR", 1, thin_vectors,
         "of these per load, where they lie side by side and aligned", 1, 4},
        {"unroll_k", "UNROLL_K", 4, direct_unroll_depths,
         "steps along k whose loads are issued at once", 1, 64}};
    entry.constraints = {
        {"lanes must be a power of two: their sums are added pairwise",
         [](Values p) { return (p["lanes"] & (p["lanes"] - 1)) == 0; }},
        {"slices * dots must divide lanes * work_per_item: where k is contiguous, rows are divided "
         "out evenly",
         [](Values p) { return divides(p["slices"] * p["dots"], wide_extent(p)); }},
        {"thin_vector must be 1, 2 or 4 and divide thin",
         [](Values p) { return p["thin_vector"] != 3 && divides(p["thin_vector"], p["thin"]); }},
        {"a work-item may issue at most 1024 fmas at once: they are unrolled completely",
         [](Values p) {
             return std::max(p["work_per_item"], p["dots"]) * p["thin"] <= 1024 / p["unroll_k"];
         }}};
    entry.a = Accepts::either;
    entry.b = Accepts::either;
    entry.edges = Edges::any_size;
    entry.split_k = SplitK::at_build;
    entry.constants = {{"SKINNY_N", few_columns ? "1" : "0"}};
    if (few_columns) {
        entry.suits = [](Product product, const DeviceTraits&) { return product.n <= most_thin; };
        entry.tile = [](Values p) { return skinny_shape(p, wide_extent(p), p["thin"]); };
    } else {
        entry.suits = [](Product product, const DeviceTraits&) { return product.m <= most_thin; };
        entry.tile = [](Values p) { return skinny_shape(p, p["thin"], wide_extent(p)); };
    }
    return entry;
}

} // namespace

std::vector<KernelEntry> direct_entries() {
    return {direct(),
            skinny("skinny_n", "C of a few columns: A is read once, at the speed of memory", true),
            skinny("skinny_m", "C of a few rows: B is read once, at the speed of memory", false)};
}

} // namespace libsgemm::catalog
