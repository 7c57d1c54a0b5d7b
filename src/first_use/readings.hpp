// SPDX-License-Identifier: Apache-2.0
// What times say: other programs, and clocks that are low, make readings longer, at any moment, and
// hardly ever shorter.
#pragma once

#include "sgemm/device.hpp"
#include "tables/device_table.hpp"

#include <cstddef>
#include <vector>

namespace libsgemm::first_use {

/// `values` is not empty; of an even number the later one of the two in the middle.
double median(std::vector<double> values);

/// Which of several plans comes first, by the seconds of each one's runs, taken alternately: the
/// first one, which is predicted to, unless another is clearly faster, by its fastest run as by its
/// median one. There is one, and each has runs.
std::size_t clearly_fastest(const std::vector<std::vector<double>>& plans);

/// Seconds of passes, each kind at least twice.
struct MachineReadings {
    std::vector<double> launches; ///< with next to nothing to do
    std::vector<double> passes;   ///< that write `pass_bytes`, far more than caches hold
    double pass_bytes = 0;
};

/// The model with the launch time and the bandwidth that the best readings say: each one only if
/// another reading says nearly the same, and if it is not too far from the model to be true of a
/// device of its kind.
tables::MachineModel with_readings(tables::MachineModel machine, const MachineReadings& readings,
                                   const DeviceTraits& device);

/// The model with this bandwidth of copies, in bytes per second, as measured, and the others in
/// proportion.
tables::MachineModel with_bandwidth(tables::MachineModel machine, double bandwidth);

} // namespace libsgemm::first_use
