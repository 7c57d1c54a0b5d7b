// SPDX-License-Identifier: Apache-2.0
//
// Steps 1 to 10 of the tutorial progression. Constraints and tile shapes mirror the #error lines
// and local arrays of kernels/progression/.
#include "catalog/kernel_catalog.hpp"
#include "catalog/rules.hpp"

#include <algorithm>

namespace libsgemm::catalog {

namespace {

// --- parameters ----------------------------------------------------------------------------------

constexpr int square_tiles[] = {8, 16, 32};
constexpr int work_group_extents[] = {1, 4, 8, 16, 32, 64, 128};
constexpr int works_per_item[] = {1, 2, 4, 8, 16};
constexpr int exchanges[] = {0, 1, 2};
constexpr int subgroup_sizes[] = {8, 16, 32, 64};

ParameterSpec square_tile(int value) {
    return {"tile", "TS", value, square_tiles, "extent of the square tiles in local memory"};
}
ParameterSpec vector_width(int value) {
    return {"vector_width", "WIDTH", value, vector_widths, "elements per vector access"};
}

// --- constraints ---------------------------------------------------------------------------------

/// Whether `items` work-items that copy `width` elements at a time share both tiles out evenly.
bool shares_tiles(Values p, int items, int width) {
    const int at_once = items * width;
    return divides(at_once, p["tile_m"] * p["tile_k"]) &&
           divides(at_once, p["tile_n"] * p["tile_k"]);
}

constexpr Constraint known_vector_width = {
    "vector_width must be 1, 2, 4, 8 or 16: OpenCL C has no others",
    [](Values p) { return is_vector_width(p["vector_width"]); }};
constexpr Constraint even_scalar_copies = {
    "the number of work-items must divide tile_m * tile_k and tile_n * tile_k: all copy equally "
    "many elements",
    [](Values p) { return shares_tiles(p, items_2d(p), 1); }};
constexpr Constraint even_vector_copies = {
    "the number of work-items times vector_width must divide tile_m * tile_k and tile_n * tile_k: "
    "all copy equally many vectors",
    [](Values p) { return shares_tiles(p, items_2d(p), p["vector_width"]); }};
constexpr Constraint short_scalar_step = {
    short_step_reason, [](Values p) {
        return is_short(p, items_2d(p), p["work_per_item_m"] * p["work_per_item_n"], 1, 1);
    }};
constexpr Constraint short_vector_step = {
    short_step_reason, [](Values p) {
        return is_short(p, items_2d(p), p["work_per_item_m"] * p["work_per_item_n"],
                        p["vector_width"], p["vector_width"]);
    }};

/// What step 7 asks for, and those that refine it.
std::vector<Constraint> wide_load_constraints() {
    return {known_vector_width, register_tiles_fill_tile, vectors_fill_register_tile,
            even_vector_copies, short_vector_step};
}

// --- tile shapes ---------------------------------------------------------------------------------

TileShape square_shape(int tile, int local_m, int local_n) {
    TileShape shape;
    shape.m = shape.n = shape.k = tile;
    shape.local = {local_m, local_n};
    shape.local_memory_bytes = float_bytes(std::int64_t{2} * tile * tile);
    return shape;
}

/// Steps 6 and on, with `buffers` pairs of tiles. C is stored element by element where it is not
/// aligned to vectors, so it needs no alignment.
TileShape register_tile_shape(Values p, int width_m, int width_n, int buffers) {
    TileShape shape = tile_of(p);
    shape.local = {shape.m / p["work_per_item_m"], shape.n / p["work_per_item_n"]};
    shape.local_memory_bytes = float_bytes(std::int64_t{shape.m + shape.n} * shape.k * buffers);
    shape.alignment_a = width_m;
    shape.alignment_b = width_n;
    return shape;
}

TileShape wide_load_shape(Values p) {
    return register_tile_shape(p, p["vector_width"], p["vector_width"], 1);
}

// --- the ten steps -------------------------------------------------------------------------------

KernelEntry naive() {
    KernelEntry entry{"01_naive", "progression/01_naive.cl", "sgemm_naive",
                      "one work-item per element of C, straight from global memory; the contract"};
    entry.parameters = {
        {"local_m", "LOCAL_M", 16, work_group_extents, "work-items along the rows of C"},
        {"local_n", "LOCAL_N", 16, work_group_extents, "work-items along the columns of C"}};
    entry.a = Accepts::either;
    entry.b = Accepts::either;
    entry.edges = Edges::any_size;
    entry.family = Tiled{.conditional = true};
    entry.tile = [](Values p) {
        TileShape shape;
        shape.m = p["local_m"];
        shape.n = p["local_n"];
        shape.local = {shape.m, shape.n};
        return shape;
    };
    return entry;
}

KernelEntry local_memory_tiles() {
    KernelEntry entry{"02_local_memory_tiles", "progression/02_local_memory_tiles.cl",
                      "sgemm_local_memory_tiles", "square tiles of A and B in local memory"};
    entry.parameters = {square_tile(16)};
    entry.tile = [](Values p) { return square_shape(p["tile"], p["tile"], p["tile"]); };
    return entry;
}

KernelEntry more_work_per_item() {
    KernelEntry entry{"03_more_work_per_item", "progression/03_more_work_per_item.cl",
                      "sgemm_more_work_per_item", "several columns of C per work-item"};
    entry.parameters = {square_tile(32),
                        {"work_per_item", "WPT", 8, works_per_item, "columns of C per work-item"}};
    entry.constraints = {
        {"work_per_item must divide tile: the columns of a tile are divided evenly",
         [](Values p) { return divides(p["work_per_item"], p["tile"]); }}};
    entry.tile = [](Values p) {
        return square_shape(p["tile"], p["tile"], p["tile"] / p["work_per_item"]);
    };
    return entry;
}

KernelEntry vector_types() {
    KernelEntry entry{"04_vector_types", "progression/04_vector_types.cl", "sgemm_vector_types",
                      "a vector of rows of C per work-item"};
    entry.parameters = {square_tile(32), vector_width(4)};
    entry.constraints = {
        known_vector_width,
        {"vector_width must divide tile: a column of a tile is a whole number of vectors",
         [](Values p) { return divides(p["vector_width"], p["tile"]); }}};
    entry.tile = [](Values p) {
        TileShape shape = square_shape(p["tile"], p["tile"] / p["vector_width"], p["tile"]);
        shape.alignment_a = shape.alignment_b = p["vector_width"];
        return shape;
    };
    return entry;
}

KernelEntry transposed_rectangular() {
    KernelEntry entry{"05_transposed_rectangular", "progression/05_transposed_rectangular.cl",
                      "sgemm_transposed_rectangular", "n-major B, rectangular tiles, bank padding"};
    entry.parameters =
        joined(tiles(64, 64, 16), {work_per_item_n(16),
                                   {"bank_padding", "PADDING", 2, bank_paddings,
                                    "unused elements per row of the transposed tile of B", 0, 64}});
    entry.constraints = {
        {"work_per_item_n must divide tile_n: the columns of a tile are divided evenly",
         [](Values p) { return divides(p["work_per_item_n"], p["tile_n"]); }},
        {"the tile_m * tile_n / work_per_item_n work-items must divide tile_m * tile_k and tile_n "
         "* tile_k: all copy equally many elements",
         [](Values p) {
             return shares_tiles(p, p["tile_m"] * (p["tile_n"] / p["work_per_item_n"]), 1);
         }}};
    entry.constraints.push_back({short_step_reason, [](Values p) {
                                     const int items =
                                         p["tile_m"] * (p["tile_n"] / p["work_per_item_n"]);
                                     return is_short(p, items, p["work_per_item_n"], 1, 1);
                                 }});
    entry.b = Accepts::mn_major;
    entry.tile = [](Values p) {
        TileShape shape = tile_of(p);
        shape.local = {shape.m, shape.n / p["work_per_item_n"]};
        const std::int64_t padded_k = shape.k + p["bank_padding"];
        shape.local_memory_bytes =
            float_bytes(std::int64_t{shape.k} * shape.m + shape.n * padded_k);
        return shape;
    };
    return entry;
}

KernelEntry register_tiles_2d() {
    KernelEntry entry{"06_register_tiles_2d", "progression/06_register_tiles_2d.cl",
                      "sgemm_register_tiles_2d", "rows and columns of C per work-item"};
    entry.parameters = register_tiles(128, 128, 16, 8, 8);
    entry.constraints = {register_tiles_fill_tile, even_scalar_copies, short_scalar_step};
    entry.b = Accepts::mn_major;
    entry.tile = [](Values p) { return register_tile_shape(p, 1, 1, 1); };
    return entry;
}

KernelEntry wide_loads() {
    KernelEntry entry{"07_wide_loads", "progression/07_wide_loads.cl", "sgemm_wide_loads",
                      "register tiles fed by vector accesses"};
    entry.parameters = joined(register_tiles(128, 128, 16, 8, 8), {vector_width(4)});
    entry.constraints = wide_load_constraints();
    entry.b = Accepts::mn_major;
    entry.tile = wide_load_shape;
    return entry;
}

/// Step 8: neighbours along m in a sub-group that need the same columns of B.
int sharers(Values p) {
    return std::min(p["tile_m"] / p["work_per_item_m"], p["subgroup"]);
}

std::vector<Constraint> exchange_constraints() {
    return {{"exchange must be 0 (none), 1 (sub_group_shuffle) or 2 (PTX shfl)",
             [](Values p) { return p["exchange"] <= 2; }},
            {"read_only_loads by PTX move at most 4 floats at once: vector_width must be 1, 2 or 4",
             [](Values p) { return p["read_only_loads"] == 0 || p["vector_width"] <= 4; }},
            {"an exchange needs full sub-groups that consist of whole rows of sharers: min(tile_m "
             "/ work_per_item_m, subgroup) must divide both, and subgroup the work-items",
             [](Values p) {
                 return p["exchange"] == 0 ||
                        (divides(sharers(p), p["tile_m"] / p["work_per_item_m"]) &&
                         divides(sharers(p), p["subgroup"]) && divides(p["subgroup"], items_2d(p)));
             }},
            {"an exchange divides the values of B evenly: work_per_item_n must divide the sharers, "
             "min(tile_m / work_per_item_m, subgroup), and their quotient tile_k",
             [](Values p) {
                 return p["exchange"] == 0 ||
                        (divides(p["work_per_item_n"], sharers(p)) &&
                         divides(sharers(p) / p["work_per_item_n"], p["tile_k"]));
             }},
            {"PTX shfl exchanges among 32 work-items: subgroup must be 32",
             [](Values p) { return p["exchange"] != 2 || p["subgroup"] == 32; }}};
}

KernelEntry device_paths() {
    KernelEntry entry{"08_device_paths", "progression/08_device_paths.cl", "sgemm_device_paths",
                      "read-only loads and exchange in registers where the device has them"};
    entry.parameters =
        joined(register_tiles(128, 128, 16, 8, 8),
               {vector_width(4),
                {"exchange", "EXCHANGE", 0, exchanges,
                 "how neighbours pass values of B: 0 not, 1 sub_group_shuffle, 2 PTX shfl", 0, 2},
                {"subgroup", "SUBGROUP", 32, subgroup_sizes, "work-items that exchange"},
                {"read_only_loads", "READ_ONLY", 0, switches,
                 "1: global loads through the read-only cache (PTX)", 0, 1}});
    entry.constraints = joined(wide_load_constraints(), exchange_constraints());
    entry.needs = {
        {"exchange 1 needs cl_khr_subgroup_shuffle and sub-groups of exactly `subgroup` work-items",
         [](const DeviceTraits& device, Values p) {
             return p["exchange"] != 1 ||
                    (device.has_subgroup_shuffle && device.subgroup_size == p["subgroup"]);
         }},
        {"exchange 2 and read_only_loads 1 need inline PTX, that is an NVIDIA device",
         [](const DeviceTraits& device, Values p) {
             return device.has_nvidia_ptx || (p["exchange"] != 2 && p["read_only_loads"] == 0);
         }}};
    entry.b = Accepts::mn_major;
    entry.tile = wide_load_shape;
    return entry;
}

KernelEntry prefetch() {
    KernelEntry entry{"09_prefetch", "progression/09_prefetch.cl", "sgemm_prefetch",
                      "the next tiles are loaded while this pair is multiplied"};
    entry.parameters = joined(register_tiles(128, 128, 8, 8, 8), {vector_width(4)});
    entry.constraints = wide_load_constraints();
    entry.b = Accepts::mn_major;
    entry.tile = [](Values p) {
        return register_tile_shape(p, p["vector_width"], p["vector_width"], 2);
    };
    return entry;
}

KernelEntry incomplete_tiles() {
    KernelEntry entry{"10_incomplete_tiles", "progression/10_incomplete_tiles.cl",
                      "sgemm_incomplete_tiles",
                      "tiles of any extent, vectors of any width, with or without prefetch"};
    entry.parameters =
        joined(register_tiles(128, 128, 8, 8, 8),
               {{"vector_width_m", "WIDTHM", 4, vector_widths, "elements per vector along m"},
                {"vector_width_n", "WIDTHN", 4, vector_widths, "elements per vector along n"},
                {"prefetch", "PREFETCH", 1, switches,
                 "1: load the next tiles while multiplying, in twice the local memory", 0, 1}});
    entry.constraints = {
        {"vector_width_m and vector_width_n must be 1, 2, 4, 8 or 16: OpenCL C has no others",
         [](Values p) {
             return is_vector_width(p["vector_width_m"]) && is_vector_width(p["vector_width_n"]);
         }},
        register_tiles_fill_tile,
        vectors_along_m_and_n_fill_register_tile};
    entry.constraints.push_back({short_step_reason, [](Values p) {
                                     return is_short(p, items_2d(p),
                                                     p["work_per_item_m"] * p["work_per_item_n"],
                                                     p["vector_width_m"], p["vector_width_n"]);
                                 }});
    entry.b = Accepts::mn_major;
    entry.tile = [](Values p) {
        return register_tile_shape(p, p["vector_width_m"], p["vector_width_n"], 1 + p["prefetch"]);
    };
    return entry;
}

} // namespace

std::vector<KernelEntry> progression_entries() {
    std::vector<KernelEntry> steps = {
        naive(),           local_memory_tiles(),     more_work_per_item(),
        vector_types(),    transposed_rectangular(), register_tiles_2d(),
        wide_loads(),      device_paths(),           prefetch(),
        incomplete_tiles()};
    for (KernelEntry& step : steps)
        step.purpose = Purpose::teaches;
    return steps;
}

} // namespace libsgemm::catalog
