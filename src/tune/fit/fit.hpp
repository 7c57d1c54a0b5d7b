// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/device.hpp"
#include "tables/device_table.hpp"
#include "tune/fit/measurement_run.hpp"

#include <string>
#include <vector>

namespace libsgemm::tune {

/// What the coefficients of a row are expected to be before its plans are looked at.
enum class Prior {
    typical, ///< what coefficients of kernels are on devices in general
    /// what the table says, with a third of the uncertainty: it was fitted to devices like this one
    given,
};

struct FitOptions {
    Prior prior = Prior::typical;
    int rounds = 2;               ///< machine, then rows, then what rows of a kernel have in common
    int polish_rounds = 12;       ///< small moves towards a smaller regret on the fitted shapes
    std::size_t least_plans = 8;  ///< a row with fewer measured plans keeps its model ...
    bool doubt_unmeasured = true; ///< ... but for an efficiency that is lower, each time
    double bandwidth_doubt = 1.5; ///< factor by which the table's bandwidths may be wrong
};

/// How well a row's model meets what was measured.
struct RowFit {
    std::size_t row = 0;
    std::size_t plans = 0;   ///< measured; 0: the row kept its model
    double median_error = 0; ///< of |log(predicted / measured)|
    double p90_error = 0;
};

struct Fit {
    tables::DeviceTable table; ///< with fitted models
    std::vector<RowFit> rows;
    std::size_t unknown_plans = 0; ///< measured, but not offered by the table
};

/// Fits the models of a table's rows and its machine to the shapes of a measurement run that are
/// not held out, by robust least squares on the logarithm of the times; plans near the best of
/// their shape count most.
Fit fit_table(const MeasurementRun& run, const tables::DeviceTable& table,
              const DeviceTraits& device, const FitOptions& options = {});

/// The text of a device table with the models of `fitted` in place of its own; all else stays as it
/// is, comments too. Throws ConfigurationError where the text cannot be changed line by line.
std::string with_models(const std::string& text, const tables::DeviceTable& fitted);

} // namespace libsgemm::tune
