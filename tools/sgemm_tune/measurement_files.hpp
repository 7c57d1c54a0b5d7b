// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/device.hpp"
#include "tables/choices.hpp"
#include "tables/device_table.hpp"
#include "tune/fit/measurement_run.hpp"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace libsgemm::tune {

/// What fit and validate have in common: recorded measurement runs and a table.
struct MeasurementFiles {
    std::vector<std::string> files;
    std::string table;

    void add_to(CLI::App& command);
};

/// The table of a file, or the one that the library would use. Throws ConfigurationError.
tables::DeviceTable table_for(const std::string& file, const DeviceTraits& device);

/// What programs plan with, and so what there is before a run: the file if one is given, else what
/// the library would use, $SGEMM_TABLE and the choices that programs found for themselves among it.
tables::DeviceTable table_before(const std::string& file, const DeviceTraits& device);

/// The user's file of choices, for that table. Its path is empty where there is no home.
tables::ChoiceFile choice_file(const tables::DeviceTable& table, const DeviceTraits& device);

/// Measurement runs of one device, merged, with that device and the table in question.
struct LoadedRun {
    MeasurementRun run;
    DeviceTraits device;
    tables::DeviceTable table;
};

/// Throws std::runtime_error for files that hold nothing or are of different devices.
LoadedRun load(const MeasurementFiles& options);

} // namespace libsgemm::tune
