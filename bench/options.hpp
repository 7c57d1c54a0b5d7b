// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge/operands.hpp"
#include "judge/reference.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace libsgemm::bench {

using judge::UsageError;
using judge::Values;

/// Which elements of C are compared with the float64 reference.
enum class Verification { off, sampled, full };

/// What the command line says. Empty lists stand for defaults that depend on the device.
struct Options {
    std::vector<std::string> implementations;
    std::vector<std::string> suites;
    std::string device;
    Verification verification = Verification::sampled;
    double max_seconds_per_case = 60.0;
    double max_seconds = std::numeric_limits<double>::infinity(); ///< for all cases together
    double sustained =
        0.0; ///< seconds of calls one after another before each wait; 0: a wait after each call
    float alpha = 1.0F;
    float beta = 0.0F;
    std::uint64_t seed = 1;
    Values values = Values::uniform;
    std::string openblas_coretype;
    std::string clblast_tuning;
    bool list_implementations = false;
    bool list_suites = false;
    /// For Google Benchmark: program name, this program's defaults, then the user's --benchmark_*
    /// flags.
    std::vector<std::string> benchmark_arguments;
    std::string command_line;

    /// The value of --benchmark_NAME=VALUE, last one first; `otherwise` where it is not given.
    std::string benchmark_flag(const std::string& name, const std::string& otherwise = {}) const;
};

/// By the name that --values has.
const std::map<std::string, Values>& kinds_of_values();

/// The command line was answered (--help) or refused: end with this status.
struct Exit {
    int status;
};

/// Throws Exit, once help or what is wrong is printed, where there is nothing to run.
Options parse_options(int argc, char** argv);

} // namespace libsgemm::bench
