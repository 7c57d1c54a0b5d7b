// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"
#include "print.hpp"
#include "sgemm/error.hpp"

#include <exception>
#include <iostream>

namespace {

void run(const info::Options& options) {
    using Action = info::Options::Action;
    switch (options.action) {
    case Action::devices:
        return info::print_devices(options, std::cout);
    case Action::kernels:
        return info::print_kernels(options, std::cout);
    case Action::plan:
        return info::print_plan(options, std::cout);
    }
}

int fail(const std::exception& error, int status) {
    std::cerr << "sgemm-info: " << error.what() << '\n';
    return status;
}

} // namespace

int main(int argc, char** argv) {
    try {
        run(info::parse(argc, argv));
        return 0;
    } catch (const info::Exit& exit) {
        return exit.status;
    } catch (const info::UsageError& error) {
        return fail(error, 2);
    } catch (const sgemm::ArgumentError& error) {
        return fail(error, 2);
    } catch (const std::exception& error) {
        return fail(error, 1);
    }
}
