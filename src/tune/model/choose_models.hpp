// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/device.hpp"
#include "tables/device_table.hpp"
#include "tune/model/campaign.hpp"
#include "tune/model/fit.hpp"
#include "tune/model/regret.hpp"

#include <string>
#include <vector>

namespace sgemm::tune {

/// Where the models of a table can come from.
enum class ModelSource {
    given,    ///< as the table has them
    adjusted, ///< fitted from those
    fitted,   ///< fitted from typical values: the table was made for other devices
};

std::string to_string(ModelSource source);

struct ChosenModels {
    ModelSource source = ModelSource::given;
    /// At each of the campaign's shapes, by models that have not seen it.
    std::vector<ShapeRegret> regrets;
};

/// Which models of `given` choose best at shapes that they have not seen: halves of a campaign's shapes are planned
/// by what the other half teaches. Those given stay unless others are better by more than chance. Every shape of the
/// campaign takes part, held out or not.
ChosenModels choose_models(const Campaign& campaign, const tables::DeviceTable& given,
                           const DeviceTraits& device);

/// `given` with models from there, learnt from the campaign's shapes that are not held out.
tables::DeviceTable models_from(ModelSource source, const Campaign& campaign,
                                const tables::DeviceTable& given, const DeviceTraits& device);

} // namespace sgemm::tune
