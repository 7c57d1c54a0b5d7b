// SPDX-License-Identifier: Apache-2.0
//
// sgemm-tune without a subcommand: search, and leave a table.
#include "commands.hpp"
#include "judge/suite.hpp"
#include "learn_models.hpp"
#include "progress.hpp"
#include "sgemm/error.hpp"
#include "support/atomic_file.hpp"
#include "support/text.hpp"
#include "support/text_stream.hpp"
#include "tune/fit/plan_timer.hpp"
#include "tune/fit/table_rows.hpp"
#include "tune/fit/table_writer.hpp"
#include "tune/search/space.hpp"
#include "tune/search/speedup_svg.hpp"
#include "tune/search/tuner.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace libsgemm::tune {
namespace {

namespace fs = std::filesystem;

struct TuneCommand {
    std::string device, budget = "10m", output, journal, strategy, picture, table, command;
    std::string install;
    std::vector<std::string> kernels, shapes, restrictions;
    std::uint64_t seed = 1;
    bool resume = false, list = false, for_architecture = false;
};

std::atomic<bool> interrupted{false};

extern "C" void interrupt(int signal) {
    interrupted = true;
    std::signal(signal, SIG_DFL); // the second time ends the program
}

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    support::TextReader stream(text);
    for (std::string part; std::getline(stream, part, separator);) {
        parts.push_back(part);
    }
    return parts;
}

/// "tile_m=16,32"
Restrictions parse_restrictions(const std::vector<std::string>& texts) {
    Restrictions restrictions;
    for (const std::string& text : texts) {
        const std::size_t equals = text.find('=');
        std::vector<int> values;
        bool are_numbers = true;
        for (const std::string& word : split(text.substr(equals + 1), ',')) {
            const auto value = support::parse_number<int>(word);
            are_numbers = are_numbers && value;
            values.push_back(value.value_or(0));
        }
        if (equals == 0 || equals == std::string::npos || values.empty() || !are_numbers) {
            throw ArgumentError("--restrict", text, "must be NAME=VALUE,VALUE...");
        }
        restrictions[text.substr(0, equals)] = values;
    }
    return restrictions;
}

std::vector<ShapeClass> read_classes(const std::vector<std::string>& names) {
    std::vector<ShapeClass> classes;
    for (const std::string& name : names) {
        const judge::Suite suite = judge::find_suite(name);
        classes.push_back({suite.name, suite.shapes});
    }
    return classes;
}

/// Beside the user's tables.
fs::path default_journal(const DeviceTraits& device) {
    const fs::path table = tables::user_table_path(device);
    if (table.empty()) {
        return tables::device_slug(device) + ".jsonl";
    }
    return table.parent_path().parent_path() / "journals" / (table.stem().string() + ".jsonl");
}

/// A journal that is there is only continued where that was asked for; else it steps aside.
std::unique_ptr<Journal> open_journal(const TuneCommand& options, const DeviceTraits& device) {
    const fs::path file =
        options.journal.empty() ? default_journal(device) : fs::path(options.journal);
    if (options.journal.empty()) {
        const std::string complaint = repair_journal(file);
        std::cerr << complaint << (complaint.empty() ? "" : "\n");
    }
    auto journal = std::make_unique<Journal>(file);
    if (options.resume || journal->records().empty()) {
        return journal;
    }
    if (!options.journal.empty()) {
        throw ArgumentError("--journal", options.journal,
                            "holds trials already: --resume goes on with them");
    }
    journal.reset();
    fs::path aside = file;
    aside.replace_extension(".previous.jsonl");
    fs::rename(file, aside);
    std::cerr << "the last run's journal is " << aside.string()
              << " now; --resume would have gone on with it\n";
    return std::make_unique<Journal>(file);
}

/// What a person may have edited since, and broken, is not lost.
void keep_damaged_table(const std::string& file) {
    if (const std::string aside = tables::set_aside_if_damaged(file); !aside.empty()) {
        std::cerr << "sgemm-tune: " << file << " is no table any more; it is " << aside << " now\n";
    }
}

