// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_catalog.hpp"
#include "sgemm/device.hpp"
#include "tables/device_table.hpp"
#include "tune/search/shape_classes.hpp"
#include "tune/worker/trial.hpp"

#include <string>
#include <vector>

namespace libsgemm::tune {

/// One search: a kernel's parameters for a class of shapes.
struct Task {
    const catalog::KernelEntry* kernel = nullptr;
    ShapeClass shapes; ///< those that suit the kernel
    double weight = 1; ///< share of the time
    bool wins = false; ///< the planner takes the kernel for some of the shapes already
};

/// Kernels x classes where a kernel is made for the class; what wins today gets most of the time.
/// Empty `names`: the kernels for production, and the steps of the progression and the PTX ladder
/// that `table` chooses for some of the shapes. Throws ArgumentError for names that there are not.
std::vector<Task> make_tasks(const catalog::KernelCatalog& catalog,
                             const std::vector<std::string>& names,
                             const std::vector<ShapeClass>& classes,
                             const tables::DeviceTable& table, const DeviceTraits& device);

/// How the planner would most likely have this row meet the shape: guarded where tiles do not fit,
/// as much split-K as fills the device.
Variant usual_variant(const catalog::KernelEntry& kernel, const catalog::Parameters& parameters,
                      const Shape& shape, const DeviceTraits& device);

/// The other variants worth a measurement.
std::vector<Variant> other_variants(const catalog::KernelEntry& kernel,
                                    const catalog::Parameters& parameters, const Shape& shape,
                                    const DeviceTraits& device);

/// The plan that a table's predictions choose for a shape, as a configuration.
Configuration predicted_best(const Shape& shape, const tables::DeviceTable& table,
                             const DeviceTraits& device, const catalog::KernelCatalog& catalog);

} // namespace libsgemm::tune
