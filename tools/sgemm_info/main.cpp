// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"
#include "print.hpp"
#include "sgemm/error.hpp"
#include "support/standard_streams.hpp"

#include <exception>
#include <iostream>

namespace {

int run(const info::Options& options) {
    using Action = info::Options::Action;
    switch (options.action) {
    case Action::devices:
        info::print_devices(options, std::cout);
        return 0;
    case Action::kernels:
        info::print_kernels(options, std::cout);
        return 0;
    case Action::plan:
        info::print_plan(options, std::cout);
        return 0;
#ifdef SGEMM_INFO_SELF_TEST
    case Action::self_test:
        return info::run_self_test(options, std::cout) ? 0 : 1;
    case Action::worker:
        return info::serve_self_test(options);
#endif
    default:
        throw info::UsageError("this build has no self-test: nlohmann-json was not there");
    }
}

int fail(const std::exception& error, int status) {
    std::cerr << "sgemm-info: " << error.what() << '\n';
    return status;
}

int status_of(int argc, char** argv) {
    try {
        return run(info::parse(argc, argv));
    } catch (const info::Exit& exit) {
        return exit.status;
    } catch (const info::UsageError& error) {
        return fail(error, 2);
    } catch (const libsgemm::ArgumentError& error) {
        return fail(error, 2);
    } catch (const std::exception& error) {
        return fail(error, 1);
    }
}

} // namespace

int main(int argc, char** argv) {
    libsgemm::support::hold_standard_streams();
    return libsgemm::support::status_after_output("sgemm-info", status_of(argc, argv));
}