/// Beside the journal. One that is there is of the last run's table, and steps aside.
fs::path campaign_file(const fs::path& journal) {
    fs::path file = journal;
    file.replace_extension(".campaign.jsonl");
    if (fs::exists(file)) {
        fs::path aside = file;
        fs::rename(file, aside.replace_extension(".previous.jsonl"));
    }
    return file;
}

/// What a launch takes on this device and its bandwidth, where the table is for many devices.
void probe(tables::DeviceTable& table, const DeviceHandle& device) {
    try {
        table.machine = PlanTimer(device).probe(table.machine);
    } catch (const Error& error) {
        std::cerr << "sgemm-tune: measuring the device: " << error.what() << '\n';
    }
}

/// The shapes that were tuned for.
std::vector<std::string> names_of(const std::vector<ShapeClass>& classes) {
    std::vector<std::string> names;
    for (const ShapeClass& shape_class : classes) {
        for (const Shape& shape : shape_class.shapes) {
            names.push_back(judge::shape_name(shape));
        }
    }
    return names;
}

std::string words_of(const LearntModels& learnt) {
    support::TextWriter text;
    text << std::fixed << std::setprecision(1) << to_string(learnt.source) << ", by "
         << learnt.shapes << " shapes; cross-validated, the plan taken is "
         << 100 * (learnt.regret_after - 1) << " % slower than the best one measured ("
         << 100 * (learnt.regret_before - 1) << " % with the search's table)";
    return text.str();
}

std::string comment_of(const TuningOutcome& outcome, const std::string& command) {
    support::TextWriter text;
    text << "Written by " << command
         << "\nTimes are medians of device time with all passes; speed-up"
         << " over the table before, geometric means:\n";
    for (const ClassOutcome& c : outcome.classes) {
        text << "  " << c.name << ' ' << std::fixed << std::setprecision(2) << c.speedup << '\n';
    }
    return text.str();
}

fs::path install_path(const TuneCommand& options, const DeviceTraits& device) {
    const fs::path folder = fs::path(options.install) / "tuning" / "devices";
    if (!fs::is_directory(folder)) {
        throw ArgumentError("--install-into-source", options.install,
                            "must be libsgemm's source folder: it has no tuning/devices");
    }
    const std::string name =
        options.for_architecture ? device.architecture : tables::device_slug(device);
    const std::string suffix =
        device.microarchitecture.empty() ? "" : "-" + device.microarchitecture;
    return folder / (name + suffix + ".toml");
}

void print_space(const catalog::KernelEntry& kernel, const DeviceTraits& device,
                 const Restrictions& restrictions, bool with_rules) {
    const Space space = kernel_space(kernel, device, restrictions);
    const Space::Count count = space.count_feasible();
    support::TextWriter left;
    left << (count.exact ? "" : "about ") << std::setprecision(count.exact ? 12 : 3)
         << count.points;
    std::cout << std::left << std::setw(28) << kernel.name << std::right << std::setw(12)
              << std::setprecision(6) << space.size() << std::setw(18) << left.str() << '\n';
    if (!with_rules) {
        return;
    }
    for (const Dimension& dimension : space.dimensions()) {
        std::cout << "    " << dimension.name << ':';
        for (const int value : dimension.values) {
            std::cout << ' ' << value;
        }
        std::cout << '\n';
    }
    for (const RuleShare& rule : rule_shares(kernel, device)) {
        std::cout << "    " << std::fixed << std::setprecision(1) << std::setw(5)
                  << 100 * rule.share << std::defaultfloat << " % break: " << rule.reason << '\n';
    }
}

void list_spaces(const TuneCommand& options, const DeviceHandle& device) {
    std::cout << "search spaces on " << device.traits.name << "\n\n"
              << std::left << std::setw(28) << "kernel" << std::right << std::setw(12) << "points"
              << std::setw(18) << "keep the rules" << '\n';
    const auto restrictions = parse_restrictions(options.restrictions);
    for (const catalog::KernelEntry& kernel : catalog::kernel_catalog().entries()) {
        const bool wanted =
            options.kernels.empty() ||
            std::ranges::find(options.kernels, kernel.name) != options.kernels.end();
        if (wanted) {
            print_space(kernel, device.traits, restrictions, !options.kernels.empty());
        }
    }
    std::cout
        << "\n--list --kernels NAME shows the values, and how many points each rule excludes\n";
}

