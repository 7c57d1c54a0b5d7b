// SPDX-License-Identifier: Apache-2.0
#include "campaign_options.hpp"

#include "tune/fit/traits_facts.hpp"

#include <iostream>
#include <stdexcept>

namespace libsgemm::tune {

void CampaignOptions::add_to(CLI::App& command) {
    command.add_option("campaign", files, "What `sgemm-tune measure` wrote")
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

namespace {

std::string name_of(const DeviceTraits& device) {
    return device.name +
           (device.microarchitecture.empty() ? "" : " (" + device.microarchitecture + ")");
}

} // namespace

LoadedCampaign load(const CampaignOptions& options) {
    LoadedCampaign loaded;
    for (const std::string& file : options.files) {
        Campaign campaign = read_campaign(file);
        const DeviceTraits device = traits_from(campaign.header.facts);
        if (campaign.shapes.empty() || device.name.empty()) {
            throw std::runtime_error(file + ": holds no measurements of sgemm-tune measure");
        }
        if (loaded.campaign.shapes.empty()) {
            loaded.campaign.header = campaign.header;
            loaded.device = device;
        } else if (device.name != loaded.device.name ||
                   device.microarchitecture != loaded.device.microarchitecture) {
            throw std::runtime_error(file + ": is of " + name_of(device) + ", not of " +
                                     name_of(loaded.device) + " as " + options.files.front());
        }
        merge(loaded.campaign, campaign);
    }
    loaded.table = table_for(options.table, loaded.device);
    return loaded;
}

} // namespace libsgemm::tune
