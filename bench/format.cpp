// SPDX-License-Identifier: Apache-2.0
#include "format.hpp"

#include <cmath>
#include <cstdio>

namespace sgemm::bench {

std::string format_number(double value) {
    const double size = std::abs(value);
    char text[32];
    if (size >= 100.0) {
        (void)std::snprintf(text, sizeof text, "%.0f", value);
    } else {
        (void)std::snprintf(text, sizeof text, "%.3g", value);
    }
    return text;
}

std::string format_seconds(double seconds) {
    if (seconds < 1e-3) {
        return format_number(seconds * 1e6) + " us";
    }
    if (seconds < 1.0) {
        return format_number(seconds * 1e3) + " ms";
    }
    return seconds < 120.0 ? format_number(seconds) + " s" : format_number(seconds / 60.0) + " min";
}

} // namespace sgemm::bench
