// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "device/pocl_threads.hpp"
#include "judge/shape.hpp"
#include "sgemm/error.hpp"
#include "support/standard_streams.hpp"

#include <exception>
#include <iostream>
#include <string>

namespace {

constexpr auto description = "Tunes libsgemm for a device: searches kernel parameters, verifies "
                             "what wins, and leaves a table\n"
                             "that every later run of the library on this machine takes. Without a "
                             "subcommand and options it\n"
                             "tunes the default device for 10 minutes.";

constexpr auto examples = R"(Examples:
  sgemm-tune                                  the default device, 10 minutes
  sgemm-tune --budget 3m --device cpu
  sgemm-tune --shapes my-sizes.txt            for one's own sizes
  sgemm-tune --resume --budget 30m            go on with the last run
  sgemm-tune --list --kernels tiled           search space, rules and what they exclude
  sgemm-tune --install-into-source .          regenerate tuning/devices/DEVICE.toml

A shape is OP/MxNxK: OP is NN, NT, TN or TT, A and B as they are (N) or transposed (T); C is M x N,
and K the length of its sums.
Ctrl-C ends a run early; what was found and verified until then is in the table.
Exit status: 0, 1 for a failure, 2 for arguments that make no sense.)";

std::string joined(int argc, char** argv) {
    std::string text = "sgemm-tune";
    for (int i = 1; i < argc; ++i) {
        text += std::string(" ") + argv[i];
    }
    return text;
}

int fail(const std::exception& error, int status) {
    std::cerr << "sgemm-tune: " << error.what() << '\n';
    return status;
}

/// Parses the command line and runs the command.
int run(CLI::App& app, int argc, char** argv) {
    app.footer(examples);
    app.get_formatter()->column_width(34);
    app.require_subcommand(0, 1);
    libsgemm::tune::add_tune_options(app, joined(argc, argv));
    libsgemm::tune::add_measure_command(app);
    libsgemm::tune::add_fit_command(app);
    libsgemm::tune::add_validate_command(app);
    libsgemm::tune::add_replay_command(app);
    libsgemm::tune::add_worker_command(app);
    try {
        app.parse(argc, argv);
        return 0;
    } catch (const CLI::ParseError& error) {
        const int status = app.exit(error);
        return status == 0 || status == 1 ? status : 2;
    }
}

int status_of(int argc, char** argv) {
    try {
        libsgemm::device::bind_pocl_threads();
        CLI::App app(description, "sgemm-tune");
        return run(app, argc, argv);
    } catch (const libsgemm::ArgumentError& error) {
        return fail(error, 2);
    } catch (const libsgemm::judge::UsageError& error) {
        return fail(error, 2);
    } catch (const std::exception& error) {
        return fail(error, 1);
    }
}

} // namespace

int main(int argc, char** argv) {
    libsgemm::support::hold_standard_streams();
    return libsgemm::support::status_after_output("sgemm-tune", status_of(argc, argv));
}
