// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace libsgemm::support {

// What a character is: in ASCII, not in the program's locale.
constexpr bool is_control(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
}
constexpr bool is_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// ASCII lower case; other bytes stay.
std::string to_lower(std::string_view text);

/// "a, b, c"
std::string join(const std::vector<std::string>& parts, std::string_view separator);

/// In double quotes, as TOML and gnuplot read it; control characters become spaces.
std::string quoted(std::string_view text);

/// 1.5e-6 -> "1.50 us"
std::string format_seconds(double seconds);

/// 2097152 -> "2.0 MiB"
std::string format_bytes(double bytes);

/// Value of an environment variable; empty if unset.
std::string environment(const char* name);

/// The number that a text is, all of it; empty if it is none or does not fit.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
    Number value{};
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    return error == std::errc{} && stop == end ? std::optional(value) : std::nullopt;
}

/// What a variable says that turns something on or off: 1, on, yes, true or 0, off, no, false, in
/// letters of either case; empty for other texts.
std::optional<bool> parse_switch(std::string_view text);

/// Whether an environment variable turns something on; `otherwise` where it is not set, or empty.
/// Throws ArgumentError for a text that parse_switch() does not know.
bool environment_switch(const char* name, bool otherwise);

/// "tile_m=64": name and value; empty if the text is none.
std::optional<std::pair<std::string, int>> parse_setting(std::string_view text);

} // namespace libsgemm::support
