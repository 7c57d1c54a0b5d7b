// SPDX-License-Identifier: Apache-2.0
//
// Kernels for NVIDIA devices. Constraints and tile shape mirror the #error lines and local arrays
// of kernels/nvidia/*.cl.
#include "catalog/kernel_catalog.hpp"
#include "catalog/rules.hpp"

namespace libsgemm::catalog {

namespace {

constexpr int ring_extents[] = {16, 32, 64, 128, 192, 256};
constexpr int ring_depths[] = {8, 16, 32};
constexpr int ring_work[] = {4, 8, 12, 16};
constexpr int ring_lane_counts[] = {4, 8};
constexpr int ring_stage_counts[] = {2, 3, 4, 6, 8, 12, 16};
constexpr int copy_ways[] = {0, 1, 2, 3};
constexpr int copy_widths[] = {1, 2, 4};
constexpr int product_orders[] = {0, 1, 2, 3};
constexpr int register_limits[] = {0, 128, 168};

std::vector<ParameterSpec> ring_parameters() {
    return {
        {"tile_m", "TSM", 128, ring_extents, "rows of C per work-group"},
        {"tile_n", "TSN", 128, ring_extents, "columns of C per work-group"},
        {"tile_k", "TSK", 8, ring_depths, "depth of a stage"},
        {"work_per_item_m", "WPTM", 8, ring_work, "rows of C per work-item"},
        {"work_per_item_n", "WPTN", 8, ring_work, "columns of C per work-item"},
        {"lanes_m", "LANES_M", 8, ring_lane_counts, "lanes of a warp along m"},
        {"stages", "STAGES", 3, ring_stage_counts, "pairs of tiles in local memory"},
        {"copy", "COPY", 0, copy_ways,
         "0: loads and stores; 1: cp.async, barriers; 2: bulk copies where rows are aligned, "
         "mbarriers; 3: cp.async, mbarriers",
         0, 3},
        {"load_width_a", "LOAD_A", 4, copy_widths, "elements of A per copy"},
        {"load_width_b", "LOAD_B", 4, copy_widths, "elements of B per copy"},
        {"raster", "RASTER", 0, raster_bands,
         "tiles along n of the bands that work-groups walk through; 0 and 1: rows of all tiles", 0},
        {"order", "ORDER", 0, product_orders,
         "1: products run along n, not m; 2: vectors from the last to the first; 3: both", 0, 3},
        {max_registers_name, "", 0, register_limits,
         "registers that a work-item may use; 0: as many as there are", 0, 255}};
}

// Beside sums and two sets of vectors: addresses, counters.
constexpr int other_registers = 8;

int least_registers(Values p) {
    const int m = p["work_per_item_m"];
    const int n = p["work_per_item_n"];
    return m * n + m + n + other_registers;
}

/// Registers that a compute unit has for each work-item of a work-group: warps get them four at a
/// time.
int most_registers(Values p) {
    constexpr int all = 65536;
    constexpr int most_of_an_item = 255;
    const int items = (items_2d(p) + 127) / 128 * 128;
    return std::min(all / items, most_of_an_item);
}

bool is_quad(int extent) {
    return extent > 0 && extent % 4 == 0;
}

/// Of every kernel whose stages are as kernels/nvidia/tiles.clh says.
std::vector<Constraint> stage_constraints() {
    return {
        {"lanes_m must be 4 or 8: the lanes of a warp are 4 x 8 or 8 x 4",
         [](Values p) { return p["lanes_m"] == 4 || p["lanes_m"] == 8; }},
        {"work_per_item_m and work_per_item_n must be multiples of 4: a lane reads local memory by "
         "vectors of 4",
         [](Values p) { return is_quad(p["work_per_item_m"]) && is_quad(p["work_per_item_n"]); }},
        {"lanes_m * work_per_item_m must divide tile_m, and (32 / lanes_m) * work_per_item_n "
         "tile_n: blocks of whole warps fill a work-group's tile",
         [](Values p) {
             return divides(p["lanes_m"] * p["work_per_item_m"], p["tile_m"]) &&
                    divides(32 / p["lanes_m"] * p["work_per_item_n"], p["tile_n"]);
         }},
        {"tile_k must be 8, 16, 24 or 32: a warp transposes 8 steps of k at a time, and a stage is "
         "multiplied in straight-line code",
         [](Values p) { return divides(8, p["tile_k"]) && p["tile_k"] <= 32; }},
        {"load_width_a and load_width_b must be 1, 2 or 4: no copy has another width",
         [](Values p) { return divides(p["load_width_a"], 4) && divides(p["load_width_b"], 4); }},
        {"load widths of 2 need copy 0: no table has coefficients of other copies of 8 bytes",
         [](Values p) {
             return p["copy"] == 0 || (p["load_width_a"] != 2 && p["load_width_b"] != 2);
         }},
        {"a work-item may have at most 2048 products in a stage, 1024 where copy is 0: they are "
         "straight-line code, which 32 KiB of an instruction cache hold, and for which other "
         "compilers take long",
         [](Values p) {
             const int most_products = p["copy"] == 0 ? 1024 : 2048;
             return p["work_per_item_m"] * p["work_per_item_n"] <= most_products / p["tile_k"];
         }}};
}

/// What the warps of a work-group sort their columns in before they store them
/// (kernels/nvidia/products.clh).
std::int64_t staging_elements(Values p) {
    constexpr int more = 16;
    const int lines = 32 / p["lanes_m"];
    return std::int64_t{items_2d(p)} / 32 * lines * (p["lanes_m"] * p["work_per_item_m"] + more);
}

std::vector<Constraint> ring_constraints() {
    return joined(
        stage_constraints(),
        {{"stages must be at least 2, and 3 where copy is 2 or 3: one is multiplied, one is "
          "filled, one lets warps be a step apart",
          [](Values p) { return p["stages"] >= (p["copy"] >= 2 ? 3 : 2); }},
         {"the stages must have room for what work-items store by way of local memory",
          [](Values p) {
              return staging_elements(p) <=
                     std::int64_t{p["stages"]} * p["tile_k"] * (p["tile_m"] + p["tile_n"]);
          }},
         {"a work-item's sums and vectors must fit in its share of 65536 registers",
          [](Values p) { return p["copy"] == 0 || least_registers(p) <= most_registers(p); }},
         {"max_registers must leave room for a work-item's sums and vectors, and needs copy 1, 2 "
          "or 3: it would change nothing",
          [](Values p) {
              const int most = p["max_registers"];
              return most == 0 || (p["copy"] > 0 && most >= least_registers(p));
          }}});
}

/// Work-groups must see what others have left: where PTX says how, or all share one memory. And
/// more sums of an item than these leave no registers for those of other work-groups.
bool sums_in_launch(const DeviceTraits& device, Values p) {
    constexpr int most_sums = 64;
    return (device.has_nvidia_ptx || device.type == DeviceType::cpu) &&
           p["work_per_item_m"] * p["work_per_item_n"] <= most_sums;
}

constexpr std::int64_t said_bytes = 16; ///< what one work-item tells the others about it

/// Both tiles with the unused elements of a transposed one, and the mbarriers.
TileShape ring_shape(Values p) {
    constexpr std::int64_t padding = 4;
    TileShape shape = tile_of(p);
    shape.local = {items_2d(p), 1};
    const std::int64_t stages = p["stages"];
    shape.local_memory_bytes =
        float_bytes(stages * shape.k * (shape.m + shape.n + 2 * padding)) + said_bytes;
    if (p["copy"] >= 2) {
        shape.local_memory_bytes += 16 * stages;
    }
    shape.alignment_a = p["load_width_a"];
    shape.alignment_b = p["load_width_b"];
    return shape;
}

std::int64_t ring_extension_bytes(Values p, int rows, int columns) {
    if (rows * columns > items_2d(p)) {
        return -1; // each has one element of the corner
    }
    return float_bytes(std::int64_t{p["stages"]} * p["tile_k"] * (rows + columns));
}

KernelEntry ring() {
    KernelEntry entry{"ring", "nvidia/ring.cl", "sgemm_ring",
                      "register tiles over a ring of stages that asynchronous copies keep full"};
    entry.device_type = DeviceType::gpu;
    entry.parameters = ring_parameters();
    entry.constraints = ring_constraints();
    entry.needs = {
        {"copy 1 needs cp.async, that is an NVIDIA device of compute capability 8.0",
         [](const DeviceTraits& device, Values p) {
             return p["copy"] == 0 || (device.has_nvidia_ptx && device.compute_capability >= 80);
         }},
        {"copy 2 and 3 need mbarriers and bulk copies, that is compute capability 9.0",
         [](const DeviceTraits& device, Values p) {
             return p["copy"] < 2 || (device.has_nvidia_ptx && device.compute_capability >= 90);
         }}};
    entry.a = Accepts::either;
    entry.b = Accepts::either;
    entry.edges = Edges::selectable;
    entry.split_k = SplitK::at_build;
    entry.family = Tiled{.extension_bytes = ring_extension_bytes,
                         .sums_in_launch = sums_in_launch,
                         .transposes_by_element = true,
                         .max_ld = (std::int64_t{1} << 30U) - 1}; // its length in bytes has 32 bits
    entry.tile = ring_shape;
    return entry;
}

// --- persistent ----------------------------------------------------------------------------------

constexpr int persistent_extents[] = {32, 64, 128, 256};
constexpr int persistent_depths[] = {8, 16};
constexpr int persistent_work[] = {8, 16};
constexpr int persistent_stage_counts[] = {2, 4, 8, 12, 16};
constexpr int persistent_copies[] = {0, 3};
constexpr int persistent_registers[] = {0, 208, 216, 224};
constexpr int items_of_producers = 128;

std::vector<ParameterSpec> persistent_parameters() {
    return {
        {"tile_m", "TSM", 128, persistent_extents, "rows of C per tile"},
        {"tile_n", "TSN", 128, persistent_extents, "columns of C per tile"},
        {"tile_k", "TSK", 8, persistent_depths, "depth of a stage"},
        {"work_per_item_m", "WPTM", 8, persistent_work, "rows of C per work-item"},
        {"work_per_item_n", "WPTN", 8, persistent_work, "columns of C per work-item"},
        {"lanes_m", "LANES_M", 8, ring_lane_counts, "lanes of a warp along m"},
        {"stages", "STAGES", 2, persistent_stage_counts, "pairs of tiles in local memory"},
        {"copy", "COPY", 0, persistent_copies,
         "0: the work-items that multiply copy, for tests; 3: four warps copy by cp.async", 0, 3},
        {"math_registers", "MATH_REGISTERS", 0, persistent_registers,
         "registers of a work-item that multiplies; only with copy 3", 0, 240},
        {"load_width_a", "LOAD_A", 4, copy_widths, "elements of A per copy"},
        {"load_width_b", "LOAD_B", 4, copy_widths, "elements of B per copy"},
        {"raster", "RASTER", 8, raster_bands,
         "tiles along n of the bands in which tiles are listed; 0 and 1: rows of all tiles", 0},
        {"order", "ORDER", 0, product_orders,
         "1: products run along n, not m; 2: vectors from the last to the first; 3: both", 0, 3}};
}

std::vector<Constraint> persistent_constraints() {
    return joined(stage_constraints(),
                  {{"copy must be 0 or 3: no other way has producers for both storage forms",
                    [](Values p) { return p["copy"] == 0 || p["copy"] == 3; }},
                   {"with copy 3, 256 work-items multiply, and math_registers is a multiple of 8 "
                    "from 168 to 240: three groups of 128 share 504",
                    [](Values p) {
                        const int most = p["math_registers"];
                        return p["copy"] == 0 ||
                               (items_2d(p) == 256 && most % 8 == 0 && most >= 168 && most <= 240);
                    }},
                   {"a work-item's sums and vectors must fit in math_registers, which needs copy 3",
                    [](Values p) {
                        return p["copy"] == 0 ? p["math_registers"] == 0
                                              : least_registers(p) <= p["math_registers"];
                    }},
                   {"tile_m and tile_n must be multiples of 32 up to 256: gather completes blocks "
                    "of 32 x 32, and the bytes of a tile's rows have 32 bits",
                    [](Values p) {
                        return divides(32, p["tile_m"]) && divides(32, p["tile_n"]) &&
                               p["tile_m"] <= 256 && p["tile_n"] <= 256;
                    }},
                   {"stages must be at least 2: one is multiplied, one is filled",
                    [](Values p) { return p["stages"] >= 2; }}});
}

TileShape persistent_shape(Values p) {
    constexpr std::int64_t padding = 4;
    TileShape shape = tile_of(p);
    shape.local = {items_2d(p) + (p["copy"] == 0 ? 0 : items_of_producers), 1};
    const std::int64_t stages = p["stages"];
    shape.local_memory_bytes =
        float_bytes(stages * shape.k * (shape.m + shape.n + 2 * padding)) + 16 * stages;
    shape.alignment_a = p["load_width_a"];
    shape.alignment_b = p["load_width_b"];
    return shape;
}

KernelEntry persistent() {
    KernelEntry entry{
        "persistent", "nvidia/persistent.cl", "sgemm_persistent",
        "work-groups that stay, with producers, and share the last tiles' steps of k"};
    entry.device_type = DeviceType::gpu;
    entry.parameters = persistent_parameters();
    entry.constraints = persistent_constraints();
    entry.needs = {{"copy 3 needs setmaxnreg, that is compute capability 9.0 and no other",
                    [](const DeviceTraits& device, Values p) {
                        return p["copy"] == 0 ||
                               (device.has_nvidia_ptx && device.compute_capability == 90);
                    }}};
    entry.a = Accepts::either;
    entry.b = Accepts::either;
    entry.edges = Edges::selectable;
    entry.split_k = SplitK::stream_k;
    Persistent family;
    family.shifts = false; // zeros at the edges cost the multiplying warps nothing
    family.extension_bytes = [](Values, int, int) -> std::int64_t {
        return 0; // what is left over is summed from global memory
    };
    family.transposes_by_element = true;
    family.max_ld = (std::int64_t{1} << 22U) - 1; // the bytes of a tile's rows have 32 bits
    entry.family = family;
    entry.tile = persistent_shape;
    entry.architecture_specific = [](Values p) { return p["copy"] != 0; };
    return entry;
}

} // namespace

std::vector<KernelEntry> nvidia_entries() {
    return {ring(), persistent()};
}

} // namespace libsgemm::catalog
