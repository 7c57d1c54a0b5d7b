// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_entry.hpp"
#include "plan/plan_value.hpp"
#include "sgemm/device.hpp"
#include "tables/device_table.hpp"
#include "tune/fit/measurement_run.hpp"

#include <string>
#include <vector>

namespace libsgemm::tune {

/// A measured plan with what its time is predicted from.
struct Observation {
    std::size_t shape = 0; ///< index of the measurement run's shape
    int row = -1;          ///< of the table; negative: none, and its model is not fitted
    std::vector<planning::PassWork> passes;
    const catalog::KernelEntry* kernel = nullptr;
    std::vector<planning::Work> launches; ///< of the main kernel
    catalog::TileShape tile;
    double seconds = 0;
    double ratio = 1; ///< to the best of its shape
    double spread = 0;
};

/// A measurement run in the terms of a table.
struct Observations {
    std::vector<Observation> plans;
    std::size_t unknown = 0; ///< measured plans that the table does not offer (any more)
};

/// Finds each measured plan among those that the table offers. Peeled ones are left out: they are
/// several rows' work.
Observations observe(const MeasurementRun& run, const tables::DeviceTable& table,
                     const DeviceTraits& device);

/// Predicted seconds.
double predict(const Observation& observation, const tables::KernelModel& model,
               const tables::MachineModel& machine, const DeviceTraits& device);

} // namespace libsgemm::tune
