// SPDX-License-Identifier: Apache-2.0
#include "tune/search/tuner.hpp"

#include "sgemm/error.hpp"
#include "sgemm/version.hpp"
#include "tune/search/compose.hpp"
#include "tune/search/halving.hpp"
#include "tune/worker/infinity.hpp"
#include "tune/worker/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace libsgemm::tune {
namespace {

/// Shares of a task's time: the rest is for verification.
constexpr double search_share = 0.65;
constexpr double measure_share = 0.8;

TimeLimits limits_for(const DeviceTraits& device) {
    TimeLimits limits;
    // Compilers for CPUs take tens of seconds for long unrolled loops, and nobody would wait for
    // them.
    limits.build = device.type == DeviceType::cpu ? 10 : 60;
    return limits;
}

} // namespace

Tuner::Tuner(const DeviceHandle& device, const catalog::KernelCatalog& kernels,
             const WorkerCommand& worker, Journal& journal, tables::DeviceTable base,
             TunerOptions options, const std::atomic<bool>* interrupted)
    : device_(device), kernels_(kernels), journal_(journal), base_(std::move(base)),
      options_(std::move(options)), worker_(worker, limits_for(device.traits), interrupted) {
    for (int i = 1; i < options_.verifiers; ++i) {
        verifiers_.push_back(
            std::make_unique<Worker>(worker, limits_for(device.traits), interrupted));
    }
}

double Tuner::now() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

void Tuner::report(const std::string& activity) {
    state_.seconds = now();
    state_.activity = activity;
    if (progress_) {
        progress_(state_);
    }
}

Origin Tuner::origin_of(const std::string& kernel) const {
    return {device_.traits.name, device_.traits.driver_version, kernels_.short_source_hash(kernel)};
}

/// A journal that is gone on with has one: times that are compared need the same.
const Configuration& Tuner::reference_for(const Shape& shape) {
    const std::string name = judge::shape_name(shape);
    auto found = references_.find(name);
    if (found != references_.end()) {
        return found->second;
    }
    for (const TrialRecord& record : journal_.records()) {
        if (record.spec.reference && record.spec.shape == shape && record.result.ratio > 0 &&
            record.origin == origin_of(record.spec.configuration.kernel)) {
            return references_.emplace(name, *record.spec.reference).first->second;
        }
    }
    return references_.emplace(name, predicted_best(shape, base_, device_.traits, kernels_))
        .first->second;
}

TrialSpec Tuner::spec_of(const Configuration& configuration, const Shape& shape,
                         bool thorough) const {
    TrialSpec spec;
    spec.configuration = configuration;
    spec.shape = shape;
    spec.effort.seconds = thorough ? 0.4 : 0.1;
    spec.effort.least_samples = thorough ? 7 : 3;
    spec.effort.most_samples = thorough ? 40 : 10;
    spec.effort.precision = thorough ? 0.007 : 0.02;
    spec.with_beta = !options_.shapes.empty(); // no verification at other shapes follows
    return spec;
}

/// The best once more, thoroughly, and in other variants: what the choice and the model need.
void Tuner::measure_best(const Task& task, const std::vector<Configuration>& best,
                         double deadline) {
    for (const bool usual : {true, false}) {
        for (const Configuration& row : best) {
            for (const Shape& shape : task.shapes.shapes) {
                if (now() > deadline) {
                    return;
                }
                Configuration asked = row;
                if (usual) {
                    asked.variant =
                        usual_variant(*task.kernel, row.parameters, shape, device_.traits);
                    ask(RecordKind::timing, task.shapes.name, spec_of(asked, shape, true), 1);
                    report("measuring the best");
                    continue;
                }
                for (const Variant& other :
                     other_variants(*task.kernel, row.parameters, shape, device_.traits)) {
                    asked.variant = other;
                    ask(RecordKind::timing, task.shapes.name, spec_of(asked, shape, false), 0);
                    report("measuring the best");
                }
            }
        }
    }
}

/// Verifies the task's best row, whatever the time; and those that are better at one of its shapes,
/// while there is time.
void Tuner::verify_best(const Task& task, const std::vector<Configuration>& best, double deadline) {
    constexpr double better = 0.97;
    const auto time_at = [&](const Configuration& row, const Shape& shape) {
        Configuration asked = row;
        asked.variant = usual_variant(*task.kernel, row.parameters, shape, device_.traits);
        for (const int round : {1, 0}) {
            const TrialRecord* known = journal_.find(
                key_of(RecordKind::timing, origin_of(row.kernel), asked, shape, round));
            if (known != nullptr && known->result.ok()) {
                return known->result.ratio;
            }
        }
        return infinity;
    };
    std::vector<double> reached(task.shapes.shapes.size(), infinity);
    std::vector<Configuration>& winners = winners_[std::string(task.kernel->name)];
    std::vector<Configuration> ranked = best;
    std::stable_sort(ranked.begin(), ranked.end(),
                     [&](const Configuration& x, const Configuration& y) {
                         const auto total = [&](const Configuration& row) {
                             std::vector<double> times;
                             for (const Shape& shape : task.shapes.shapes) {
                                 times.push_back(time_at(row, shape));
                             }
                             return geometric_mean(times);
                         };
                         return total(x) < total(y);
                     });
    bool any = false;
    for (const Configuration& row : ranked) {
        std::vector<double> times;
        bool helps = !any;
        for (std::size_t i = 0; i < reached.size(); ++i) {
            times.push_back(time_at(row, task.shapes.shapes[i]));
            helps = helps || times[i] < better * reached[i];
        }
        if (std::ranges::find(winners, row) == winners.end()) {
            winners.push_back(row); // at least somewhere to start from
        }
        // What is slower than the plan before at all shapes will not be in the table.
        constexpr double worthwhile = 0.99;
        helps = helps && *std::ranges::min_element(times) < worthwhile;
        if (!helps || (any && now() > deadline)) {
            continue;
        }
        report("verifying");
        if (!verify(row, task.shapes.name)) {
            continue;
        }
        any = true;
        for (std::size_t i = 0; i < reached.size(); ++i) {
            reached[i] = std::min(reached[i], times[i]);
        }
    }
    constexpr std::size_t most_winners = 8;
    winners.resize(std::min(winners.size(), most_winners));
}

