// SPDX-License-Identifier: Apache-2.0
#include "reporter.hpp"

#include "format.hpp"

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <sstream>

namespace sgemm::bench {
namespace {

using Run = benchmark::BenchmarkReporter::Run;

double counter(const Run& run, const char* name) {
    const auto found = run.counters.find(name);
    return found == run.counters.end() ? -1.0 : found->second.value;
}

double seconds_of(const Run& run) {
    return run.GetAdjustedRealTime() / benchmark::GetTimeUnitMultiplier(run.time_unit);
}

/// Odd counts: the middle one. Even counts: the lower middle, so that it is a measured case.
const Run& median_run(std::vector<Run>& runs) {
    std::sort(runs.begin(), runs.end(), [](const Run& left, const Run& right) {
        return counter(left, "GFLOPS") < counter(right, "GFLOPS");
    });
    return runs[(runs.size() - 1) / 2];
}

/// Half of the range, in per cent of the median.
std::string spread_of(const std::vector<Run>& sorted, double median) {
    if (sorted.size() < 2) {
        return "";
    }
    const double range = counter(sorted.back(), "GFLOPS") - counter(sorted.front(), "GFLOPS");
    std::ostringstream text;
    text << "+-" << std::fixed << std::setprecision(1) << 50.0 * range / median << '%';
    return text.str();
}

bool has_flag(const Options& options, const char* name) {
    return !options.benchmark_flag(name).empty();
}

} // namespace

bool TableReporter::ReportContext(const Context& context) {
    name_width_ = context.name_field_width;
    progress_.clear();
    GetOutputStream() << std::left << std::setw(static_cast<int>(name_width_)) << "case"
                      << std::right << std::setw(10) << "GFLOPS" << std::setw(10) << "spread"
                      << std::setw(11) << "time" << std::setw(11) << "max error"
                      << "  how\n";
    return true;
}

void TableReporter::ReportRuns(const std::vector<Run>& runs) {
    progress_.clear();
    std::vector<Run> measured;
    std::string verdict;
    for (const Run& run : runs) {
        if (run.error_occurred) {
            verdict = run.error_message;
        } else if (run.run_type == Run::RT_Iteration || run.aggregate_name == "median") {
            measured.push_back(run);
        }
    }
    const std::string name = runs.empty() ? "" : runs.front().run_name.function_name;
    if (name == last_name_) {
        return; // aggregates of what is already in the table
    }
    last_name_ = name;
    progress_.case_done();
    if (!verdict.empty()) {
        print_verdict(name, verdict);
    } else if (!measured.empty()) {
        print_row(name, measured);
    }
    GetOutputStream() << std::flush;
}

void TableReporter::print_verdict(const std::string& name, const std::string& verdict) {
    GetOutputStream() << std::left << std::setw(static_cast<int>(name_width_)) << name << "  "
                      << verdict << '\n';
}

void TableReporter::print_row(const std::string& name, const std::vector<Run>& measured) {
    std::vector<Run> sorted = measured;
    const Run run = median_run(sorted);
    const double gflops = counter(run, "GFLOPS");
    const double max_error = counter(run, "max_error");
    GetOutputStream() << std::left << std::setw(static_cast<int>(name_width_)) << name << std::right
                      << std::setw(10) << format_number(gflops) << std::setw(10)
                      << spread_of(sorted, gflops) << std::setw(11)
                      << format_seconds(seconds_of(run)) << std::setw(11)
                      << (max_error < 0.0 ? "not checked" : format_number(max_error)) << "  "
                      << run.report_label << '\n';
}

std::unique_ptr<benchmark::BenchmarkReporter> make_display_reporter(const Options& options,
                                                                    Progress& progress) {
    const std::string format = options.benchmark_flag("format");
    if (format == "json") {
        return std::make_unique<PlainNames<benchmark::JSONReporter>>();
    }
    if (format == "csv") {
        return nullptr;
    }
    if (format == "console" || has_flag(options, "color") ||
        has_flag(options, "counters_tabular")) {
        return std::unique_ptr<benchmark::BenchmarkReporter>(
            benchmark::CreateDefaultDisplayReporter());
    }
    return std::make_unique<TableReporter>(progress);
}

std::unique_ptr<benchmark::BenchmarkReporter> make_file_reporter(const Options& options) {
    const std::string format = options.benchmark_flag("out_format", "json");
    if (!has_flag(options, "out") || format != "json") {
        return nullptr;
    }
    return std::make_unique<PlainNames<benchmark::JSONReporter>>();
}

} // namespace sgemm::bench
