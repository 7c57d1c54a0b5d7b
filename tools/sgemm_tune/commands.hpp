// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace libsgemm::tune {

/// What the program does without a subcommand: tune. `command` is the command line, for the table.
void add_tune_options(CLI::App& app, const std::string& command);

/// Each adds a subcommand that runs when it is parsed.
void add_measure_command(CLI::App& app);
void add_fit_command(CLI::App& app);
void add_validate_command(CLI::App& app);
void add_replay_command(CLI::App& app);
void add_worker_command(CLI::App& app);

} // namespace libsgemm::tune
