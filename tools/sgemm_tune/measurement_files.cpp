// SPDX-License-Identifier: Apache-2.0
#include "measurement_files.hpp"

#include "support/text.hpp"
#include "tune/fit/traits_facts.hpp"

#include <iostream>
#include <stdexcept>

namespace libsgemm::tune {

void MeasurementFiles::add_to(CLI::App& command) {
    command.add_option("files", files, "What `sgemm-tune measure` wrote")
        ->required()
        ->check(CLI::ExistingFile);
    command.add_option("--table", table, "Device table (default: as the library chooses)")
        ->check(CLI::ExistingFile);
}

tables::DeviceTable table_for(const std::string& file, const DeviceTraits& device) {
    std::string complaint;
    auto table = tables::load_table(file, device, catalog::kernel_catalog(), complaint);
    if (!complaint.empty()) {
        std::cerr << complaint << '\n';
    }
    return table;
}

tables::ChoiceFile choice_file(const tables::DeviceTable& table, const DeviceTraits& device) {
    return {tables::choices_path(device), false,
            tables::table_key(table, device, catalog::kernel_catalog()),
            tables::device_key(device)};
}

tables::DeviceTable table_before(const std::string& file, const DeviceTraits& device) {
    const std::string named = file.empty() ? support::environment("SGEMM_TABLE") : file;
    tables::DeviceTable table = table_for(named, device);
    if (!named.empty()) {
        return table;
    }
    std::string complaint;
    const tables::ChoiceFile choices = choice_file(table, device);
    auto kept = tables::read_choices(choices, complaint);
    const std::string dropped = tables::drop_stale_choices(kept, choices.path, "Context::tune()",
                                                           catalog::kernel_catalog());
    for (const std::string& line : {complaint, dropped}) {
        std::cerr << line << (line.empty() ? "" : "\n");
    }
    table.choices.insert(table.choices.end(), kept.begin(), kept.end());
    return table;
}

namespace {

std::string name_of(const DeviceTraits& device) {
    return device.name +
           (device.microarchitecture.empty() ? "" : " (" + device.microarchitecture + ")");
}

} // namespace

LoadedRun load(const MeasurementFiles& options) {
    LoadedRun loaded;
    for (const std::string& file : options.files) {
        MeasurementRun run = read_measurement_run(file);
        const DeviceTraits device = traits_from(run.facts);
        if (run.shapes.empty() || device.name.empty()) {
            throw std::runtime_error(file + ": holds no measurements of sgemm-tune measure");
        }
        if (loaded.run.shapes.empty()) {
            loaded.run.facts = run.facts;
            loaded.device = device;
        } else if (device.name != loaded.device.name ||
                   device.microarchitecture != loaded.device.microarchitecture) {
            throw std::runtime_error(file + ": is of " + name_of(device) + ", not of " +
                                     name_of(loaded.device) + " as " + options.files.front());
        }
        merge(loaded.run, run);
    }
    loaded.table = table_for(options.table, loaded.device);
    return loaded;
}

} // namespace libsgemm::tune
