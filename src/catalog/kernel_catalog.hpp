// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_entry.hpp"
#include "catalog/sources.hpp"
#include "sgemm/kernels.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace libsgemm::catalog {

/// The list of main kernels. The first is the naive kernel, the end of every fallback chain.
/// An object, not a global, so that tests can plan and run with kernels of their own.
class KernelCatalog {
public:
    explicit KernelCatalog(std::vector<KernelEntry> entries, std::vector<KernelEntry> schemes = {},
                           SourceFinder find_source = catalog::find_source)
        : entries_(std::move(entries)), schemes_(std::move(schemes)), find_source_(find_source) {}

    const std::vector<KernelEntry>& entries() const { return entries_; }
    /// Main kernels that split operands (KernelEntry::precision): not of the contract of the
    /// others.
    const std::vector<KernelEntry>& schemes() const { return schemes_; }
    const KernelEntry& naive() const { return entries_.front(); }
    /// An entry, of FP32 emulation too; null where there is none of that name.
    const KernelEntry* find(std::string_view name) const;
    /// SHA-256 of its source, hexadecimal; empty where there is no such kernel or source.
    std::string_view source_hash(std::string_view name) const;
    /// Its first 16 digits, as tables and journals have them.
    std::string short_source_hash(std::string_view name) const {
        return std::string(source_hash(name).substr(0, 16));
    }
    /// What finds the sources of its kernels and of all passes.
    SourceFinder source_finder() const { return find_source_; }

private:
    std::vector<KernelEntry> entries_;
    std::vector<KernelEntry> schemes_;
    SourceFinder find_source_;
};

/// The library's own catalogue: add a kernel by one source file and one entry in it.
const KernelCatalog& kernel_catalog();

/// As people see it: what kernels() says of a catalogue.
std::vector<KernelInfo> list(const KernelCatalog& catalog);

/// Steps 1 to 10 of the tutorial progression (kernels/progression/).
std::vector<KernelEntry> progression_entries();
/// The kernel for products of many tiles (kernels/tiled/).
std::vector<KernelEntry> tiled_entries();
/// The kernels for products with few elements, rows or columns (kernels/direct/).
std::vector<KernelEntry> direct_entries();
/// The kernel for products of few steps (kernels/flat/).
std::vector<KernelEntry> flat_entries();
/// The kernels for CPUs: one work-item per work-group, sums in vector registers (kernels/packed/).
std::vector<KernelEntry> packed_entries();
/// The kernels that use what NVIDIA's devices have beyond OpenCL (kernels/nvidia/).
std::vector<KernelEntry> nvidia_entries();
/// A ladder of kernels in PTX, which NVIDIA's driver loads as binaries (kernels/ptx/).
std::vector<KernelEntry> ptx_entries();
/// The kernels of FP32 emulation (kernels/emulated/).
std::vector<KernelEntry> emulated_entries();

} // namespace libsgemm::catalog
