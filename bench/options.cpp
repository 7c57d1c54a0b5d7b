// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>

namespace libsgemm::bench {
namespace {

const char* const description =
    "Measures C = alpha*op(A)*op(B) + beta*C in single precision: libsgemm, its kernels one by "
    "one,\n"
    "and other libraries, on the same random matrices. The time is wall clock from the call until "
    "the\n"
    "device is done, all passes included; with --sustained of many calls enqueued one after "
    "another. Every result is "
    "checked before it is timed.";

const char* const examples =
    R"(Implementations (--list-impl says which can run here, and why others cannot):
  auto                        libsgemm as a program calls it
  auto:calling_thread         the same, small products in the calling thread: by PoCL's device for that, which sets
                              POCL_DEVICES to "cpu cpu-minimal pthread basic" unless it is set
  auto:emulated               the same with that precision (fp16x2, tf32x3, bf16x3 force a scheme)
  auto:emulated:packed=a      the same with A packed before; packed=b, packed=ab
  kernel:NAME                 one kernel of the catalogue, with the passes that it needs
  kernels                     every kernel of the catalogue
  progression                 every kernel of that folder of kernels/: the steps of the tutorial; so
                              ptx, packed, ...
  clblast clblast-tuned openblas blis cublas fma-peak
  cblas:FILE[:SYMBOL]         any shared library with cblas_sgemm, such as MKL or a newer OpenBLAS; a
                              SYMBOL with 64 in its name takes 64-bit integers
  peers                       those of clblast to fma-peak that suit the device
  auto and kernel:NAME take settings: kernel:06_register_tiles_2d:tile_m=64:edges=padding,
  auto:peel=never

Examples:
  sgemm-bench --impl auto,clblast --shapes square
  sgemm-bench --impl auto,cblas:/opt/mkl/lib/libmkl_rt.so.2 --shapes square-small --device cpu
  sgemm-bench --impl progression,peers --shapes square-small --device cpu
  sgemm-bench --impl auto --shapes NT/1000x1000x1000 --shapes my-shapes.txt
  sgemm-bench --impl auto,cublas --shapes ld1024 --benchmark_out=ld1024.json \
              --benchmark_repetitions=9 --benchmark_enable_random_interleaving=true

A shape is OP/MxNxK[/ldLDA,LDB,LDC], column-major: OP is NN, NT, TN or TT, A and B as they are (N) or
transposed (T); C is M x N, and K the length of its sums.

All flags of Google Benchmark work; the ones used most:
  --benchmark_out=FILE        also write JSON, for bench/plot and bench/table
  --benchmark_filter=REGEX    only benchmarks whose name matches
  --benchmark_repetitions=N   measurements of each case (default 3); the table shows the median
  --benchmark_min_time=S      seconds of one measurement (default 0.1)
  --benchmark_enable_random_interleaving=true
                              mix the measurements: drift and noise then hit all cases alike
  --benchmark_format=console  Google Benchmark's own table instead of this program's

Exit status: 0, or 1 where a result was wrong, a case failed or output could not be written, or 2 for a mistake in the command.)";

const std::map<std::string, Verification>& verifications() {
    static const std::map<std::string, Verification> modes{{"sampled", Verification::sampled},
                                                           {"full", Verification::full},
                                                           {"off", Verification::off}};
    return modes;
}

bool is_benchmark_flag(const std::string& argument) {
    return argument.rfind("--benchmark_", 0) == 0 || argument.rfind("--v=", 0) == 0;
}

/// Defaults of this program, unless the environment says otherwise (BENCHMARK_MIN_TIME, …).
std::vector<std::string> default_benchmark_flags() {
    std::vector<std::string> flags;
    const auto add = [&flags](const char* variable, const char* flag) {
        if (std::getenv(variable) == nullptr) {
            flags.emplace_back(flag);
        }
    };
    add("BENCHMARK_MIN_TIME", "--benchmark_min_time=0.1");
    add("BENCHMARK_REPETITIONS", "--benchmark_repetitions=3");
    return flags;
}

std::string quoted(const std::string& argument) {
    const bool plain = argument.find_first_of(" \t\n'\"\\$*?;&|<>(){}[]`~#!") == std::string::npos;
    return plain && !argument.empty() ? argument : "'" + argument + "'";
}

/// Takes "a,b" apart, but not "NN/4x4x4/ld8,8,8".
std::vector<std::string> split_suites(const std::vector<std::string>& given) {
    const auto is_number = [](const std::string& text) {
        return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    };
    std::vector<std::string> suites;
    for (const std::string& item : given) {
        for (const std::string& part : CLI::detail::split(item, ',')) {
            if (is_number(part) && !suites.empty()) {
                suites.back() += ',' + part;
            } else {
                suites.push_back(part);
            }
        }
    }
    return suites;
}

void declare(CLI::App& app, Options& options) {
    app.add_option("--impl", options.implementations,
                   "What to measure, separated by commas (default: auto)")
        ->delimiter(',')
        ->type_name("LIST");
    app.add_option(
           "--shapes", options.suites,
           "Shape files, names of suites or shapes such as NT/64x32x16, separated by commas "
           "(default: square, on a CPU square-small)")
        ->type_name("LIST");
    app.add_option("--device", options.device,
                   "OpenCL device: PLATFORM:DEVICE, gpu, cpu or part of a name\n"
                   "(default: $SGEMM_DEVICE, else the first GPU, else the first device)")
        ->type_name("SELECTOR");
    app.add_option_function<std::string>(
           "--verify",
           [&options](const std::string& mode) { options.verification = verifications().at(mode); },
           "Check 16 x 16 elements of each result in float64, or all of\n"
           "them, or none (default: sampled)")
        ->check(CLI::IsMember(&verifications()).description(""))
        ->type_name("sampled|full|off");
    app.add_option("--max-seconds-per-case", options.max_seconds_per_case,
                   "Skip a case that is predicted to take longer")
        ->capture_default_str()
        ->check(CLI::PositiveNumber)
        ->type_name("SECONDS");
    app.add_option("--max-seconds", options.max_seconds,
                   "Skip the cases that have not begun by then (default: no limit)")
        ->check(CLI::PositiveNumber)
        ->type_name("SECONDS");
    app.add_option("--sustained", options.sustained,
                   "Enqueue calls for about that long before each wait, and show the time of\n"
                   "one of them: the throughput (default: wait after each call, the latency)")
        ->check(CLI::PositiveNumber)
        ->type_name("SECONDS");
    app.add_option("--alpha", options.alpha, "Factor of op(A)*op(B)")
        ->capture_default_str()
        ->type_name("NUMBER");
    app.add_option("--beta", options.beta, "Factor of C")
        ->capture_default_str()
        ->type_name("NUMBER");
    app.add_option("--seed", options.seed, "Of the random matrices")
        ->capture_default_str()
        ->type_name("NUMBER");
    app.add_option_function<std::string>(
           "--values",
           [&options](const std::string& kind) { options.values = kinds_of_values().at(kind); },
           "Of the random matrices: uniform in (-1, 1), positive in (0, 1),\n"
           "normal (default: uniform); for errors, which are shown as the largest\n"
           "over its bound and, relative, in the Frobenius norm")
        ->check(CLI::IsMember(&kinds_of_values()).description(""))
        ->type_name("uniform|positive|normal");
    app.add_option("--openblas-coretype", options.openblas_coretype,
                   "OPENBLAS_CORETYPE (default: that variable, else SKYLAKEX where the\n"
                   "CPU has AVX-512)")
        ->type_name("NAME");
    app.add_option("--clblast-tuning", options.clblast_tuning,
                   "What CLBlast's tuners wrote (bench/tune-clblast), for clblast-tuned")
        ->check(CLI::ExistingDirectory)
        ->type_name("FOLDER");
    app.add_flag("--list-impl", options.list_implementations, "List implementations and stop");
    app.add_flag("--list-shapes", options.list_suites, "List suites and stop");
}

} // namespace

