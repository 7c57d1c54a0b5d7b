// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/expert.hpp"
#include "sgemm/problem.hpp"

#include <stdexcept>
#include <string>

namespace info {

/// What the command line asks for.
struct Options {
    enum class Action { devices, kernels, plan, self_test, worker };
    Action action = Action::devices;
    bool device_given = false;
    std::string device;                 ///< selector; empty: the library's default
    libsgemm::ExpertPlanOptions choice; ///< `choice.kernel` also narrows the list of kernels
    libsgemm::Problem problem;
    double seconds = 60; ///< of the self-test
};

/// A command line that cannot be understood.
class UsageError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The command line was answered (--help, --version) or refused: end with this status.
struct Exit {
    int status;
};

/// Throws Exit or UsageError.
Options parse(int argc, char** argv);

} // namespace info
