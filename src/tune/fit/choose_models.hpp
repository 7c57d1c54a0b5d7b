// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/device.hpp"
#include "tables/device_table.hpp"
#include "tune/fit/fit.hpp"
#include "tune/fit/measurement_run.hpp"
#include "tune/fit/regret.hpp"

#include <array>
#include <string>
#include <vector>

namespace libsgemm::tune {

/// Where the models of a table can come from.
enum class ModelSource {
    given,    ///< as the table has them
    adjusted, ///< fitted from those
    refitted, ///< fitted from typical values: the table was made for other devices
};

constexpr std::array<ModelSource, 3> model_sources{ModelSource::given, ModelSource::adjusted,
                                                   ModelSource::refitted};

std::string to_string(ModelSource source);

/// `given` with models from there, learnt from the measurement run's shapes that are not held out.
tables::DeviceTable models_from(ModelSource source, const MeasurementRun& run,
                                const tables::DeviceTable& given, const DeviceTraits& device);

/// At each of a measurement run's shapes, held out or not, by models from there that were learnt
/// from the other fold. Shapes of equal extents are in one fold, whatever their transposes.
std::vector<ShapeRegret> cross_validated_regrets(ModelSource source, const MeasurementRun& run,
                                                 const tables::DeviceTable& given,
                                                 const DeviceTraits& device);

/// How much less one has than another, logarithmic, where both took a plan that was measured: the
/// mean over extents less two standard errors. At most zero where fewer than eight extents can be
/// compared.
double sure_gain(const std::vector<ShapeRegret>& from, const std::vector<ShapeRegret>& to);

/// The source whose models choose best by cross-validation. Those given stay unless others gain for
/// sure.
ModelSource choose_models(const MeasurementRun& run, const tables::DeviceTable& given,
                          const DeviceTraits& device);

} // namespace libsgemm::tune
