// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_entry.hpp"

#include <string_view>
#include <utility>
#include <vector>

namespace sgemm::catalog {

/// The list of main kernels. The first is the naive kernel, the end of every fallback chain.
/// An object, not a global, so that tests can plan and run with kernels of their own.
class KernelCatalog {
public:
    explicit KernelCatalog(std::vector<KernelEntry> entries) : entries_(std::move(entries)) {}

    const std::vector<KernelEntry>& entries() const { return entries_; }
    const KernelEntry& naive() const { return entries_.front(); }
    /// Null where there is none of that name.
    const KernelEntry* find(std::string_view name) const;

private:
    std::vector<KernelEntry> entries_;
};

/// The library's own catalogue: add a kernel by one source file and one entry in it.
const KernelCatalog& kernel_catalog();

/// Steps 1 to 10 of the tutorial progression (kernels/progression/).
std::vector<KernelEntry> progression_entries();
/// The kernel for products of many tiles (kernels/tiled/).
std::vector<KernelEntry> tiled_entries();
/// The kernels for products with few elements, rows or columns (kernels/direct/).
std::vector<KernelEntry> direct_entries();
/// The kernels for CPUs: one work-item per work-group, sums in vector registers (kernels/packed/).
std::vector<KernelEntry> packed_entries();
/// The kernels that use what NVIDIA's devices have beyond OpenCL (kernels/nvidia/).
std::vector<KernelEntry> nvidia_entries();

} // namespace sgemm::catalog
