// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clocale>
#include <locale>
#include <string>

namespace sgemm_test {

/// What a program may choose: 1234.5 is "1.234,5" in its C++ streams, for this object's life; and
/// in its C functions too, where the system has such a locale.
class HostileLocale {
public:
    HostileLocale()
        : before_(std::locale::global(std::locale(std::locale::classic(), new Numbers))),
          c_before_(std::setlocale(LC_ALL, nullptr)) {
        for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"}) {
            if (std::setlocale(LC_ALL, name) != nullptr) {
                c_is_hostile_ = true;
                break;
            }
        }
    }
    ~HostileLocale() {
        std::locale::global(before_);
        std::setlocale(LC_ALL, c_before_.c_str());
    }
    HostileLocale(const HostileLocale&) = delete;
    HostileLocale& operator=(const HostileLocale&) = delete;

    /// Whether the system has such a locale.
    bool c_is_hostile() const { return c_is_hostile_; }

private:
    struct Numbers : std::numpunct<char> {
        char do_decimal_point() const override { return ','; }
        char do_thousands_sep() const override { return '.'; }
        std::string do_grouping() const override { return "\3"; }
    };
    std::locale before_;
    std::string c_before_;
    bool c_is_hostile_ = false;
};

} // namespace sgemm_test
