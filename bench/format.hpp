// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace libsgemm::bench {

/// With as few digits as tell something: "0.0214", "3.21", "47.1", "1250".
std::string format_number(double value);

/// With a fitting unit: "17.4 us", "2.31 ms", "45 s", "12 min".
std::string format_seconds(double seconds);

} // namespace libsgemm::bench
