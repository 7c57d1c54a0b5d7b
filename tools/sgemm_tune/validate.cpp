// SPDX-License-Identifier: Apache-2.0
//
// sgemm-tune validate: how much the planner's choices cost on shapes that no fit has seen.
#include "commands.hpp"
#include "measurement_files.hpp"
#include "print_regret.hpp"
#include "support/atomic_file.hpp"
#include "support/text_stream.hpp"
#include "tune/fit/regret.hpp"

#include <iostream>
#include <memory>
#include <stdexcept>

namespace libsgemm::tune {
namespace {

struct ValidateCommand {
    MeasurementFiles files;
    std::string report;
    std::string scatter;
    std::size_t worst = 10;
    double most_geomean = 0;
    double most_p95 = 0;
};

std::string report_of(const LoadedRun& loaded, const std::vector<ShapeRegret>& found,
                      std::size_t worst) {
    const auto fact = [&](const char* key) {
        const auto& facts = loaded.run.facts;
        const auto value = facts.find(key);
        return value == facts.end() ? std::string("unknown") : value->second;
    };
    support::TextWriter report;
    report
        << "Regret on held-out shapes: measured time of the planner's choice over that of the best "
           "plan measured.\n\n"
        << "* device: " << fact("device") << ", driver " << fact("driver") << ", "
        << fact("platform") << "\n* measured: " << fact("date") << ", seed " << fact("seed")
        << ", size " << fact("size") << "\n* table: " << loaded.table.origin << "\n\n";
    print_summaries(report, summarise(found));
    report << "\nThe largest:\n\n";
    print_worst(report, found, worst);
    return report.str();
}

void run_validate(const ValidateCommand& options) {
    const LoadedRun loaded = load(options.files);
    const auto found = regrets(loaded.run, loaded.table, loaded.device, ShapeSet::held_out);
    if (found.empty()) {
        throw std::runtime_error("no held-out shape was measured");
    }
    const std::string report = report_of(loaded, found, options.worst);
    std::cout << report;
    if (!options.report.empty()) {
        support::replace_file(options.report, report);
    }
    if (!options.scatter.empty()) {
        draw_scatter(options.scatter, loaded.device.name + ": plans of held-out shapes",
                     predicted_times(loaded.run, loaded.table, loaded.device, ShapeSet::held_out));
    }
    const RegretSummary all = summarise(found).back();
    if ((options.most_geomean > 0 && all.geomean > options.most_geomean) ||
        (options.most_p95 > 0 && all.p95 > options.most_p95)) {
        throw std::runtime_error("the regret is over the limit that was requested");
    }
}

} // namespace

void add_validate_command(CLI::App& app) {
    auto options = std::make_shared<ValidateCommand>();
    CLI::App* command = app.add_subcommand(
        "validate", "Report the regret of the planner's choices on held-out shapes");
    options->files.add_to(*command);
    command->add_option("--report", options->report, "Write the report (Markdown) to this file");
    command->add_option("--scatter", options->scatter,
                        "Draw predicted over measured times into this file (SVG)");
    command->add_option("--worst", options->worst, "Shapes to list")->capture_default_str();
    command->add_option("--max-geomean", options->most_geomean, "Fail if the regret is larger");
    command->add_option("--max-p95", options->most_p95, "Fail if the 95th percentile is larger");
    command->callback([options] { run_validate(*options); });
}

} // namespace libsgemm::tune