void run_tune(const TuneCommand& options) {
    const DeviceHandle device = select_device(options.device);
    if (options.list) {
        return list_spaces(options, device);
    }
    TunerOptions tuner_options;
    const double budget = parse_budget("--budget", options.budget);
    constexpr double search_share = 0.65; // then the models are fitted
    tuner_options.budget_seconds = search_share * budget;
    tuner_options.strategy = options.strategy;
    tuner_options.seed = options.seed;
    tuner_options.kernels = options.kernels;
    tuner_options.classes = read_classes(options.shapes);
    tuner_options.restrictions = parse_restrictions(options.restrictions);
    tuner_options.command = options.command;
    // Building is what takes the time. More contexts than these do a GPU no good.
    tuner_options.verifiers =
        static_cast<int>(std::clamp(std::thread::hardware_concurrency() / 2, 1U, 6U));
    if (!options.strategy.empty()) {
        find_strategy(options.strategy);
    }
    const bool installs = !options.install.empty();
    fs::path output = installs ? install_path(options, device.traits) : fs::path(options.output);
    if (output.empty()) {
        output = tables::user_table_path(device.traits);
    }
    if (output.empty()) {
        throw ArgumentError("--output", "", "is needed: there is no home folder for the table");
    }
    support::require_writable(output.string());
    const auto journal = open_journal(options, device.traits);

    const std::string program = fs::exists("/proc/self/exe") ? "/proc/self/exe" : "sgemm-tune";
    std::string complaint;
    tables::DeviceTable base =
        tables::load_table(options.table, device.traits, catalog::kernel_catalog(), complaint);
    if (!complaint.empty()) {
        std::cerr << "sgemm-tune: " << complaint << '\n';
    }
    if (output == tables::user_table_path(device.traits)) {
        keep_damaged_table(output.string());
    }
    if (base.is_generic()) {
        probe(base, device);
    }
    Tuner tuner(device, {}, {{program, "worker", "--device", device.selector}}, *journal, base,
                tuner_options, &interrupted);
    ProgressBar bar;
    Progress last;
    const auto show = [&](const Progress& progress) {
        last = progress;
        last.budget_seconds = budget;
        bar.show(last);
    };
    tuner.on_progress(show);
    const auto write = [&](tables::DeviceTable table, const std::string& comment) {
        if (options.for_architecture) {
            table.match = {};
            table.match.architecture = device.traits.architecture;
            table.match.microarchitecture = tables::known_microarchitecture(device.traits);
            table.description = device.traits.architecture + ", tuned on " + device.traits.name;
        }
        support::replace_file(output.string(), table_text(table, comment));
    };
    tuner.on_table([&](const tables::DeviceTable& table) {
        write(table, "Written by " + options.command + ", which has not ended yet.");
    });
    std::signal(SIGINT, interrupt);
    std::signal(SIGTERM, interrupt);
    std::cerr << "tuning " << device.traits.name << " for " << options.budget << "; journal "
              << journal->file().string() << "; Ctrl-C stops and keeps what is found\n";
    const TuningOutcome outcome = tuner.run();
    write(outcome.table, comment_of(outcome, options.command));
    const auto on_progress = [&](double seconds) {
        last.seconds = outcome.seconds + seconds;
        last.task = "all rows, many shapes";
        last.activity = "learning what plans cost";
        last.best_speedup = 0;
        bar.show(last);
    };
    std::string models = "models:  as before";
    if (!outcome.interrupted) {
        try {
            ModelLearning learning;
            learning.seconds = std::max(1.0, budget - outcome.seconds);
            learning.campaign_file = campaign_file(journal->file());
            learning.shapes =
                names_of(tuner_options.classes.empty() ? default_classes(device.traits)
                                                       : tuner_options.classes);
            if (tuner_options.classes.empty()) { // one's own sizes come as they are given
                learning.relatives = names_of({{"related", related_shapes(device.traits)}});
            }
            learning.interrupted = &interrupted;
            learning.on_progress = on_progress;
            const LearntModels learnt =
                learn_models(learning, outcome.table, with_rows_of(outcome.spare, base), device);
            write(learnt.table, comment_of(outcome, options.command));
            models = "models:  " + words_of(learnt) + "; " + learning.campaign_file.string();
        } catch (const std::exception& error) {
            models += ": " + std::string(error.what());
        }
    }
    fs::path picture = options.picture;
    if (picture.empty()) {
        picture = journal->file();
        picture.replace_extension(".svg");
    }
    support::replace_file(picture.string(), speedup_svg(outcome.shapes, device.traits.name));
    print_summary(outcome);
    std::cout << "table:   " << output.string() << "\npicture: " << picture.string()
              << "\njournal: " << journal->file().string() << '\n'
              << models << '\n';
    if (!installs && output == tables::user_table_path(device.traits)) {
        std::cout
            << "Every program that uses libsgemm on this device takes this table from now on.\n";
    }
}

} // namespace

