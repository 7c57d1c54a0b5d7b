// SPDX-License-Identifier: Apache-2.0
#include "format.hpp"

#include "support/text_stream.hpp"

#include <cmath>
#include <iomanip>

namespace libsgemm::bench {

std::string format_number(double value) {
    support::TextWriter text;
    if (std::abs(value) >= 100.0) {
        text << std::fixed << std::setprecision(0) << value;
    } else {
        text << std::setprecision(3) << value;
    }
    return text.str();
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

} // namespace libsgemm::bench
