// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tune/search/tuner.hpp"

#include <string>

namespace libsgemm::tune {

/// Shows how a run is getting on: one line that changes where standard error is a terminal, else a
/// line every half a minute.
class ProgressBar {
public:
    ProgressBar();
    ~ProgressBar();
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    void show(const Progress& progress);

private:
    bool terminal_;
    bool shown_ = false;
    double next_ = 0;
};

/// "2:05"
std::string minutes(double seconds);

/// 0.414 -> "41 %"
std::string percent(double share);

/// "90", "90s", "5m", "1h" as seconds. Throws ArgumentError naming `option`.
double parse_budget(const std::string& option, const std::string& text);

/// What came of it, for people.
void print_summary(const TuningOutcome& outcome);

} // namespace libsgemm::tune
