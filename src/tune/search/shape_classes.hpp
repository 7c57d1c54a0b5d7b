// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/device.hpp"
#include "tune/worker/trial.hpp"

#include <string>
#include <vector>

namespace libsgemm::tune {

/// Shapes that ask the same of a device. The first one stands for the others where time is short.
struct ShapeClass {
    std::string name;
    std::vector<Shape> shapes;
};

/// What sgemm-tune tunes for by itself: square, odd, skinny, deep, llm, conv, ld1024 and small, in
/// sizes that suit the device.
std::vector<ShapeClass> default_classes(const DeviceTraits& device);

/// Others at which models are learnt besides: skinny and tiny products of further sizes, whose
/// times differ most from row to row, then those of the default classes in all combinations of
/// transposes.
std::vector<Shape> related_shapes(const DeviceTraits& device);

} // namespace libsgemm::tune
