// SPDX-License-Identifier: Apache-2.0
//
// sgemm-tune fit: the models of a device table from what `measure` recorded.
#include "tune/fit/fit.hpp"

#include "commands.hpp"
#include "measurement_files.hpp"
#include "print_regret.hpp"
#include "support/atomic_file.hpp"
#include "tune/fit/regret.hpp"

#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace libsgemm::tune {
namespace {

struct FitCommand {
    MeasurementFiles files;
    std::string output;
    FitOptions fit;
};

std::string read_text(const std::string& file) {
    auto text = support::read_file(file);
    if (!text) {
        throw std::runtime_error(file + ": there is no such file");
    }
    return *std::move(text);
}

void print_rows(const Fit& fit) {
    std::cout << "plans  median  90 %   row\n" << std::fixed << std::setprecision(3);
    for (const RowFit& row : fit.rows) {
        const tables::TableRow& kernel = fit.table.rows[row.row];
        std::cout << std::setw(5) << row.plans << "  ";
        if (row.plans == 0) {
            std::cout << "not fitted     ";
        } else {
            std::cout << row.median_error << "   " << row.p90_error << "  ";
        }
        std::cout << kernel.kernel << ' ' << kernel.parameters.to_string() << '\n';
    }
    if (fit.unknown_plans > 0) {
        std::cout << fit.unknown_plans << " measured plans are none that the table offers\n";
    }
}

void run_fit(const FitCommand& options) {
    if (!options.output.empty() && options.files.table.empty()) {
        throw std::runtime_error("--output needs --table: the text that gets the fitted models");
    }
    const LoadedRun loaded = load(options.files);
    const Fit fit = fit_table(loaded.run, loaded.table, loaded.device, options.fit);
    print_rows(fit);
    const auto show = [&](const char* when, const tables::DeviceTable& table) {
        std::cout << "\nregret on the fitted shapes, " << when << ":\n";
        print_summaries(std::cout,
                        summarise(regrets(loaded.run, table, loaded.device, ShapeSet::fitted)));
    };
    show("before", loaded.table);
    show("after", fit.table);
    if (!options.output.empty()) {
        const std::string source =
            options.files.table.empty() ? fit.table.origin : options.files.table;
        support::replace_file(options.output, with_models(read_text(source), fit.table));
        std::cout << "wrote " << options.output << '\n';
    }
}

} // namespace

void add_fit_command(CLI::App& app) {
    auto options = std::make_shared<FitCommand>();
    CLI::App* command = app.add_subcommand(
        "fit", "Fit the models of a device table to measured plans (but not to held-out shapes)");
    options->files.add_to(*command);
    command->add_option("--output", options->output,
                        "The table with fitted models; all else in it stays as it is");
    command
        ->add_option("--rounds", options->fit.rounds,
                     "Rounds of fitting rows and machine, alternating")
        ->check(CLI::Range(1, 20))
        ->capture_default_str();
    command
        ->add_option("--polish", options->fit.polish_rounds,
                     "Rounds of small moves towards a smaller regret on the fitted shapes")
        ->check(CLI::Range(0, 1000))
        ->capture_default_str();
    command
        ->add_option("--bandwidth-doubt", options->fit.bandwidth_doubt,
                     "Factor by which the table's bandwidths may be wrong; above 2 the fit "
                     "begins from the best of several")
        ->check(CLI::Range(1.0, 100.0))
        ->capture_default_str();
    const std::map<std::string, Prior> priors{{"typical", Prior::typical}, {"given", Prior::given}};
    command
        ->add_option("--prior", options->fit.prior,
                     "What rows are expected to be like: typical, or as the table has them "
                     "(given), where it was fitted to devices like this one")
        ->transform(CLI::CheckedTransformer(priors))
        ->default_str("typical");
    command->callback([options] { run_fit(*options); });
}

} // namespace libsgemm::tune
