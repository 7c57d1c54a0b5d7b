// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/device.hpp"
#include "tables/device_table.hpp"
#include "tune/search/tuner.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace libsgemm::tune {

/// The options of sgemm-tune without a subcommand, as they were given.
struct TuneCommand {
    std::string device, budget = "10m", output, journal, strategy, picture, table, command;
    std::string install, explain;
    std::vector<std::string> kernels, shapes, restrictions;
    std::int64_t seed = 1;
    bool resume = false, list = false, for_architecture = false, dry_run = false;
};

/// "tile_m=16,32". Throws ArgumentError.
Restrictions parse_restrictions(const std::vector<std::string>& texts);

/// --list: search spaces and rules.
void list_spaces(const TuneCommand& options, const DeviceTraits& device);

/// How long the shapes that are named take at least, a line or two; none where there are none.
std::string time_warning(const TunerOptions& options, const tables::DeviceTable& base,
                         const DeviceTraits& device);

/// --dry-run: what a run would do.
void print_intentions(const TunerOptions& options, const tables::DeviceTable& base,
                      const DeviceTraits& device, const std::string& output,
                      const std::string& journal);

/// --explain SHAPE: the plan that a call takes, why, and what else there is. `table_file` empty: by
/// the table that a program would plan with.
void explain(const std::string& name, const std::string& table_file, const DeviceTraits& device);

} // namespace libsgemm::tune
