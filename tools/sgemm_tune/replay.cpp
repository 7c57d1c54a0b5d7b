// SPDX-License-Identifier: Apache-2.0
//
// sgemm-tune replay: how many trials each strategy would have needed, from a journal, without a
// device.
#include "tune/search/replay.hpp"

#include "commands.hpp"

#include <iomanip>
#include <iostream>
#include <memory>
#include <string>

namespace libsgemm::tune {
namespace {

struct ReplayCommand {
    std::string journal;
    int seeds = 51;
};

void run_replay(const ReplayCommand& options) {
    const auto records = read_journal(options.journal);
    const RecordedSpace recorded = recorded_space(records, catalog::kernel_catalog());
    std::cout << options.journal << ": " << recorded.kernel->name << " at "
              << judge::shape_name(recorded.shape) << ", " << recorded.costs.size() << " points; "
              << options.seeds << " seeds\n\n"
              << "strategy     trials to within 5 % of the best    of the space   after 5 % of the "
                 "trials\n"
              << "             median   90th percentile            median         share of the "
                 "best speed\n"
              << std::fixed;
    // Features need no device of their own: limits were checked when the record was made.
    for (const ReplayScore& score : replay(recorded, {}, options.seeds)) {
        std::cout << std::left << std::setw(12) << score.strategy << std::right
                  << std::setprecision(0) << std::setw(7) << score.median_trials << std::setw(18)
                  << score.p90_trials << std::setw(20) << std::setprecision(1) << 100 * score.share
                  << " %" << std::setw(24) << 100 * score.at_budget << " %\n";
    }
}

} // namespace

void add_replay_command(CLI::App& app) {
    auto options = std::make_shared<ReplayCommand>();
    CLI::App* command = app.add_subcommand(
        "replay", "Compare strategies on a recorded exhaustive search; needs no device");
    command->add_option("journal", options->journal, "Journal of an exhaustive search")->required();
    command->add_option("--seeds", options->seeds, "Searches per strategy")
        ->check(CLI::Range(1, 10000))
        ->capture_default_str();
    command->callback([options] { run_replay(*options); });
}

} // namespace libsgemm::tune
