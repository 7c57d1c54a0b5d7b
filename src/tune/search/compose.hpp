// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tables/device_table.hpp"
#include "tune/search/tasks.hpp"
#include "tune/worker/journal.hpp"
#include "tune/worker/trial_runner.hpp"

#include <set>
#include <span>
#include <string>
#include <vector>

namespace libsgemm::tune {

/// What a table is composed for.
struct Composition {
    const DeviceTraits& device;
    const catalog::KernelCatalog& kernels;
    const tables::DeviceTable& base;       ///< machine, and rows of kernels that nobody tuned
    std::set<std::string> unfinished = {}; ///< kernels whose rows of `base` stay beside new ones
    std::size_t most_rows_of_kernel = 8;
    double worthwhile = 0.02; ///< a further row must make its shapes faster by this, all together
};

/// The rows that the journal has verified for this device and today's kernel sources, chosen so
/// that each shape finds one that is nearly the best; models fitted roughly (`sgemm-tune fit` does
/// better). A kernel without such rows keeps those of `base`.
tables::DeviceTable compose_table(std::span<const TrialRecord> records, const Composition& wanted);

/// Time of a record, drift taken out by its reference where it has one: `reference` is that
/// reference's usual time.
double normalized_seconds(const TrialRecord& record, double reference);

} // namespace libsgemm::tune
