// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace libsgemm::tables {

/// A device table as the build embedded it.
struct EmbeddedTable {
    std::string_view path; ///< under tuning/devices/, e.g. "nvidia-h200.toml"
    std::string_view text;
};

/// All embedded device tables, ordered by path. Written by cmake/embed_kernels.cmake.
std::span<const EmbeddedTable> embedded_tables();

} // namespace libsgemm::tables
