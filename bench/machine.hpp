// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "implementations/implementation.hpp"
#include "options.hpp"

#include <map>
#include <string>

namespace libsgemm::bench {

/// What a figure must be published with: library and commit, device, driver and clocks, CPU, the
/// peers' versions, the command. (Google Benchmark adds the date and the host.)
std::map<std::string, std::string> describe_measurement(const Options& options,
                                                        const Environment& environment,
                                                        const Implementations& implementations);

} // namespace libsgemm::bench
