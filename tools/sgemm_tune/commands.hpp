// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

namespace sgemm::tune {

/// Each adds a subcommand that runs when it is parsed.
void add_measure_command(CLI::App& app);
void add_fit_command(CLI::App& app);
void add_validate_command(CLI::App& app);

} // namespace sgemm::tune
