// SPDX-License-Identifier: Apache-2.0
//
// The kernel for products of few steps. Constraints and tile shape mirror the #error lines and the
// local array of kernels/flat/flat.cl.
#include "catalog/kernel_catalog.hpp"
#include "catalog/rules.hpp"

#include <bit>

namespace libsgemm::catalog {

namespace {

constexpr int flat_extents[] = {32, 64, 128};
constexpr int flat_rows[] = {1, 2, 4};
constexpr int flat_columns[] = {4, 8, 16, 32};
constexpr int flat_blocks[] = {4, 8, 16};
constexpr int flat_stage_counts[] = {1, 2, 3};
constexpr int flat_unroll_depths[] = {0, 4};
constexpr int flat_least[] = {1};
constexpr int flat_most[] = {16, 32, 48, 64};
constexpr int flat_registers[] = {0, 128};

constexpr int deepest_flat = 64;
constexpr int most_chunk = 16; ///< steps of a stage of the ring
constexpr int warp = 32;
constexpr int sector = 8; ///< elements

bool holds_a(Values p) {
    return p["stages"] == 1;
}

int chunk_of(Values p) {
    return holds_a(p) ? p["most_k"] : std::min(most_chunk, p["most_k"]);
}

bool is_power_of_two(int extent) {
    return extent > 0 && std::has_single_bit(static_cast<unsigned>(extent));
}

std::vector<ParameterSpec> flat_parameters() {
    return {
        {"tile_m", "TSM", 64, flat_extents, "rows of C per work-group", 1, 1024},
        {"tile_n", "TSN", 128, flat_extents, "columns of C per work-group", 1, 1024},
        {"work_per_item_m", "WPTM", 2, flat_rows, "rows of C per work-item", 1, 64},
        {"work_per_item_n", "WPTN", 16, flat_columns, "columns of C per work-item", 1, 64},
        {"step_n", "STEP_N", 4, flat_blocks, "columns of a work-item at a time", 1, 64},
        {"stages", "STAGES", 1, flat_stage_counts,
         "1: work-items hold their rows of A; else stages of both operands in local memory", 1, 16},
        {"stage_a", "STAGE_A", 1, switches, "1: A that is held comes by way of local memory", 0, 1},
        {"unroll_k", "UNROLL_K", 0, flat_unroll_depths,
         "steps of k to unroll where A is not held; 0: all", 0, deepest_flat},
        {"align_c", "ALIGN_C", 1, switches, "1: warps store whole sectors of memory", 0, 1},
        {"copy", "COPY", 0, switches, "0: loads and stores; 1: cp.async", 0, 1},
        {"stream", "STREAM", 0, switches, "1: stores that the cache gives up first", 0, 1},
        {"least_k", "", 1, flat_least, "least k of the products that get it", 1, deepest_flat},
        {"most_k", "", 32, flat_most, "most k", 1, deepest_flat},
        {max_registers_name, "", 0, flat_registers,
         "registers that a work-item may use; 0: as many as there are", 0, 255}};
}

std::vector<Constraint> flat_constraints() {
    return {
        {"tile_m and tile_n must be powers of two: work-items share out copies",
         [](Values p) { return is_power_of_two(p["tile_m"]) && is_power_of_two(p["tile_n"]); }},
        {"32 * work_per_item_m must divide tile_m, and work_per_item_n tile_n: a warp stores 32 "
         "rows of a column",
         [](Values p) {
             return divides(warp * p["work_per_item_m"], p["tile_m"]) &&
                    divides(p["work_per_item_n"], p["tile_n"]);
         }},
        {"step_n must divide work_per_item_n, and 4 step_n: B comes by vectors of 4",
         [](Values p) {
             return divides(p["step_n"], p["work_per_item_n"]) && divides(4, p["step_n"]);
         }},
        {"with more than one stage step_n must be work_per_item_n and stage_a 0: A is not held",
         [](Values p) {
             return holds_a(p) || (p["step_n"] == p["work_per_item_n"] && p["stage_a"] == 0);
         }},
        {"unroll_k must be 0 with one stage: steps of an A that is held are unrolled",
         [](Values p) { return !holds_a(p) || p["unroll_k"] == 0; }},
        {"align_c needs tile_n / work_per_item_n to be a multiple of 8: columns so far apart begin "
         "at the same place in a sector",
         [](Values p) {
             return p["align_c"] == 0 || p["tile_n"] / p["work_per_item_n"] % sector == 0;
         }},
        {"least_k must be at most most_k", [](Values p) { return p["least_k"] <= p["most_k"]; }},
        {"an A that is held may have 192 elements of a work-item (most_k * work_per_item_m): they "
         "are registers",
         [](Values p) { return !holds_a(p) || p["most_k"] * p["work_per_item_m"] <= 192; }},
        {"a work-item may issue at most 2048 fmas at once: they are unrolled completely",
         [](Values p) { return p["work_per_item_m"] * p["step_n"] * chunk_of(p) <= 2048; }},
        {"max_registers needs copy 1 or stream 1: elsewhere it would change nothing",
         [](Values p) { return p["max_registers"] == 0 || p["copy"] + p["stream"] > 0; }}};
}

TileShape flat_shape(Values p) {
    TileShape shape;
    shape.m = p["tile_m"];
    shape.n = p["tile_n"];
    shape.k = chunk_of(p);
    shape.extra_rows = p["align_c"] == 1 ? sector - 1 : 0;
    shape.least_k = p["least_k"];
    shape.most_k = p["most_k"];
    const int columns = p["work_per_item_n"];
    const int items_n = shape.n / columns;
    shape.local = {shape.m / p["work_per_item_m"], items_n};
    // Unused elements of a row whose steps several work-items copy.
    const int padding = shape.k > 4 ? 4 : shape.k > 2 ? 8 : shape.k > 1 ? 16 : 0;
    const int row_a = shape.m + padding + (p["align_c"] == 1 ? sector : 0);
    const int apart = p["align_c"] == 1 && columns % sector == 0 ? 4 : 0;
    const int row_b = items_n * (columns + apart) + padding;
    shape.local_memory_bytes = float_bytes(std::int64_t{p["stages"]} * shape.k * (row_a + row_b));
    const int sums = p["work_per_item_m"] * p["step_n"];
    shape.private_floats =
        sums + (holds_a(p) ? shape.k * p["work_per_item_m"] : p["work_per_item_m"]) + p["step_n"];
    return shape;
}

KernelEntry flat() {
    KernelEntry entry{"flat", "flat/flat.cl", "sgemm_flat",
                      "few steps of k: warps store whole sectors of C at any leading dimension"};
    entry.device_type = DeviceType::gpu;
    entry.suits = [](Product product, const DeviceTraits& device) {
        return product.k <= deepest_flat && is_not_thin(product, device);
    };
    entry.parameters = flat_parameters();
    entry.constraints = flat_constraints();
    entry.needs = {{"copy 1 and stream 1 need cp.async and cache hints, that is an NVIDIA device "
                    "of compute capability 8.0",
                    [](const DeviceTraits& device, Values p) {
                        return p["copy"] + p["stream"] == 0 ||
                               (device.has_nvidia_ptx && device.compute_capability >= 80);
                    }}};
    entry.a = Accepts::either;
    entry.b = Accepts::either;
    entry.edges = Edges::any_size;
    entry.family = Flat{};
    entry.tile = flat_shape;
    return entry;
}

} // namespace

std::vector<KernelEntry> flat_entries() {
    return {flat()};
}

} // namespace libsgemm::catalog
