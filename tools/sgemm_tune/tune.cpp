// SPDX-License-Identifier: Apache-2.0
//
// sgemm-tune without a subcommand: search, and leave a table.
#include "commands.hpp"
#include "judge/suite.hpp"
#include "learn_models.hpp"
#include "measurement_files.hpp"
#include "progress.hpp"
#include "sgemm/error.hpp"
#include "support/atomic_file.hpp"
#include "support/text.hpp"
#include "support/text_stream.hpp"
#include "tables/choices.hpp"
#include "temporary_file.hpp"
#include "tune/fit/plan_timer.hpp"
#include "tune/fit/table_rows.hpp"
#include "tune/fit/table_writer.hpp"
#include "tune/search/space.hpp"
#include "tune/search/speedup_svg.hpp"
#include "tune/search/tuner.hpp"
#include "tune_command.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <functional>
#include <iomanip>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace libsgemm::tune {
namespace {

namespace fs = std::filesystem;

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

/// Each one once.
std::vector<Shape> read_shapes(const std::vector<std::string>& names) {
    std::vector<Shape> shapes;
    for (const std::string& name : names) {
        for (const Shape& shape : judge::find_suite(name).shapes) {
            if (std::ranges::find(shapes, shape) == shapes.end()) {
                shapes.push_back(shape);
            }
        }
    }
    return shapes;
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
fs::path run_file(const fs::path& journal) {
    fs::path file = journal;
    file.replace_extension(".measurement-run.jsonl");
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
        table.has_machine = true;
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

std::vector<const catalog::KernelEntry*> kernels_to_tune(const std::vector<std::string>& names) {
    std::vector<const catalog::KernelEntry*> kernels;
    for (const catalog::KernelEntry& kernel : catalog::kernel_catalog().entries()) {
        if (names.empty() || names.front() == "all" ||
            std::ranges::find(names, kernel.name) != names.end()) {
            kernels.push_back(&kernel);
        }
    }
    return kernels;
}

/// Everything that can be wrong with the options is found here, before the run.
TunerOptions tuner_options(const TuneCommand& options, const DeviceTraits& device) {
    constexpr double search_share = 0.65; // then models are fitted, where there are classes
    TunerOptions result;
    const double budget = parse_budget("--budget", options.budget);
    result.shapes = read_shapes(options.shapes);
    result.budget_seconds = result.shapes.empty() ? search_share * budget : budget;
    result.strategy = options.strategy;
    result.seed = static_cast<std::uint64_t>(options.seed);
    result.kernels = options.kernels;
    result.restrictions = parse_restrictions(options.restrictions);
    result.command = options.command;
    // Building is what takes the time. More contexts than these do a GPU no good.
    result.verifiers =
        static_cast<int>(std::clamp(std::thread::hardware_concurrency() / 2, 1U, 6U));
    if (!options.strategy.empty()) {
        find_strategy(options.strategy);
    }
    check_restrictions(result.restrictions, kernels_to_tune(options.kernels), device);
    return result;
}

fs::path output_path(const TuneCommand& options, const DeviceTraits& device) {
    fs::path output = !options.install.empty()  ? install_path(options, device)
                      : !options.output.empty() ? fs::path(options.output)
                                                : fs::path(tables::user_table_path(device));
    if (output.empty()) {
        throw ArgumentError("--output", "", "is needed: there is no home folder for the table");
    }
    return output;
}

/// A path as a shell takes it.
std::string quoted(const std::string& path) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789/._-+,:@%=";
    if (path.find_first_not_of(plain) == std::string::npos) {
        return path;
    }
    std::string text = "'";
    for (const char c : path) {
        text += c == '\'' ? "'\\''" : std::string(1, c);
    }
    return text + "'";
}

/// The table that a run writes, again and again. What was there before stays beside it.
class Output {
public:
    Output(const TuneCommand& options, const DeviceTraits& device)
        : options_(options), device_(device), path_(output_path(options, device).string()),
          is_own_(options.install.empty() && path_ == tables::user_table_path(device)) {}

    const std::string& path() const { return path_; }

    /// Before the run: nobody should wait for a table that cannot be written.
    void require() {
        support::require_writable(path_);
        if (is_own_) {
            keep_damaged_table(path_);
        }
        if (options_.install.empty() && fs::is_regular_file(path_)) {
            before_ = support::read_file(path_);
        }
    }

    void write(tables::DeviceTable table, const std::string& comment) {
        if (options_.for_architecture) {
            table.match = {};
            table.match.architecture = device_.architecture;
            table.match.microarchitecture = tables::known_microarchitecture(device_);
            table.description = device_.architecture + ", tuned on " + device_.name;
        }
        if (before_ && !is_kept_) {
            support::replace_file(path_ + ".before", *before_);
            is_kept_ = true;
        }
        is_written_ = true;
        if (!options_.install.empty()) { // a built-in table may not be made of itself
            table.rows_from.clear();
            support::replace_file(path_, table_text(table, comment));
        } else {
            support::replace_file(path_, own_table_text(std::move(table), comment));
        }
    }

    /// Choices that programs found earlier would come before these. `base` is the table that they
    /// are read for.
    void forget_earlier(const TuningOutcome& outcome, const tables::DeviceTable& base) {
        if (!is_own_ || outcome.choices.empty()) {
            return;
        }
        try {
            const auto file = choice_file(base, device_);
            std::string complaint;
            const auto count = tables::forget_choices(file, outcome.choices, complaint);
            std::cerr << complaint << (complaint.empty() ? "" : "\n");
            if (count > 0) {
                notes_ += "         In place of " + std::to_string(count) +
                          " that programs found, " + "which " + (count == 1 ? "is" : "are") +
                          " no longer in " + file.path + ".\n";
            }
        } catch (const ConfigurationError& error) {
            notes_ += "         Choices that programs found come before these: " +
                      std::string(error.what()) + ".\n";
        }
    }

    void print(const TuningOutcome& outcome) const {
        if (!is_written_) {
            std::cout << "table:   none is written: nothing that could be a choice was measured\n";
            return;
        }
        std::cout << "table:   " << path_ << '\n';
        const std::size_t choices = outcome.choices.size();
        const std::size_t shapes = outcome.tuned.size();
        if (shapes > 0) {
            std::cout << "         It has a choice for "
                      << (choices == shapes ? "each" : std::to_string(choices)) << " of these"
                      << (choices == shapes ? "" : ' ' + std::to_string(shapes))
                      << " shapes now; rows and models are as before.\n";
        }
        std::cout << notes_;
        if (const std::string hiding = hiding_table(); !hiding.empty()) {
            std::cout
                << "         Programs do not take it while SGEMM_TABLE is set: they plan with "
                << hiding << ".\n";
        } else if (is_own_) {
            std::cout << "         Every program that uses libsgemm on this device takes it from "
                         "now on.\n";
        }
        if (options_.install.empty()) {
            std::cout << "undo:    "
                      << (is_kept_ ? "mv " + quoted(path_ + ".before") + ' ' + quoted(path_)
                                   : "rm " + quoted(path_))
                      << '\n';
        }
    }

    /// What programs take in place of the user's own table; empty: nothing.
    std::string hiding_table() const {
        const std::string named = support::environment("SGEMM_TABLE");
        return is_own_ && named != path_ ? named : "";
    }

private:
    const TuneCommand& options_;
    const DeviceTraits& device_;
    std::string path_;
    bool is_own_;
    std::optional<std::string> before_; ///< what is there at the beginning
    bool is_kept_ = false;
    bool is_written_ = false;
    std::string notes_;
};

/// Models for what the search found, by what is left of the time. Returns what came of it.
std::string learn(const TuningOutcome& outcome, const tables::DeviceTable& base,
                  const DeviceHandle& device, const fs::path& journal, double seconds,
                  const TuneCommand& options, Output& output,
                  const std::function<void(double)>& on_progress) {
    ModelLearning learning;
    learning.seconds = std::max(1.0, seconds);
    learning.run_file = run_file(journal);
    learning.shapes = names_of(default_classes(device.traits));
    learning.relatives = names_of({{"related", related_shapes(device.traits)}});
    learning.interrupted = &interrupted;
    learning.on_progress = on_progress;
    try {
        LearntModels learnt =
            learn_models(learning, outcome.table, with_rows_of(outcome.spare, base), device);
        learnt.table.choices = outcome.table.choices;
        output.write(learnt.table, comment_of(outcome, options.command));
        return words_of(learnt) + "; " + learning.run_file.string();
    } catch (const std::exception& error) {
        return "as before: " + std::string(error.what());
    }
}

/// What more time could still bring.
std::string outlook(const TuningOutcome& outcome) {
    constexpr double much = 0.5;
    std::vector<TunedShape> measured = outcome.tuned;
    std::erase_if(measured, [](const TunedShape& shape) { return shape.after <= 0; });
    if (outcome.interrupted || measured.empty()) {
        return "--resume goes on where this run ended";
    }
    std::ranges::stable_sort(measured, {}, &TunedShape::share);
    const auto far =
        std::ranges::count_if(measured, [](const TunedShape& shape) { return shape.share < much; });
    if (far == 0) {
        return "little: every shape that was measured is above half of what the device can do";
    }
    const TunedShape& worst = measured.front();
    support::TextWriter text;
    text << judge::shape_name(worst.shape) << " is at " << percent(worst.share)
         << " of what the device can do: at best " << std::setprecision(2) << 1 / worst.share
         << " times as fast; ";
    if (far > 1) {
        text << far - 1 << " more below half of that; ";
    }
    text << "--resume --budget goes on";
    return text.str();
}

void print_end(const TuningOutcome& outcome, const Output& output, const fs::path& journal,
               const std::string& picture, const std::string& models) {
    print_summary(outcome);
    output.print(outcome);
    std::cout << "picture: " << picture << "\njournal: " << journal.string() << '\n';
    if (!models.empty()) {
        std::cout << "models:  " << models << '\n';
    }
    std::cout << "a longer run could bring: " << outlook(outcome) << '\n';
}

void run_tune(const TuneCommand& options) {
    const DeviceHandle device = select_device(options.device);
    if (options.list) {
        return list_spaces(options, device.traits);
    }
    if (!options.explain.empty()) {
        return explain(options.explain, options.table, device.traits);
    }
    const TunerOptions search = tuner_options(options, device.traits);
    const double budget = parse_budget("--budget", options.budget);
    Output output(options, device.traits);
    tables::DeviceTable base = table_before(options.table, device.traits);
    if (options.dry_run) {
        print_intentions(search, base, device.traits, output.path(),
                         options.journal.empty() ? default_journal(device.traits).string()
                                                 : options.journal);
        if (const std::string hiding = output.hiding_table(); !hiding.empty()) {
            std::cout << "Programs would not take it while SGEMM_TABLE is set: they plan with "
                      << hiding << ".\n";
        }
        return;
    }
    output.require();
    const auto journal = open_journal(options, device.traits);
    if (base.is_generic()) {
        probe(base, device);
    }
    const TemporaryFile base_file;
    support::replace_file(base_file.path(), table_text(base, "The table before the run."));
    const std::string program = fs::exists("/proc/self/exe") ? "/proc/self/exe" : "sgemm-tune";
    Tuner tuner(device, catalog::kernel_catalog(),
                {{program, "worker", "--device", device.selector, "--table", base_file.path()}},
                *journal, base, search, &interrupted);
    ProgressBar bar;
    Progress last;
    tuner.on_progress([&](const Progress& progress) {
        last = progress;
        last.budget_seconds = budget;
        bar.show(last);
    });
    tuner.on_table([&](const tables::DeviceTable& table) {
        output.write(table, "Written by " + options.command + ", which has not ended yet.");
    });
    std::signal(SIGINT, interrupt);
    std::signal(SIGTERM, interrupt);
    std::cerr << "tuning " << device.traits.name << " for " << options.budget << "; journal "
              << journal->file().string() << "; Ctrl-C stops and keeps what is found\n"
              << time_warning(search, base, device.traits);
    const TuningOutcome outcome = tuner.run();
    if (search.shapes.empty() || !outcome.choices.empty()) {
        output.write(outcome.table, comment_of(outcome, options.command));
    }
    output.forget_earlier(outcome, base);
    std::string models;
    if (search.shapes.empty() && !outcome.interrupted) {
        models = learn(outcome, base, device, journal->file(), budget - outcome.seconds, options,
                       output, [&](double seconds) {
                           last.seconds = outcome.seconds + seconds;
                           last.task = "all rows, many shapes";
                           last.activity = "learning what plans cost";
                           last.best_speedup = 0;
                           bar.show(last);
                       });
    }
    const std::string picture = options.picture.empty()
                                    ? fs::path(journal->file()).replace_extension(".svg").string()
                                    : options.picture;
    support::replace_file(picture, speedup_svg(outcome.shapes, device.traits.name));
    print_end(outcome, output, journal->file(), picture, models);
}

} // namespace

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
                   "Your own sizes, each tuned for itself: files with lines\n"
                   "'OP M N K [LDA LDB LDC]', suites of sgemm-bench, or single shapes\n"
                   "(NT/64x32x16); default: a few shapes of each class")
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
    app.add_option("--seed", options->seed, "Of the random choices")
        ->check(CLI::Range(std::int64_t{0}, std::numeric_limits<std::int64_t>::max()))
        ->capture_default_str();
    app.add_option("--table", options->table,
                   "Table to start from and to compare with (default: as the library chooses)")
        ->type_name("FILE");
    app.add_option("--install-into-source", options->install,
                   "Write tuning/devices/DEVICE.toml of this source folder instead")
        ->type_name("FOLDER");
    app.add_flag("--for-architecture", options->for_architecture,
                 "The table is for all devices of this architecture, a CPU's microarchitecture "
                 "included where known, not of this name");
    app.add_flag("--dry-run", options->dry_run, "Say what a run would do, and end");
    app.add_option("--explain", options->explain,
                   "Say which plan a shape takes (NT/64x32x16), and why, and end")
        ->type_name("SHAPE");
    app.add_flag("--list", options->list, "Print the search spaces and end");
    app.callback([options, &app] {
        if (app.get_subcommands().empty()) {
            run_tune(*options);
        }
    });
}

void add_worker_command(CLI::App& app) {
    struct Options {
        std::string device, table;
    };
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("worker", "Internal: runs trials")->group("");
    command->add_option("--device", options->device);
    command->add_option("--table", options->table);
    command->callback([options] {
        const auto text = support::read_file(options->table).value_or("");
        // Serves until its input ends; errors are on standard error.
        throw CLI::RuntimeError(serve(select_device(options->device), catalog::kernel_catalog(),
                                      tables::parse_table(text, options->table)));
    });
}

} // namespace libsgemm::tune
