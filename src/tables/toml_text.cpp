// SPDX-License-Identifier: Apache-2.0
#include "tables/toml_text.hpp"

#include "support/text.hpp"
#include "support/text_stream.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>

namespace libsgemm::tables {
namespace {

constexpr unsigned first_beyond_ascii = 0x80;

/// A character of a text and how many bytes it takes; `code` is negative where they are no UTF-8.
struct Character {
    std::int32_t code = -1;
    std::size_t bytes = 1;
};

/// The character that `text` begins with: not empty.
Character first_character(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    struct Form {
        unsigned mask, lead;
        std::int32_t least;
    };
    // By bytes behind the first; of a character that fewer would do for more are no UTF-8.
    constexpr std::array forms{Form{0x80, 0x00, 0}, Form{0xe0, 0xc0, 0x80}, Form{0xf0, 0xe0, 0x800},
                               Form{0xf8, 0xf0, 0x10000}};
    for (std::size_t more = 0; more < forms.size() && more < text.size(); ++more) {
        const Form form = forms[more];
        if ((byte(0) & form.mask) != form.lead) {
            continue;
        }
        auto code = static_cast<std::int32_t>(byte(0) & ~form.mask & 0xffU);
        for (std::size_t i = 1; i <= more; ++i) {
            if ((byte(i) & 0xc0U) != 0x80U) {
                return {};
            }
            code = code * 64 + static_cast<std::int32_t>(byte(i) & 0x3fU);
        }
        const bool is_surrogate = code >= 0xd800 && code < 0xe000;
        const bool is_character = code >= form.least && code < 0x110000 && !is_surrogate;
        return is_character ? Character{code, more + 1} : Character{};
    }
    return {};
}

std::string escaped(std::int32_t code) {
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), code > 0xffff ? "\\U%08X" : "\\u%04X",
                  static_cast<unsigned>(code));
    return text.data();
}

std::string in_string(Character character) {
    if (character.code < 0) {
        return "?";
    }
    if (character.code == '\n') {
        return "\\n";
    }
    if (character.code >= static_cast<std::int32_t>(first_beyond_ascii) ||
        support::is_control(static_cast<char>(character.code))) {
        return escaped(character.code);
    }
    const char c = static_cast<char>(character.code);
    return c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
}

} // namespace

std::string toml_string(std::string_view text) {
    std::string result = "\"";
    while (!text.empty()) {
        const Character character = first_character(text);
        result += in_string(character);
        text.remove_prefix(character.bytes);
    }
    return result + '"';
}

std::string toml_comment(std::string_view text) {
    std::string result;
    support::TextReader lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
        for (char& c : line) {
            const auto byte = static_cast<unsigned char>(c);
            c = support::is_control(c) ? ' ' : byte >= first_beyond_ascii ? '?' : c;
        }
        result += "# " + line + "\n";
    }
    return result;
}

} // namespace libsgemm::tables
