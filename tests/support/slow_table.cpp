// SPDX-License-Identifier: Apache-2.0
#include "support/slow_table.hpp"

#include <cstdint>
#include <sstream>

namespace sgemm_test {
namespace {

std::string rows_for(const libsgemm::DeviceTraits& device) {
    if (device.type == libsgemm::DeviceType::cpu) {
        return "cpu-512bit.toml";
    }
    return device.vendor_key == "nvidia" ? "nvidia-h200.toml" : "generic-gpu.toml";
}

} // namespace

std::string slow_table(const libsgemm::DeviceTraits& device, const SlowCosts& costs) {
    constexpr double flops_per_us = 4000;
    constexpr std::int64_t unknown_clock_mhz = 1000; // what the cost model takes then
    const std::int64_t mhz = device.clock_mhz > 0 ? device.clock_mhz : unknown_clock_mhz;
    std::ostringstream table;
    table << "description = \"slow compute units\"\nrows_from = \"" << rows_for(device) << "\"\n"
          << "[machine]\nlaunch_us = " << costs.launch_us << "\npass_us = " << costs.pass_us
          << "\nflops_per_cycle_per_unit = " << flops_per_us / static_cast<double>(mhz) << '\n';
    return table.str();
}

} // namespace sgemm_test