void Tuner::pursue(const Task& task, double deadline) {
    const double begin = now();
    state_.task = std::string(task.kernel->name) + ", " + task.shapes.name;
    state_.best_speedup = 0;
    Halving search(kernel_space(*task.kernel, device_.traits, options_.restrictions));
    if (!this->search(task, search, begin + search_share * (deadline - begin))) {
        return;
    }
    constexpr std::size_t finalists = 5;
    const std::vector<Configuration> best = search.best(task, finalists);
    measure_best(task, best, begin + measure_share * (deadline - begin));
    verify_best(task, best, deadline);
}

void Tuner::publish(std::set<std::string> unfinished) {
    if (options_.shapes.empty()) {
        Composition composition{device_.traits, kernels_, base_};
        composition.unfinished = std::move(unfinished);
        outcome_.table = compose_table(journal_.records(), composition);
    } else { // one shape says nothing of others: rows and models stay
        outcome_.table = base_;
        if (!base_.embedded.empty()) { // the library's, whatever its next version has there
            outcome_.table.rows_from = base_.embedded;
            outcome_.table.base_rows = base_.rows.size();
            outcome_.table.has_machine = base_.is_generic(); // that one is measured
            outcome_.table.embedded.clear();
        }
    }
    tables::DeviceTable& table = outcome_.table;
    // Of classes of problems it is first use that knows, with the table of before.
    std::erase_if(table.choices, [&](const tables::Choice& old) {
        return !old.problem || old.is_of_file ||
               std::ranges::find(choices_, old.problem, &tables::Choice::problem) != choices_.end();
    });
    table.choices.insert(table.choices.end(), choices_.begin(), choices_.end());
    table.origin = "sgemm-tune";
    table.description = device_.traits.name + ", tuned on the device";
    table.match = {};
    table.match.name = device_.traits.name;
    table.match.microarchitecture = tables::known_microarchitecture(device_.traits);
    table.provenance = {
        {"device", device_.traits.name},
        {"driver", device_.traits.driver_version},
        {"platform", device_.traits.platform + ", " + device_.traits.platform_version},
        {"date", utc_now()},
        {"tuner", std::string("libsgemm ") + version()},
        {"command", options_.command},
        {"journal", journal_.file().filename().string()}};
    outcome_.choices = choices_;
    if (table_) {
        table_(table);
    }
}

bool Tuner::is_skipped(const Task& task) const {
    const auto found = far_defeats_.find(std::string(task.kernel->name));
    return found != far_defeats_.end() && found->second >= most_far_defeats && !task.wins;
}

std::set<std::string> Tuner::kernels_from(const std::vector<Task>& tasks, std::size_t first) const {
    std::set<std::string> kernels;
    for (std::size_t i = first; i < tasks.size(); ++i) {
        if (!is_skipped(tasks[i])) {
            kernels.emplace(tasks[i].kernel->name);
        }
    }
    return kernels;
}

void Tuner::tune_classes() {
    const auto tasks =
        make_tasks(kernels_, options_.kernels,
                   options_.classes.empty() ? default_classes(device_.traits) : options_.classes,
                   base_, device_.traits);
    if (tasks.empty()) {
        throw ArgumentError("kernels", "the given ones", "must suit some of the shapes");
    }
    double weight = 0;
    for (const Task& task : tasks) {
        weight += task.weight;
    }
    try {
        for (std::size_t done = 0; done < tasks.size() && now() < options_.budget_seconds; ++done) {
            if (is_skipped(tasks[done])) {
                weight -= tasks[done].weight;
                continue;
            }
            const double left = options_.budget_seconds - now();
            // Less for a kernel that was of no use before, and so more for those that follow.
            const double chance = 1.0 + defeats_[std::string(tasks[done].kernel->name)];
            pursue(tasks[done], now() + left * tasks[done].weight / weight / chance);
            weight -= tasks[done].weight;
            publish(kernels_from(tasks, done + 1));
        }
    } catch (const Interrupted&) {
        outcome_.interrupted = true;
        publish(kernels_from(tasks, 0));
    } catch (const WorkerError& error) {
        end_early(error);
        publish(kernels_from(tasks, 0));
    }
}

/// What was measured until then counts, if anything was.
void Tuner::end_early(const WorkerError& error) {
    if (state_.trials == 0) {
        throw error;
    }
    outcome_.trouble = error.what();
}

TuningOutcome Tuner::run() {
    started_ = std::chrono::steady_clock::now();
    state_.budget_seconds = options_.budget_seconds;
    if (options_.shapes.empty()) {
        tune_classes();
        Composition generous{device_.traits, kernels_, base_};
        generous.worthwhile = 1e-6; // the fastest somewhere
        outcome_.spare = compose_table(journal_.records(), generous);
        sum_up();
    } else {
        tune_shapes();
    }
    outcome_.seconds = now();
    return std::move(outcome_);
}

} // namespace libsgemm::tune
