// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tables/device_table.hpp"

#include <span>

namespace libsgemm::tune {

/// A coefficient of a model as the fit sees it: fits move its logarithm.
template <class Model>
struct Coefficient {
    double Model::*field = nullptr;
    double least = 0; ///< in the field's unit
    double most = 0;
    double typical = 0;     ///< what a row without data gets; 0: as the table has it
    double uncertainty = 1; ///< of the logarithm, before anything is measured
};

/// The longest that a fit takes beginning a work-group of a CPU for. Two EPYC cores with threads awake: 0.02 to 0.3 us.
constexpr double most_group_seconds_of_cpu = 1e-6;

/// All but `groups_per_unit`, which is not continuous.
std::span<const Coefficient<tables::KernelModel>> kernel_coefficients();
std::span<const Coefficient<tables::MachineModel>> machine_coefficients();

/// What is expected of a row's model where nothing better is known: its own values, or typical ones.
tables::KernelModel typical_model(const tables::KernelModel& row);

/// What a fitted table says of a row; what it leaves open is typical.
tables::KernelModel given_model(const tables::KernelModel& row);

} // namespace libsgemm::tune
