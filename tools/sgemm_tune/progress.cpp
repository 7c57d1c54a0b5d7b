// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include "sgemm/error.hpp"
#include "support/text.hpp"
#include "support/text_stream.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iomanip>
#include <iostream>
#include <unistd.h>

namespace libsgemm::tune {
namespace {

std::string bar(double share) {
    constexpr int cells = 24;
    const int full = static_cast<int>(cells * std::clamp(share, 0.0, 1.0));
    return '[' + std::string(static_cast<std::size_t>(full), '#') +
           std::string(static_cast<std::size_t>(cells - full), '.') + ']';
}

std::string line_of(const Progress& progress) {
    support::TextWriter text;
    text << bar(progress.seconds / progress.budget_seconds) << ' '
         << minutes(std::max(0.0, progress.budget_seconds - progress.seconds)) << " left  "
         << progress.task << ": " << progress.activity;
    if (progress.gflops > 0) {
        text << ", best " << std::fixed << std::setprecision(progress.gflops < 100 ? 1 : 0)
             << progress.gflops << " GFLOPS, " << percent(progress.share)
             << " of what the device can do";
    } else if (progress.best_speedup > 0) {
        text << ", best " << std::fixed << std::setprecision(2) << progress.best_speedup << "x";
    }
    text << "  (" << progress.trials << " trials";
    if (progress.failures > 0) {
        text << ", " << progress.failures << " failed";
    }
    text << ')';
    return text.str();
}

} // namespace

ProgressBar::ProgressBar() : terminal_(isatty(STDERR_FILENO) != 0) {}

ProgressBar::~ProgressBar() {
    if (terminal_ && shown_) {
        std::cerr << '\n';
    }
}

void ProgressBar::show(const Progress& progress) {
    constexpr double half_a_minute = 30;
    if (progress.seconds < next_) {
        return;
    }
    next_ = progress.seconds + (terminal_ ? 0.2 : half_a_minute);
    shown_ = true;
    if (terminal_) {
        std::cerr << '\r' << line_of(progress) << "\033[K" << std::flush;
    } else {
        std::cerr << line_of(progress) << std::endl;
    }
}

std::string minutes(double seconds) {
    const long whole = std::lround(seconds);
    support::TextWriter text;
    text << whole / 60 << ':' << std::setw(2) << std::setfill('0') << whole % 60;
    return text.str();
}

std::string percent(double share) {
    return std::to_string(std::lround(100 * share)) + " %";
}

double parse_budget(const std::string& option, const std::string& text) {
    const std::string unit = text.substr(text.find_last_not_of("smh") + 1);
    const auto value =
        support::parse_number<double>(std::string_view(text).substr(0, text.size() - unit.size()));
    const double scale = unit.empty() || unit == "s" ? 1
                         : unit == "m"               ? 60
                         : unit == "h"               ? 3600
                                                     : 0;
    if (!value || !(*value > 0) || std::isinf(*value) || scale == 0) {
        throw ArgumentError(option, text, "must be a time such as 90s, 5m or 1h");
    }
    return *value * scale;
}

namespace {

void print_classes(const std::vector<ClassOutcome>& classes) {
    std::cout << "\nclass      speed-up  GFLOPS  best, at the class's first shape\n";
    for (const ClassOutcome& c : classes) {
        std::cout << std::left << std::setw(10) << c.name << ' ' << std::right << std::fixed
                  << std::setprecision(2) << std::setw(7) << c.speedup << "x " << std::setw(7)
                  << std::setprecision(c.gflops < 100 ? 1 : 0) << c.gflops << "  " << c.winner
                  << '\n';
    }
}

std::string time_text(double seconds) {
    return seconds > 0 ? support::format_seconds(seconds) : "-";
}

void print_shapes(const std::vector<TunedShape>& shapes) {
    std::cout << "\nshape                          before       after  best measured  of the device"
                 "  plan\n";
    std::size_t measured = 0;
    std::size_t changed = 0;
    double logs = 0;
    double worst = 1;
    for (const TunedShape& s : shapes) {
        std::cout << std::left << std::setw(26) << judge::shape_name(s.shape) << std::right
                  << std::setw(11) << time_text(s.before) << std::setw(12) << time_text(s.after)
                  << std::setw(15) << time_text(s.best) << std::setw(15)
                  << (s.after > 0 ? percent(s.share) : "-") << "  "
                  << (s.changed ? s.winner : "as before: " + s.winner) << '\n';
        changed += s.changed ? 1 : 0;
        if (s.after > 0) {
            ++measured;
            logs += std::log(s.before / s.after);
            worst = std::max(worst, s.after / s.best);
        }
    }
    std::cout << "\n" << changed << " of " << shapes.size() << " shapes take another plan now.";
    if (measured > 0) {
        std::cout << std::fixed << std::setprecision(2)
                  << " Geometric mean: " << std::exp(logs / static_cast<double>(measured))
                  << " times as fast as before; none is more than "
                  << static_cast<int>(std::ceil(100 * (worst - 1)))
                  << " % behind the best plan measured.";
    }
    std::cout << '\n';
    constexpr double too_much = 1.05;
    if (std::ranges::any_of(shapes, [](const TunedShape& s) { return s.share > too_much; })) {
        std::cout << "more than 100 % of the device: the table before knows too little of it "
                     "(flops_per_cycle_per_unit, bandwidth_gbs)\n";
    }
}

void print_failures(const TuningOutcome& outcome) {
    for (const auto& [kernel, failures] : outcome.failures) {
        if (!outcome.runs.contains(kernel)) {
            std::cout << "nothing of " << kernel << " ran: " << failures.count << " trial"
                      << (failures.count == 1 ? "" : "s") << ", the last one: " << failures.last
                      << '\n';
        }
    }
    if (!outcome.trouble.empty()) {
        std::cout << "the run ended early: " << outcome.trouble << '\n';
    }
}

} // namespace

void print_summary(const TuningOutcome& outcome) {
    if (outcome.tuned.empty()) {
        print_classes(outcome.classes);
    } else {
        print_shapes(outcome.tuned);
    }
    std::cout << '\n';
    print_failures(outcome);
    std::string verdicts;
    for (const auto& [verdict, count] : outcome.verdicts) {
        verdicts += (verdicts.empty() ? "" : ", ") + std::to_string(count) + ' ' +
                    std::string(to_string(verdict));
    }
    std::cout << "trials: " << (verdicts.empty() ? "none" : verdicts);
    if (outcome.remembered > 0) {
        std::cout << "; " << outcome.remembered << " answers came from the journal";
    }
    std::cout << "; " << minutes(outcome.seconds) << " minutes"
              << (outcome.interrupted ? ", interrupted" : "") << '\n';
}

} // namespace libsgemm::tune
