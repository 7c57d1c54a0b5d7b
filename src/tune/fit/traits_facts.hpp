// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/device.hpp"

#include <map>
#include <string>

namespace libsgemm::tune {

/// cpu, gpu, accelerator or other.
const char* type_name(DeviceType type);

/// What planning knows of a device, as text: a measurement run can be fitted where its device is
/// not.
std::map<std::string, std::string> to_facts(const DeviceTraits& traits);

/// The inverse; what is missing keeps its default. Throws std::runtime_error for a number that is
/// none.
DeviceTraits traits_from(const std::map<std::string, std::string>& facts);

} // namespace libsgemm::tune
