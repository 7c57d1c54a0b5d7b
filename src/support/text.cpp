// SPDX-License-Identifier: Apache-2.0
#include "support/text.hpp"

#include "sgemm/error.hpp"
#include "support/text_stream.hpp"

#include <array>
#include <cstdlib>
#include <iomanip>

namespace libsgemm::support {
namespace {

struct Unit {
    double scale;
    const char* name;
};

/// The largest unit that leaves at least 1; units are sorted downwards.
template <std::size_t N>
std::string format(double value, const std::array<Unit, N>& units, int decimals) {
    const Unit* chosen = &units.back();
    for (const Unit& unit : units) {
        if (value >= unit.scale) {
            chosen = &unit;
            break;
        }
    }
    TextWriter text;
    text << std::fixed << std::setprecision(decimals) << value / chosen->scale << ' '
         << chosen->name;
    return text.str();
}

} // namespace

std::string to_lower(std::string_view text) {
    std::string lowered(text);
    for (char& c : lowered) {
        if (c >= 'A' && c <= 'Z') {
            c = static_cast<char>(c - 'A' + 'a');
        }
    }
    return lowered;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
    std::string joined;
    for (const std::string& part : parts) {
        if (!joined.empty()) {
            joined += separator;
        }
        joined += part;
    }
    return joined;
}

std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            result += '\\';
        }
        result += is_control(c) ? ' ' : c;
    }
    return result + '"';
}

std::string format_seconds(double seconds) {
    static constexpr std::array units{Unit{1.0, "s"}, Unit{1e-3, "ms"}, Unit{1e-6, "us"}};
    return format(seconds, units, 2);
}

std::string format_bytes(double bytes) {
    static constexpr std::array units{Unit{1024.0 * 1024 * 1024, "GiB"}, Unit{1024.0 * 1024, "MiB"},
                                      Unit{1024.0, "KiB"}, Unit{1.0, "B"}};
    return format(bytes, units, 1);
}

std::string environment(const char* name) {
    const char* value = std::getenv(name); // NOLINT(concurrency-mt-unsafe): read only
    return value == nullptr ? std::string() : std::string(value);
}

std::optional<bool> parse_switch(std::string_view text) {
    const std::string word = to_lower(text);
    for (const char* on : {"1", "on", "yes", "true"}) {
        if (word == on) {
            return true;
        }
    }
    for (const char* off : {"0", "off", "no", "false"}) {
        if (word == off) {
            return false;
        }
    }
    return std::nullopt;
}

bool environment_switch(const char* name, bool otherwise) {
    const std::string text = environment(name);
    if (text.empty()) {
        return otherwise;
    }
    const auto is_on = parse_switch(text);
    if (!is_on) {
        throw ArgumentError(name, text, "must be 0, off, no or false, or 1, on, yes or true");
    }
    return *is_on;
}

std::optional<std::pair<std::string, int>> parse_setting(std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) {
        return std::nullopt;
    }
    const auto value = parse_number<int>(text.substr(equals + 1));
    return value ? std::optional(std::pair(std::string(text.substr(0, equals)), *value))
                 : std::nullopt;
}

} // namespace libsgemm::support
