// SPDX-License-Identifier: Apache-2.0
#include "reporter.hpp"

#include "format.hpp"
#include "support/text_stream.hpp"

#include <algorithm>
#include <iomanip>
#include <iostream>

namespace libsgemm::bench {
namespace {

using Run = benchmark::BenchmarkReporter::Run;

// Google Benchmark is to remove its reporter of CSV some day: until then it is what
// --benchmark_out_format=csv asks for.
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif
std::unique_ptr<benchmark::BenchmarkReporter> make_csv_reporter(bool& is_written) {
    return std::make_unique<FileReporter<benchmark::CSVReporter>>(is_written);
}
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

double counter(const Run& run, const char* name) {
    const auto found = run.counters.find(name);
    return found == run.counters.end() ? -1.0 : found->second.value;
}

double seconds_of(const Run& run) {
    return run.GetAdjustedRealTime() / benchmark::GetTimeUnitMultiplier(run.time_unit);
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2.0;
}

/// Half of the range, in per cent of the median.
std::string spread_of(const std::vector<double>& values) {
    if (values.size() < 2) {
        return "";
    }
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    support::TextWriter text;
    text << "+-" << std::fixed << std::setprecision(1) << 50.0 * (*high - *low) / median(values)
         << '%';
    return text.str();
}

/// Forced kernels carry their name already.
std::string how(const std::string& name, const Run& run) {
    return name.rfind("auto", 0) == 0 ? run.report_label : "";
}

bool has_flag(const Options& options, const char* name) {
    return !options.benchmark_flag(name).empty();
}

} // namespace

bool TableReporter::ReportContext(const Context&) {
    progress_.clear();
    GetOutputStream() << std::left << std::setw(name_width_) << "case" << std::right
                      << std::setw(10) << "GFLOPS" << std::setw(10) << "spread" << std::setw(11)
                      << "time" << std::setw(11) << "err/bound" << std::setw(11) << "Frobenius"
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
    GetOutputStream() << std::left << std::setw(name_width_) << name << "  " << verdict << '\n';
}

void TableReporter::print_row(const std::string& name, const std::vector<Run>& measured) {
    std::vector<double> gflops;
    std::vector<double> seconds;
    for (const Run& run : measured) {
        gflops.push_back(counter(run, "GFLOPS"));
        seconds.push_back(seconds_of(run));
    }
    const auto error = [&](const char* name_of_error) {
        const double value = counter(measured.front(), name_of_error);
        return value < 0.0 ? std::string("unchecked") : format_number(value);
    };
    GetOutputStream() << std::left << std::setw(name_width_) << name << std::right << std::setw(10)
                      << format_number(median(gflops)) << " " << std::setw(9) << spread_of(gflops)
                      << std::setw(11) << format_seconds(median(seconds)) << std::setw(11)
                      << error("max_error") << std::setw(11) << error("frobenius_error") << "  "
                      << how(name, measured.front()) << '\n';
}

std::unique_ptr<benchmark::BenchmarkReporter>
make_display_reporter(const Options& options, Progress& progress, std::size_t name_width) {
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
    return std::make_unique<TableReporter>(progress, name_width);
}

std::unique_ptr<benchmark::BenchmarkReporter> make_file_reporter(const Options& options,
                                                                 bool& is_written) {
    if (!has_flag(options, "out")) {
        return nullptr;
    }
    const std::string format = options.benchmark_flag("out_format", "json");
    if (format == "csv") {
        return make_csv_reporter(is_written);
    }
    if (format == "console") {
        return std::make_unique<FileReporter<benchmark::ConsoleReporter>>(
            is_written, benchmark::ConsoleReporter::OO_None);
    }
    return std::make_unique<FileReporter<benchmark::JSONReporter>>(is_written);
}

} // namespace libsgemm::bench
