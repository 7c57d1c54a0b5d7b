// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace libsgemm::tables {

/// A string as TOML has it, quotes included: reading it gives the same text again. In ASCII,
/// whatever the text holds; what is no UTF-8 (compilers' messages, drivers' names) becomes question
/// marks.
std::string toml_string(std::string_view text);

/// A comment of as many lines as the text has, each with its "# " and its end. What a comment must
/// not hold becomes blanks, and what is not ASCII question marks.
std::string toml_comment(std::string_view text);

} // namespace libsgemm::tables
