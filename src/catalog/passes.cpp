// SPDX-License-Identifier: Apache-2.0
#include "catalog/passes.hpp"

#include <algorithm>

namespace libsgemm::catalog {

namespace {

/// Work-group shape and work per item of a pass that runs along columns.
struct ColumnShape {
    int rows;
    int columns;
    int columns_per_item;
};

/// Work-group shape of a transposition, and its tile in local memory.
struct TransposeShape {
    int tile;
    int rows;
    int columns;
};

// CPU shapes are measured through PoCL: there, one work-item that owns the tile transposes it twice
// as fast as many that share it. GPU shapes follow from what GPUs have in common: 32 to 64
// work-items along memory, 256 per work-group.
constexpr ColumnShape cpu_columns = {256, 1, 8};
constexpr ColumnShape gpu_columns = {64, 4, 4};
constexpr TransposeShape cpu_transpose = {32, 1, 1};
constexpr TransposeShape gpu_transpose = {32, 32, 8};
constexpr int columns_in_registers = 1024; // that a CPU's work-item transposes, of a square's rows

/// `extent`, halved until it is no more than `limit`. Extents are powers of two, so divisors of
/// what they divided before.
int at_most(int extent, std::int64_t limit) {
    while (extent > 1 && extent > limit)
        extent /= 2;
    return extent;
}

/// Fits a work-group into the device's limits, along columns first.
void fit(int& rows, int& columns, const DeviceTraits& device) {
    rows = at_most(rows, std::min(device.max_work_group_size, device.max_work_item_sizes[0]));
    columns = at_most(columns,
                      std::min(device.max_work_group_size / rows, device.max_work_item_sizes[1]));
}

PassEntry column_pass(PassEntry pass, const DeviceTraits& device) {
    ColumnShape shape = device.type == DeviceType::cpu ? cpu_columns : gpu_columns;
    fit(shape.rows, shape.columns, device);
    pass.defines = {{"LOCAL_ROWS", std::to_string(shape.rows)},
                    {"LOCAL_COLS", std::to_string(shape.columns)},
                    {"COLS_PER_ITEM", std::to_string(shape.columns_per_item)}};
    pass.tile_rows = shape.rows;
    pass.tile_columns = std::int64_t{shape.columns} * shape.columns_per_item;
    pass.local = {shape.rows, shape.columns};
    return pass;
}

std::int64_t transpose_bytes(int tile) {
    return std::int64_t{tile} * (tile + 1) * 4;
}

PassEntry make_transpose_pass(PassEntry pass, const DeviceTraits& device) {
    TransposeShape shape = device.type == DeviceType::cpu ? cpu_transpose : gpu_transpose;
    while (shape.tile > 1 && transpose_bytes(shape.tile) > device.local_memory_bytes)
        shape.tile /= 2;
    shape.rows = at_most(shape.rows, shape.tile);
    shape.columns = at_most(shape.columns, shape.tile);
    fit(shape.rows, shape.columns, device);
    pass.defines = {{"TILE", std::to_string(shape.tile)},
                    {"LOCAL_ROWS", std::to_string(shape.rows)},
                    {"LOCAL_COLS", std::to_string(shape.columns)}};
    pass.tile_rows = pass.tile_columns = shape.tile;
    pass.local = {shape.rows, shape.columns};
    pass.local_memory_bytes = transpose_bytes(shape.tile);
    pass.transposes = true;
    return pass;
}

/// For a device whose work-items have vector registers.
PassEntry packed_transpose_pass(const DeviceTraits& device, bool streamed) {
    constexpr int line = 16; // elements of a cache line
    const int width = device.native_vector_width >= 16  ? 16
                      : device.native_vector_width >= 8 ? 8
                                                        : 4;
    const int tile_rows = streamed ? line : width;
    PassEntry pass{"packed_transpose", "packed/transpose.cl", "sgemm_packed_transpose",
                   "writes the transpose of a block, by way of registers"};
    pass.defines = {{"WIDTH", std::to_string(width)},
                    {"TILE_ROWS", std::to_string(tile_rows)},
                    {"TILE_COLS", std::to_string(columns_in_registers)},
                    {"STREAMED", streamed ? "1" : "0"}};
    pass.tile_rows = tile_rows;
    pass.tile_columns = columns_in_registers;
    pass.transposes = true;
    return pass;
}

} // namespace

PassEntry pad_pass(const DeviceTraits& device) {
    return column_pass({"pad", "prepass/pad.cl", "sgemm_pad",
                        "copies a block and fills it with zeros up to a larger one"},
                       device);
}

PassEntry transpose_pass(const DeviceTraits& device, bool streamed) {
    if (device.type == DeviceType::cpu) {
        return packed_transpose_pass(device, streamed);
    }
    return make_transpose_pass(
        {"transpose", "prepass/transpose.cl", "sgemm_transpose", "writes the transpose of a block"},
        device);
}

PassEntry pad_transpose_pass(const DeviceTraits& device) {
    return make_transpose_pass(
        {"pad_transpose", "prepass/pad_transpose.cl", "sgemm_pad_transpose",
         "writes the transpose of a block, filled with zeros up to a larger one"},
        device);
}

PassEntry unpad_pass(const DeviceTraits& device) {
    return column_pass({"unpad", "prepass/unpad.cl", "sgemm_unpad",
                        "takes C out of a padded product: C = P + beta * C"},
                       device);
}

PassEntry scale_pass(const DeviceTraits& device) {
    return column_pass({"scale", "prepass/scale.cl", "sgemm_scale",
                        "scales C where nothing is multiplied: C = beta * C"},
                       device);
}

PassEntry reduce_pass(const DeviceTraits& device) {
    PassEntry pass =
        column_pass({"reduce", "prepass/reduce.cl", "sgemm_reduce",
                     "adds the parts of a split product: C = alpha * (P0 + P1 + ...) + beta * C"},
                    device);
    pass.defines.emplace_back("SHARERS", "1");
    return pass;
}

PassEntry shared_reduce_pass(const DeviceTraits& device) {
    constexpr int rows = 32;
    constexpr int sharers = 8;
    PassEntry pass = reduce_pass(device);
    pass.name = "reduce_shared";
    if (device.max_work_group_size < std::int64_t{rows} * sharers ||
        device.max_work_item_sizes[0] < rows || device.max_work_item_sizes[2] < sharers) {
        return pass;
    }
    pass.defines = {{"LOCAL_ROWS", std::to_string(rows)},
                    {"LOCAL_COLS", "1"},
                    {"COLS_PER_ITEM", "1"},
                    {"SHARERS", std::to_string(sharers)}};
    pass.tile_rows = rows;
    pass.tile_columns = 1;
    pass.local = {rows, 1};
    pass.sharers = sharers;
    pass.local_memory_bytes = std::int64_t{sharers - 1} * rows * 4;
    return pass;
}

PassEntry gather_pass(int tile_m, int tile_n, int raster) {
    constexpr int columns_per_item = 4; // as in kernels/nvidia/gather.cl
    PassEntry pass{"gather", "nvidia/gather.cl", "sgemm_gather",
                   "completes tiles whose steps of k work-groups have shared"};
    pass.defines = {{"TSM", std::to_string(tile_m)},
                    {"TSN", std::to_string(tile_n)},
                    {"RASTER", std::to_string(raster)}};
    pass.local = {32, 8};
    pass.tile_rows = pass.local[0];
    pass.tile_columns = std::int64_t{pass.local[1]} * columns_per_item;
    return pass;
}

std::vector<PassEntry> passes(const DeviceTraits& device) {
    return {pad_pass(device),           transpose_pass(device, false),
            pad_transpose_pass(device), unpad_pass(device),
            scale_pass(device),         reduce_pass(device),
            shared_reduce_pass(device)};
}

} // namespace libsgemm::catalog
