// SPDX-License-Identifier: Apache-2.0
//
// Kernels in PTX, for NVIDIA devices. Constraints and tile shapes mirror the #error lines and
// shared arrays of kernels/ptx/.
#include "catalog/kernel_catalog.hpp"
#include "catalog/rules.hpp"

namespace libsgemm::catalog {

namespace {

// --- parameters ----------------------------------------------------------------------------------

constexpr int ptx_group_extents[] = {1, 4, 8, 16, 32, 64};
constexpr int ptx_square_tiles[] = {8, 16, 32};
constexpr int ptx_vector_widths[] = {2, 4};

// --- constraints ---------------------------------------------------------------------------------

constexpr std::string_view short_ptx_reason =
    "a work-item may have at most 4096 products and 32 copies of each tile in a step: they are "
    "straight-line code, and the copies have registers of their own";

/// Whether a step of a work-item with `sums` elements of C, which copies `width` elements at a
/// time, is short enough.
bool is_short_ptx(Values p, int items, int sums, int width) {
    constexpr int most_products = 4096;
    constexpr int most_ptx_copies = 32;
    const int copied = items * width;
    return copied > 0 && sums <= most_products / p["tile_k"] &&
           p["tile_m"] * p["tile_k"] / copied <= most_ptx_copies &&
           p["tile_n"] * p["tile_k"] / copied <= most_ptx_copies;
}

bool shares_tiles(Values p, int copied_at_once) {
    return divides(copied_at_once, p["tile_m"] * p["tile_k"]) &&
           divides(copied_at_once, p["tile_n"] * p["tile_k"]);
}

// --- tile shapes ---------------------------------------------------------------------------------

TileShape block_tile_shape(Values p, int work_m, int work_n) {
    TileShape shape = tile_of(p);
    shape.local = {shape.m / work_m, shape.n / work_n};
    shape.local_memory_bytes = float_bytes(std::int64_t{shape.m + shape.n} * shape.k);
    return shape;
}

// --- the six steps -------------------------------------------------------------------------------

KernelEntry ptx_step(std::string_view name, std::string_view source, std::string_view function,
                     std::string_view summary) {
    KernelEntry entry{name, source, function, summary};
    entry.purpose = Purpose::teaches;
    entry.needs = {{"PTX for sm_70 needs an NVIDIA device of compute capability 7.0",
                    [](const DeviceTraits& device, Values) {
                        return device.has_nvidia_ptx && device.compute_capability >= 70;
                    }}};
    return entry;
}

/// A work-item per element of C, straight from global memory.
KernelEntry element_each(KernelEntry entry) {
    entry.parameters = {
        {"local_m", "LOCAL_M", 32, ptx_group_extents, "work-items along the rows of C", 1, 1024},
        {"local_n", "LOCAL_N", 32, ptx_group_extents, "work-items along the columns of C", 1,
         1024}};
    entry.a = Accepts::either;
    entry.b = Accepts::either;
    entry.edges = Edges::any_size;
    return entry;
}

KernelEntry ptx_naive() {
    KernelEntry entry = element_each(
        ptx_step("ptx_01_naive", "ptx/01_naive.ptx", "sgemm_ptx_naive",
                 "PTX: one work-item per element of C, those of a warp in different columns"));
    entry.tile = [](Values p) {
        TileShape shape;
        shape.m = p["local_m"];
        shape.n = p["local_n"];
        shape.local = {shape.n, shape.m}; // that is its mistake
        return shape;
    };
    return entry;
}

KernelEntry coalesced() {
    KernelEntry entry = element_each(
        ptx_step("ptx_02_coalesced", "ptx/02_coalesced.ptx", "sgemm_ptx_coalesced",
                 "PTX: one work-item per element of C, those of a warp in neighbouring rows"));
    entry.tile = [](Values p) {
        TileShape shape;
        shape.m = p["local_m"];
        shape.n = p["local_n"];
        shape.local = {shape.m, shape.n};
        return shape;
    };
    return entry;
}

KernelEntry shared_memory_tiles() {
    KernelEntry entry =
        ptx_step("ptx_03_shared_memory_tiles", "ptx/03_shared_memory_tiles.ptx",
                 "sgemm_ptx_shared_memory_tiles", "PTX: square tiles of A and B in shared memory");
    entry.parameters = {
        {"tile", "TS", 32, ptx_square_tiles, "extent of the square tiles in shared memory"}};
    entry.tile = [](Values p) {
        TileShape shape;
        shape.m = shape.n = shape.k = p["tile"];
        shape.local = {p["tile"], p["tile"]};
        shape.local_memory_bytes = float_bytes(std::int64_t{2} * p["tile"] * p["tile"]);
        return shape;
    };
    return entry;
}

int columns_of_items(Values p) {
    return p["tile_n"] / p["work_per_item_n"];
}

KernelEntry block_tiles_1d() {
    KernelEntry entry =
        ptx_step("ptx_04_block_tiles_1d", "ptx/04_block_tiles_1d.ptx", "sgemm_ptx_block_tiles_1d",
                 "PTX: a row of several columns of C per work-item, flat tiles");
    entry.parameters = joined(tiles(64, 64, 8), {work_per_item_n(8)});
    entry.constraints = {
        {"work_per_item_n must divide tile_n: the columns of a tile are divided evenly",
         [](Values p) { return divides(p["work_per_item_n"], p["tile_n"]); }},
        {"tile_n / work_per_item_n must divide tile_k: all work-items copy equally many columns of "
         "A's tile",
         [](Values p) { return divides(columns_of_items(p), p["tile_k"]); }},
        {"tile_k must divide the tile_m * tile_n / work_per_item_n work-items, and these tile_n * "
         "tile_k: all copy equally many elements of B's tile, along one k",
         [](Values p) {
             const int items = p["tile_m"] * columns_of_items(p);
             return divides(p["tile_k"], items) && divides(items, p["tile_n"] * p["tile_k"]);
         }},
        {short_ptx_reason, [](Values p) {
             return is_short_ptx(p, p["tile_m"] * columns_of_items(p), p["work_per_item_n"], 1);
         }}};
    entry.tile = [](Values p) { return block_tile_shape(p, 1, p["work_per_item_n"]); };
    return entry;
}

KernelEntry block_tiles_2d() {
    KernelEntry entry =
        ptx_step("ptx_05_block_tiles_2d", "ptx/05_block_tiles_2d.ptx", "sgemm_ptx_block_tiles_2d",
                 "PTX: a block of rows and columns of C per work-item");
    entry.parameters = register_tiles(128, 128, 8, 8, 8);
    entry.constraints = {register_tiles_fill_tile,
                         {"the number of work-items must divide tile_m * tile_k and tile_n * "
                          "tile_k: all copy equally many elements",
                          [](Values p) { return shares_tiles(p, items_2d(p)); }},
                         {short_ptx_reason, [](Values p) {
                              return is_short_ptx(p, items_2d(p),
                                                  p["work_per_item_m"] * p["work_per_item_n"], 1);
                          }}};
    entry.b = Accepts::mn_major;
    entry.tile = [](Values p) {
        return block_tile_shape(p, p["work_per_item_m"], p["work_per_item_n"]);
    };
    return entry;
}

KernelEntry vector_access() {
    KernelEntry entry =
        ptx_step("ptx_06_vector_access", "ptx/06_vector_access.ptx", "sgemm_ptx_vector_access",
                 "PTX: every access to global and shared memory moves a vector");
    entry.parameters =
        joined(register_tiles(128, 128, 8, 8, 8),
               {{"vector_width", "WIDTH", 4, ptx_vector_widths, "elements per access", 2, 4}});
    entry.constraints = {
        {"vector_width must be 2 or 4: PTX has no other vectors of .f32",
         [](Values p) { return p["vector_width"] == 2 || p["vector_width"] == 4; }},
        register_tiles_fill_tile,
        vectors_fill_register_tile,
        {"the number of work-items times vector_width must divide tile_m * tile_k and tile_n * "
         "tile_k: all copy equally many vectors",
         [](Values p) { return shares_tiles(p, items_2d(p) * p["vector_width"]); }},
        {short_ptx_reason, [](Values p) {
             return is_short_ptx(p, items_2d(p), p["work_per_item_m"] * p["work_per_item_n"],
                                 p["vector_width"]);
         }}};
    entry.b = Accepts::mn_major;
    entry.tile = [](Values p) {
        TileShape shape = block_tile_shape(p, p["work_per_item_m"], p["work_per_item_n"]);
        shape.alignment_a = shape.alignment_b = shape.alignment_c = p["vector_width"];
        return shape;
    };
    return entry;
}

} // namespace

std::vector<KernelEntry> ptx_entries() {
    return {ptx_naive(),      coalesced(),      shared_memory_tiles(),
            block_tiles_1d(), block_tiles_2d(), vector_access()};
}

} // namespace libsgemm::catalog
