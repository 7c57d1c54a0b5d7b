// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <locale>
#include <sstream>
#include <string>

namespace libsgemm::support {

/// Writes numbers as every program reads them, whatever locale this one has chosen: a stream of the
/// standard library takes decimal comma and grouping from the program's.
class TextWriter : public std::ostringstream {
public:
    TextWriter() { imbue(std::locale::classic()); }
};

/// Reads what a TextWriter wrote.
class TextReader : public std::istringstream {
public:
    explicit TextReader(const std::string& text) : std::istringstream(text) {
        imbue(std::locale::classic());
    }
};

} // namespace libsgemm::support
