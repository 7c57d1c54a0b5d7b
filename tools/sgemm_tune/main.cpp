// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"

#include <exception>
#include <iostream>

int main(int argc, char** argv) {
    CLI::App app("Measures a device and fits the table by which libsgemm plans", "sgemm-tune");
    app.require_subcommand(1);
    sgemm::tune::add_measure_command(app);
    sgemm::tune::add_fit_command(app);
    sgemm::tune::add_validate_command(app);
    try {
        app.parse(argc, argv);
        return 0;
    } catch (const CLI::ParseError& error) {
        return app.exit(error);
    } catch (const std::exception& error) {
        std::cerr << "sgemm-tune: " << error.what() << '\n';
        return 1;
    }
}
