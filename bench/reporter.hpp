// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "options.hpp"
#include "progress.hpp"

#include <algorithm>
#include <benchmark/benchmark.h>
#include <memory>
#include <string>
#include <vector>

namespace libsgemm::bench {

/// Drops what Google Benchmark adds to a name ("/manual_time"), so that names are
/// <impl>/<op>/<M>x<N>x<K>[/ld…] everywhere.
template <typename Reporter>
class PlainNames : public Reporter {
public:
    using Reporter::Reporter;
    void ReportRuns(const std::vector<benchmark::BenchmarkReporter::Run>& runs) override {
        auto renamed = runs;
        for (auto& run : renamed) {
            run.run_name.time_type.clear();
            run.run_name.repetitions.clear();
        }
        Reporter::ReportRuns(renamed);
    }
};

/// Of a file: at the end it says whether all of it was written.
template <typename Reporter>
class FileReporter : public PlainNames<Reporter> {
public:
    template <typename... Arguments>
    explicit FileReporter(bool& is_written, Arguments... arguments)
        : PlainNames<Reporter>(arguments...), is_written_(is_written) {}
    void Finalize() override {
        PlainNames<Reporter>::Finalize();
        is_written_ = static_cast<bool>(this->GetOutputStream().flush());
    }

private:
    bool& is_written_;
};

/// One line per case: median GFLOPS, spread, time, error.
class TableReporter : public benchmark::BenchmarkReporter {
public:
    TableReporter(Progress& progress, std::size_t name_width)
        : progress_(progress), name_width_(static_cast<int>(std::min(name_width, widest_name))) {}
    bool ReportContext(const Context& context) override;
    void ReportRuns(const std::vector<Run>& runs) override;

private:
    /// Longer names, of kernels with many settings, push their row to the right.
    static constexpr std::size_t widest_name = 64;

    void print_row(const std::string& name, const std::vector<Run>& measured);
    void print_verdict(const std::string& name, const std::string& verdict);

    Progress& progress_;
    int name_width_;
    std::string last_name_;
};

/// What prints to standard output: a TableReporter, unless a flag asks for one of Google
/// Benchmark's. Null stands for Google Benchmark's choice.
std::unique_ptr<benchmark::BenchmarkReporter>
make_display_reporter(const Options& options, Progress& progress, std::size_t name_width);

/// What writes --benchmark_out; null where nothing is written. At the end `is_written` says whether
/// all of it was; it outlives the reporter.
std::unique_ptr<benchmark::BenchmarkReporter> make_file_reporter(const Options& options,
                                                                 bool& is_written);

} // namespace libsgemm::bench
