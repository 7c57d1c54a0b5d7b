// SPDX-License-Identifier: Apache-2.0
#include "tables/user_table.hpp"

#include "support/atomic_file.hpp"
#include "tables/toml_text.hpp"

#include <sstream>

namespace sgemm::tables {
namespace {

std::string machine_text(const MachineModel& machine) {
    std::ostringstream text;
    text << "[machine]\n"
         << "launch_us = " << 1e6 * machine.launch_seconds << "\n"
         << "pass_us = " << 1e6 * machine.pass_seconds << "\n"
         << "pass_group_us = " << 1e6 * machine.pass_group_seconds << "\n"
         << "slice_us = " << 1e6 * machine.slice_seconds << "\n"
         << "bandwidth_gbs = " << 1e-9 * machine.bandwidth << "\n"
         << "transpose_bandwidth_gbs = " << 1e-9 * machine.transpose_bandwidth << "\n"
         << "flops_per_cycle_per_unit = " << machine.flops_per_cycle_per_unit << "\n";
    if (machine.ld_period > 0) {
        text << "ld_period = " << machine.ld_period << "\nld_slowdown = " << machine.ld_slowdown
             << "\n";
    }
    if (machine.sum_bandwidth > 0) {
        text << "sum_us = " << 1e6 * machine.sum_seconds
             << "\nsum_gbs = " << 1e-9 * machine.sum_bandwidth << "\n";
    }
    if (machine.call_seconds > 0) {
        text << "call_us = " << 1e6 * machine.call_seconds << "\n";
    }
    if (machine.launch_unit_seconds > 0) {
        text << "launch_unit_us = " << 1e6 * machine.launch_unit_seconds << "\n";
    }
    if (machine.wake_seconds > 0) {
        text << "wake_us = " << 1e6 * machine.wake_seconds << "\n";
    }
    if (machine.cache_ways > 0) {
        text << "cache_ways = " << machine.cache_ways
             << "\ncache_line_ns = " << 1e9 * machine.cache_line_seconds << "\n";
    }
    if (machine.memory_bandwidth > 0) {
        text << "memory_gbs = " << 1e-9 * machine.memory_bandwidth << "\n";
    }
    if (machine.sharing_bandwidth > 0) {
        text << "sharing_gbs = " << 1e-9 * machine.sharing_bandwidth << "\n";
    }
    return text.str();
}

std::string choice_text(const Choice& choice) {
    return "\n[[choice]]\nproblems = " + toml_string(choice.problems) +
           "\nplan = " + toml_string(choice.plan) + "\n";
}

} // namespace

std::string user_table_text(const DeviceTable& table, const DeviceTraits& device) {
    const auto microarchitecture = known_microarchitecture(device);
    return "description = " + toml_string(device.name + ", this machine's own") +
           "\nrows_from = " + toml_string(table.embedded_rows()) + "\n\n" +
           (microarchitecture
                ? "[match]\nmicroarchitecture = " + toml_string(*microarchitecture) + "\n\n"
                : "") +
           machine_text(table.machine);
}

void save_choice(const std::string& file, const Choice& choice, const DeviceTable& table,
                 const DeviceTraits& device) {
    support::update_file(file, [&](const std::string& before) {
        std::string text = before.empty() ? user_table_text(table, device) : before;
        const std::string entry = choice_text(choice);
        const std::string start = entry.substr(0, entry.find("\nplan"));
        const auto old = text.find(start + "\n");
        if (old != std::string::npos) {
            const auto end = text.find("\n[[", old + 1);
            text.erase(old, end == std::string::npos ? end : end - old);
        }
        return text + (text.back() == '\n' ? "" : "\n") + entry;
    });
}

} // namespace sgemm::tables
