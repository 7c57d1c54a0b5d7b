// SPDX-License-Identifier: Apache-2.0
// sgemm-bench: measures libsgemm and its peers with Google Benchmark.
#include "cases.hpp"
#include "device/pocl_threads.hpp"
#include "implementations/registry.hpp"
#include "judge/suite.hpp"
#include "machine.hpp"
#include "reporter.hpp"
#include "sgemm/error.hpp"
#include "support/standard_streams.hpp"

#include <algorithm>
#include <iomanip>
#include <iostream>

namespace libsgemm::bench {
namespace {

std::shared_ptr<OpenClSession> open_device(const std::string& selector, std::string& obstacle) {
    try {
        return std::make_shared<OpenClSession>(selector);
    } catch (const Error& error) {
        if (!selector.empty()) { // the user wants that one and no other
            throw UsageError(std::string("--device: ") + error.what());
        }
        obstacle = std::string("no OpenCL device: ") + error.what();
        return nullptr;
    }
}

void print_implementations(Environment& environment) {
    for (const auto& item : list_implementations(environment)) {
        std::cout << std::left << std::setw(36) << item.spec
                  << (item.obstacle.empty() ? item.summary : "not here: " + item.obstacle) << '\n';
    }
}

void print_suites() {
    for (const judge::Suite& suite : judge::list_suites()) {
        std::cout << std::left << std::setw(16) << suite.name << std::right << std::setw(4)
                  << suite.shapes.size() << " shapes  " << suite.summary << '\n';
    }
}

void fill_in_defaults(Options& options, const OpenClSession* session) {
    if (options.implementations.empty()) {
        options.implementations = {"auto"};
    }
    if (options.suites.empty()) {
        const bool cpu = session == nullptr || session->device().traits.type == DeviceType::cpu;
        options.suites = {cpu ? "square-small" : "square"};
    }
}

/// Every shape once, in the order of the suites.
std::vector<Shape> collect_shapes(const std::vector<std::string>& suites) {
    std::vector<Shape> shapes;
    for (const std::string& name : suites) {
        for (const Shape& shape : judge::find_suite(name).shapes) {
            if (std::find(shapes.begin(), shapes.end(), shape) == shapes.end()) {
                shapes.push_back(shape);
            }
        }
    }
    return shapes;
}

bool asks_for(const Options& options, const std::string& implementation) {
    const auto& all = options.implementations;
    return std::find(all.begin(), all.end(), implementation) != all.end();
}

bool has_name(const Implementations& implementations, const std::string& name) {
    return std::any_of(implementations.begin(), implementations.end(),
                       [&](const auto& item) { return item->name() == name; });
}

/// What cannot run here is left out, with a note, so that one command serves many machines.
Implementations collect_implementations(const std::vector<std::string>& specs,
                                        Environment& environment) {
    Implementations all;
    for (const std::string& spec : specs) {
        try {
            for (auto& implementation : make_implementations(spec, environment)) {
                if (!has_name(all, implementation->name())) {
                    all.push_back(std::move(implementation));
                } else if (implementation->name().starts_with("cblas:")) {
                    throw UsageError("--impl " + spec + ": another " + implementation->name() +
                                     " is in the list; link the file under another name");
                }
            }
        } catch (const Unavailable& reason) {
            std::cerr << "sgemm-bench: leaving out " << spec << ": " << reason.what() << '\n';
        }
    }
    if (all.empty()) {
        throw UsageError("--impl: nothing of it can run here (see --list-impl)");
    }
    return all;
}

/// Google Benchmark keeps pointers into `arguments`.
void initialize_benchmark(std::vector<std::string>& arguments) {
    std::vector<char*> pointers;
    pointers.reserve(arguments.size() + 1);
    for (std::string& argument : arguments) {
        pointers.push_back(argument.data());
    }
    pointers.push_back(nullptr);
    int count = static_cast<int>(arguments.size());
    benchmark::Initialize(&count, pointers.data());
    if (benchmark::ReportUnrecognizedArguments(count, pointers.data())) {
        throw UsageError("unknown flag of Google Benchmark; --help lists the usual ones");
    }
}

void print_heading(const std::map<std::string, std::string>& facts) {
    const auto fact = [&](const char* name) {
        const auto found = facts.find(name);
        return found == facts.end() ? std::string("none") : found->second;
    };
    std::cerr << "device   " << fact("device") << "\nplatform " << fact("platform") << "\ncpu      "
              << fact("cpu") << ", " << fact("cpu_threads") << " threads\nsgemm    "
              << fact("sgemm_version") << ", commit " << fact("commit") << '\n';
}

int run(int argc, char** argv) {
    Options options = parse_options(argc, argv);
    if (options.list_suites) {
        print_suites();
        return 0;
    }
    device::bind_pocl_threads();
    if (options.list_implementations || asks_for(options, "auto:calling_thread")) {
        device::offer_calling_thread();
    }
    std::string obstacle;
    const auto session = open_device(options.device, obstacle);
    fill_in_defaults(options, session.get());
    const auto shapes = collect_shapes(options.suites);
    Environment environment{.operands = Operands(shapes, options.seed, options.values),
                            .opencl = session,
                            .opencl_obstacle = obstacle,
                            .libsgemm = nullptr,
                            .openblas_coretype = options.openblas_coretype,
                            .clblast_tuning = options.clblast_tuning};
    if (options.list_implementations) {
        print_implementations(environment);
        return 0;
    }
    const auto implementations = collect_implementations(options.implementations, environment);

    std::vector<std::string> benchmark_arguments = options.benchmark_arguments;
    initialize_benchmark(benchmark_arguments);
    const auto facts = describe_measurement(options, environment, implementations);
    for (const auto& [name, value] : facts) {
        benchmark::AddCustomContext(name, value);
    }
    print_heading(facts);
    Cases cases(options, environment, implementations, shapes);
    const auto display = make_display_reporter(options, cases.progress(), cases.longest_name());
    bool is_file_written = true;
    const auto file = make_file_reporter(options, is_file_written);
    const std::size_t matched = benchmark::RunSpecifiedBenchmarks(display.get(), file.get());
    benchmark::Shutdown();
    if (matched == 0) {
        return 2; // Google Benchmark has said so
    }
    if (!is_file_written) {
        throw std::runtime_error("--benchmark_out: " + options.benchmark_flag("out") +
                                 ": cannot be written");
    }
    return cases.any_failed() ? 1 : 0;
}

int status_of(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const Exit& exit) {
        return exit.status;
    } catch (const UsageError& error) {
        std::cerr << "sgemm-bench: " << error.what() << '\n';
        return 2;
    } catch (const std::exception& error) {
        std::cerr << "sgemm-bench: " << error.what() << '\n';
        return 1;
    }
}

} // namespace
} // namespace libsgemm::bench

int main(int argc, char** argv) {
    libsgemm::support::hold_standard_streams();
    return libsgemm::support::status_after_output("sgemm-bench",
                                                  libsgemm::bench::status_of(argc, argv));
}
