// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tables/device_table.hpp"

#include <span>
#include <string>

namespace sgemm::tune {

/// A coefficient of a model as the fit sees it: fits move its logarithm.
template <class Model>
struct Coefficient {
    const char* key = ""; ///< in a device table
    double Model::*field = nullptr;
    double unit = 1; ///< of the key in units of the field: 1e-6 for "_us"
    double least = 0;
    double most = 0;
    double typical = 0;     ///< what a row without data gets; 0: as the table has it
    double uncertainty = 1; ///< of the logarithm, before anything is measured
    int digits = 3;         ///< that a table shows
};

/// The longest that a fit takes beginning a work-group of a CPU for. Two EPYC cores with threads awake: 0.02 to 0.3 us.
constexpr double most_group_seconds_of_cpu = 1e-6;

/// All but `groups_per_unit`, which is not continuous.
std::span<const Coefficient<tables::KernelModel>> kernel_coefficients();
std::span<const Coefficient<tables::MachineModel>> machine_coefficients();

/// Those that no fit moves and that are not at their defaults, as the end of a model in a table:
/// ", in_place_period = 1024".
std::string fixed_coefficients(const tables::KernelModel& model);

/// What is expected of a row's model where nothing better is known: its own values, or typical ones.
tables::KernelModel typical_model(const tables::KernelModel& row);

/// What a fitted table says of a row; what it leaves open is typical.
tables::KernelModel given_model(const tables::KernelModel& row);

} // namespace sgemm::tune
