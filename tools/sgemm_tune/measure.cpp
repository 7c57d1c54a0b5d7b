// SPDX-License-Identifier: Apache-2.0
//
// sgemm-tune measure: times plans for many shapes, as data for `fit` and `validate`.
#include "tune/fit/measure.hpp"

#include "commands.hpp"
#include "device/pocl_threads.hpp"
#include "judge/suite.hpp"
#include "measurement_files.hpp"
#include "processes.hpp"
#include "progress.hpp"
#include "sgemm/device.hpp"
#include "sgemm/version.hpp"
#include "tables/device_table.hpp"
#include "tune/fit/traits_facts.hpp"
#include "tune/worker/journal.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <limits>
#include <memory>
#include <set>
#include <thread>

namespace libsgemm::tune {
namespace {

struct MeasureCommand {
    std::string device;
    std::string table;
    std::string output = "measurement-run.jsonl";
    std::string budget = "10m";
    std::string build_share;
    int build_processes = 0;
    bool hold_out_nothing = false;
    bool ends_with_parent = false;
    ShapeDraw shapes;
    std::vector<std::string> also;
    MeasureOptions measure;
};

/// What is asked for besides comes first, so that a short budget reaches it.
std::vector<DrawnShape> shapes_of(const MeasureCommand& options) {
    std::vector<DrawnShape> shapes;
    std::set<std::string> names;
    for (const std::string& suite : options.also) {
        for (const judge::Shape& shape : judge::find_suite(suite).shapes) {
            if (names.insert(judge::shape_name(shape)).second) {
                shapes.push_back({"own", false, shape});
            }
        }
    }
    for (DrawnShape& shape : draw_shapes(options.shapes)) {
        if (names.insert(shape_name(shape.shape)).second) {
            shape.held_out = shape.held_out && !options.hold_out_nothing;
            shapes.push_back(std::move(shape));
        }
    }
    return shapes;
}

Facts facts_of(const MeasureCommand& options, const DeviceTraits& device,
               const tables::DeviceTable& table) {
    Facts facts = to_facts(device);
    facts.insert({{"date", utc_now()},
                  {"table", std::filesystem::path(table.origin).filename().string()},
                  {"sgemm_version", version()},
                  {"seed", std::to_string(options.shapes.seed)},
                  {"shapes", std::to_string(options.shapes.count)},
                  {"size", std::to_string(options.shapes.size)},
                  {"most_plans", std::to_string(options.measure.most_plans)}});
    if (device.type == DeviceType::cpu) {
        facts["pocl_affinity"] = device::pocl_affinity();
    }
    return facts;
}

void print_progress(std::size_t done, std::size_t all, const ShapeTimes& times) {
    const auto best =
        std::min_element(times.plans.begin(), times.plans.end(),
                         [](const PlanTime& x, const PlanTime& y) { return x.us < y.us; });
    std::cerr << done << '/' << all << ' ' << times.shape << ": " << times.plans.size() << " of "
              << times.candidates << " plans";
    if (best != times.plans.end()) {
        std::cerr << ", first " << times.plans.front().us << " us, best " << best->us << " us ("
                  << best->to_string() << ')';
    }
    std::cerr << (times.failed.empty() ? "" : ", some failed") << std::endl;
}

void run_measure(MeasureCommand options) {
    if (options.ends_with_parent) {
        end_with_parent();
    }
    options.measure.budget_seconds = parse_budget("--budget", options.budget);
    const DeviceHandle device = select_device(options.device);
    const tables::DeviceTable table = table_for(options.table, device.traits);
    const auto shapes = shapes_of(options);
    if (shapes.empty()) {
        throw CLI::ValidationError("--shapes", "must not be 0 without --also");
    }
    if (!options.build_share.empty()) {
        const Share share = parse_share(options.build_share);
        end_with_parent();
        return build_share(device, table, shapes, options.measure, share.part, share.parts);
    }
    const auto helpers = start_copies(options.build_processes, [&](const std::string& share) {
        std::vector<std::string> arguments{"measure",
                                           "--device",
                                           options.device,
                                           "--table",
                                           options.table,
                                           "--seed",
                                           std::to_string(options.shapes.seed),
                                           "--shapes",
                                           std::to_string(options.shapes.count),
                                           "--size",
                                           std::to_string(options.shapes.size),
                                           "--plans",
                                           std::to_string(options.measure.most_plans),
                                           "--build-share",
                                           share};
        for (const std::string& suite : options.also) {
            arguments.insert(arguments.end(), {"--also", suite});
        }
        return arguments;
    });
    const std::size_t done =
        measure_shapes(device, table, shapes, options.output,
                       facts_of(options, device.traits, table), options.measure, print_progress);
    std::cerr << options.output << ": " << done << " of " << shapes.size() << " shapes\n";
}

} // namespace

void add_measure_command(CLI::App& app) {
    auto options = std::make_shared<MeasureCommand>();
    options->measure.threads =
        static_cast<int>(std::max(1U, std::thread::hardware_concurrency() / 2));
    CLI::App* command = app.add_subcommand(
        "measure", "Time plans for many shapes: the data of fit and validate. Goes on where it was "
                   "broken off.");
    command->add_option("--device", options->device, "As SGEMM_DEVICE");
    command->add_option("--table", options->table,
                        "Device table (default: as the library chooses)");
    command->add_option("--output", options->output, "JSON lines; appended to")
        ->capture_default_str();
    command->add_option("--budget", options->budget, "Time to spend, e.g. 90s or 5m")
        ->capture_default_str();
    command
        ->add_option("--shapes", options->shapes.count, "Shapes to draw; every second is held out")
        ->check(CLI::Range(0, 100000))
        ->capture_default_str();
    command->add_flag("--hold-out-nothing", options->hold_out_nothing,
                      "Learn from all shapes: none is left for validate");
    command->add_flag("--again", options->measure.again,
                      "Measure shapes that the file holds once more; its best times count");
    command->add_option("--seed", options->shapes.seed, "Of the shapes")
        ->check(CLI::Range(std::int64_t{0}, std::numeric_limits<std::int64_t>::max()))
        ->capture_default_str();
    command
        ->add_option("--size", options->shapes.size,
                     "Typical largest extent: 4096 for a GPU, 768 for a CPU of few cores")
        ->check(CLI::Range(64, 65536))
        ->capture_default_str();
    command->add_option("--also", options->also,
                        "Shapes to learn from besides: a shape file, a suite of sgemm-bench or one "
                        "shape; never held out");
    command
        ->add_option("--plans", options->measure.most_plans, "Most plans per shape, by prediction")
        ->check(CLI::Range(1, 10000))
        ->capture_default_str();
    command->add_option("--threads", options->measure.threads, "Threads that build")
        ->check(CLI::Range(1, 256))
        ->capture_default_str();
    command
        ->add_option(
            "--build-processes", options->build_processes,
            "Processes that fill the compiler's cache ahead, where threads wait for each other")
        ->check(CLI::Range(0, 256));
    command->add_option("--build-share", options->build_share, "Internal")->group("");
    command->add_flag("--end-with-parent", options->ends_with_parent, "Internal")->group("");
    command->callback([options] { run_measure(*options); });
}

} // namespace libsgemm::tune
