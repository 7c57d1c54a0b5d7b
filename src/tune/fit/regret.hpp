// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/device.hpp"
#include "tables/device_table.hpp"
#include "tune/fit/measurement_run.hpp"

#include <string>
#include <vector>

namespace libsgemm::tune {

/// What the planner's choice costs on a shape.
struct ShapeRegret {
    std::string shape;
    std::string suite;
    double regret = 1;   ///< measured time of the choice over that of the best plan measured
    bool covered = true; ///< the planner's first choice was measured; else its first one that was
    std::string chosen;
    std::string best;
    double chosen_us = 0, best_us = 0;
    double chosen_predicted_us = 0, best_predicted_us = 0;
};

/// A suite's regrets, or all.
struct RegretSummary {
    std::string suite;
    std::size_t shapes = 0;
    std::size_t covered = 0;
    double geomean = 1;
    double p95 = 1;
    double worst = 1;
    std::string worst_shape;
};

/// A measured plan with today's prediction, for a scatter plot.
struct PredictedTime {
    double predicted_us = 0;
    double measured_us = 0;
    std::string kernel;
};

/// Which shapes of a measurement run count.
enum class ShapeSet { held_out, fitted };

std::vector<ShapeRegret> regrets(const MeasurementRun& run, const tables::DeviceTable& table,
                                 const DeviceTraits& device, ShapeSet set);

/// One per suite in the order of their names, and "all" at the end.
std::vector<RegretSummary> summarise(const std::vector<ShapeRegret>& regrets);

std::vector<PredictedTime> predicted_times(const MeasurementRun& run,
                                           const tables::DeviceTable& table,
                                           const DeviceTraits& device, ShapeSet set);

} // namespace libsgemm::tune
