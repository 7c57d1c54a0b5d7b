// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_entry.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace libsgemm::catalog {

/// A copy pass around a main kernel, with its parameters chosen for one device.
/// Its OpenCL interface is in kernels/README.md. A work-group writes a tile of the output:
/// the NDRange has ceil(rows / tile_rows) x ceil(columns / tile_columns) x batch work-groups.
struct PassEntry {
    std::string_view name;     ///< "pad_transpose"
    std::string_view source;   ///< "prepass/pad_transpose.cl"
    std::string_view function; ///< "sgemm_pad_transpose"
    std::string_view summary;
    Defines defines = {};
    std::int64_t tile_rows = 1;    ///< rows (dimension 0) of the output per work-group
    std::int64_t tile_columns = 1; ///< columns (dimension 1) of the output per work-group
    std::array<int, 2> local = {1, 1};
    int sharers = 1; ///< work-items (dimension 2) that share each element of the output
    bool transposes = false;
    std::int64_t local_memory_bytes = 0;

    int work_items() const { return local[0] * local[1] * sharers; }
};

/// Copies a block and fills it with zeros up to a larger one.
PassEntry pad_pass(const DeviceTraits& device);
/// Writes the transpose of a block; `streamed`, on a CPU: around its caches, if the output lies in
/// whole cache lines.
PassEntry transpose_pass(const DeviceTraits& device, bool streamed);
/// Writes the transpose of a block, filled with zeros up to a larger one.
PassEntry pad_transpose_pass(const DeviceTraits& device);
/// C = P + beta * C, where P is a padded product.
PassEntry unpad_pass(const DeviceTraits& device);
/// C = beta * C, where nothing is multiplied.
PassEntry scale_pass(const DeviceTraits& device);
/// C = alpha * sum + beta * C, where the parts of the sum come from a split of k; in fixed order.
PassEntry reduce_pass(const DeviceTraits& device);
/// The same where elements are few and partial sums many: work-items share those of an element.
PassEntry shared_reduce_pass(const DeviceTraits& device);
/// Completes the tiles of C, so large and listed in such bands, that work-groups have cut.
PassEntry gather_pass(int tile_m, int tile_n, int raster);
/// All that any operands may need, for tests and tools that enumerate.
std::vector<PassEntry> passes(const DeviceTraits& device);

} // namespace libsgemm::catalog