void add_tune_options(CLI::App& app, const std::string& command) {
    auto options = std::make_shared<TuneCommand>();
    options->command = command;
    app.add_option("--device", options->device,
                   "P:D, P, gpu, cpu or part of a name; default: $SGEMM_DEVICE,\n"
                   "or the first GPU, or the first device");
    app.add_option("--budget", options->budget, "Time to spend: 90s, 5m, 1h")
        ->capture_default_str()
        ->type_name("TIME");
    app.add_option("--kernels", options->kernels,
                   "Kernels to tune, or all (default: those for production)")
        ->delimiter(',')
        ->type_name("NAME,...");
    app.add_option("--shapes", options->shapes,
                   "Your own sizes: files with lines 'OP M N K [LDA LDB LDC]', suites of\n"
                   "sgemm-bench, or single shapes (NT/64x32x16); default: a few of each class")
        ->delimiter(',')
        ->type_name("FILE,...");
    app.add_option("--strategy", options->strategy, "model (default), hill or exhaustive")
        ->type_name("NAME");
    app.add_option("--restrict", options->restrictions,
                   "Search a part of the space only: a parameter's values")
        ->type_name("NAME=V,V...")
        ->take_all();
    app.add_option("--output", options->output,
                   "Table to write (default: the one that the library finds by itself)")
        ->type_name("FILE");
    app.add_option("--journal", options->journal, "Where each trial is written, one JSON line each")
        ->type_name("FILE");
    app.add_flag("--resume", options->resume, "Go on with the journal that is there");
    app.add_option("--picture", options->picture,
                   "Bars of what each shape gained (default: beside the journal)")
        ->type_name("SVG");
    app.add_option("--seed", options->seed, "Of the random choices")->capture_default_str();
    app.add_option("--table", options->table,
                   "Table to start from and to compare with (default: as the library chooses)")
        ->type_name("FILE");
    app.add_option("--install-into-source", options->install,
                   "Write tuning/devices/DEVICE.toml of this source folder instead")
        ->type_name("FOLDER");
    app.add_flag("--for-architecture", options->for_architecture,
                 "The table is for all devices of this architecture, a CPU's microarchitecture "
                 "included where known, not of this name");
    app.add_flag("--list", options->list, "Print the search spaces and end");
    app.callback([options, &app] {
        if (app.get_subcommands().empty()) {
            run_tune(*options);
        }
    });
}

void add_worker_command(CLI::App& app) {
    auto device = std::make_shared<std::string>();
    CLI::App* command = app.add_subcommand("worker", "Internal: runs trials")->group("");
    command->add_option("--device", *device);
    command->callback([device] {
        // Serves until its input ends; errors are on standard error.
        throw CLI::RuntimeError(serve(select_device(*device)));
    });
}

} // namespace libsgemm::tune
