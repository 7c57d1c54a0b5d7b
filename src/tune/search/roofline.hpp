// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge/shape.hpp"
#include "sgemm/device.hpp"
#include "tables/device_table.hpp"

namespace libsgemm::tune {

/// What a device can do at best: the seconds of a product's arithmetic at its peak, or of reading A
/// and B and writing C once, whichever are more. By what its table says, so an estimate: where a
/// row is faster than the peak by units and clock, that is the peak.
double least_seconds(const judge::Shape& shape, const tables::DeviceTable& table,
                     const DeviceTraits& device);

} // namespace libsgemm::tune
