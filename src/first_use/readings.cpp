// SPDX-License-Identifier: Apache-2.0
#include "first_use/readings.hpp"

#include "plan/cost_model.hpp"

#include <algorithm>
#include <optional>

namespace libsgemm::first_use {
namespace {

double fastest(const std::vector<double>& seconds) {
    return *std::min_element(seconds.begin(), seconds.end());
}

/// The least reading, where the one next to it says nearly the same: on a machine with other work
/// they scatter.
std::optional<double> agreed(std::vector<double> seconds) {
    constexpr double tolerance = 1.25;
    std::sort(seconds.begin(), seconds.end());
    return seconds[0] > 0 && seconds[1] <= tolerance * seconds[0] ? std::optional(seconds[0])
                                                                  : std::nullopt;
}

/// Devices of a kind differ, the slow ones by less than the fast ones; a reading that is too slow
/// is other work's.
bool is_plausible(double measured, double typical) {
    constexpr double slower = 8;
    constexpr double faster = 64;
    return measured * slower >= typical && measured <= typical * faster;
}

} // namespace

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

std::size_t clearly_fastest(const std::vector<std::vector<double>>& plans) {
    constexpr double clearly = 0.95;
    const double least = clearly * fastest(plans[0]);
    const double usual = clearly * median(plans[0]);
    std::size_t first = 0;
    for (std::size_t i = 1; i < plans.size(); ++i) {
        const bool is_ahead = fastest(plans[i]) < least && median(plans[i]) < usual;
        if (is_ahead && median(plans[i]) < median(plans[first])) {
            first = i;
        }
    }
    return first;
}

tables::MachineModel with_bandwidth(tables::MachineModel machine, double bandwidth) {
    const double factor = bandwidth / machine.bandwidth;
    machine.bandwidth = bandwidth;
    machine.bandwidth_units = 0; // it is of this device, with all its units
    machine.transpose_bandwidth *= factor;
    if (machine.memory_bandwidth > 0) {
        machine.memory_bandwidth = std::max(machine.memory_bandwidth, bandwidth);
    }
    return machine;
}

tables::MachineModel with_readings(tables::MachineModel machine, const MachineReadings& readings,
                                   const DeviceTraits& device) {
    const auto launch = agreed(readings.launches);
    const auto pass = agreed(readings.passes);
    if (launch && pass && *pass > *launch) {
        const double bandwidth = readings.pass_bytes / (*pass - *launch);
        if (is_plausible(bandwidth, machine.bandwidth)) {
            machine = with_bandwidth(machine, bandwidth);
        }
    }
    const bool calls = planning::launches_by_calling(machine, device);
    const double usual = calls ? machine.calling_thread_launch_seconds : machine.launch_seconds;
    if (launch && is_plausible(1 / *launch, 1 / usual)) {
        constexpr double least = 1e-7;
        (calls ? machine.calling_thread_launch_seconds : machine.launch_seconds) =
            std::max(*launch, least);
        machine.launch_unit_seconds = 0; // it is of this device, with all its units
    }
    return machine;
}

} // namespace libsgemm::first_use