std::string Options::benchmark_flag(const std::string& name, const std::string& otherwise) const {
    const std::string start = "--benchmark_" + name + "=";
    std::optional<std::string> given;
    for (const std::string& flag : benchmark_arguments) {
        if (flag.rfind(start, 0) == 0) {
            given = flag.substr(start.size());
        }
    }
    if (given) {
        return *given;
    }
    std::string variable = "BENCHMARK_" + name;
    for (char& letter : variable) {
        if (letter >= 'a' && letter <= 'z') {
            letter = static_cast<char>(letter - 'a' + 'A');
        }
    }
    const char* const value = std::getenv(variable.c_str());
    return value == nullptr ? otherwise : value;
}

const std::map<std::string, Values>& kinds_of_values() {
    static const std::map<std::string, Values> kinds{
        {"uniform", Values::uniform}, {"positive", Values::positive}, {"normal", Values::normal}};
    return kinds;
}

Options parse_options(int argc, char** argv) {
    Options options;
    std::vector<std::string> own;
    options.benchmark_arguments.emplace_back(argv[0]);
    for (const auto& flag : default_benchmark_flags()) {
        options.benchmark_arguments.push_back(flag);
    }
    options.command_line = "sgemm-bench";
    for (const std::string& argument : std::vector<std::string>(argv + 1, argv + argc)) {
        options.command_line += ' ' + quoted(argument);
        (is_benchmark_flag(argument) ? options.benchmark_arguments : own).push_back(argument);
    }

    CLI::App app(description, "sgemm-bench");
    app.footer(examples);
    app.get_formatter()->column_width(34);
    declare(app, options);
    std::reverse(own.begin(), own.end()); // CLI11 takes them from the back
    try {
        app.parse(std::move(own));
    } catch (const CLI::ParseError& error) {
        throw Exit{app.exit(error) == 0 ? 0 : 2};
    }
    options.suites = split_suites(options.suites);
    return options;
}

} // namespace libsgemm::bench
