// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sgemm::support {

/// ASCII lower case; other bytes stay.
std::string to_lower(std::string_view text);

/// "a, b, c"
std::string join(const std::vector<std::string>& parts, std::string_view separator);

/// 1.5e-6 -> "1.50 us"
std::string format_seconds(double seconds);

/// 2097152 -> "2.0 MiB"
std::string format_bytes(double bytes);

/// Value of an environment variable; empty if unset.
std::string environment(const char* name);

} // namespace sgemm::support
