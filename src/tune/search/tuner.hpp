// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tables/device_table.hpp"
#include "tune/search/prospects.hpp"
#include "tune/search/space.hpp"
#include "tune/search/strategy.hpp"
#include "tune/search/tasks.hpp"
#include "tune/worker/journal.hpp"
#include "tune/worker/worker.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace libsgemm::tune {

class Halving;

/// What the trials that each shape gets, whatever the budget, take at least: an estimate.
double least_tuning_seconds(const std::vector<Shape>& shapes, const tables::DeviceTable& table,
                            const DeviceTraits& device, const catalog::KernelCatalog& kernels);

struct TunerOptions {
    double budget_seconds = 600;
    std::string strategy; ///< empty: the default one
    std::uint64_t seed = 1;
    std::vector<std::string> kernels; ///< empty: those for production
    std::vector<ShapeClass> classes;  ///< empty: default_classes()
    std::vector<Shape> shapes;        ///< each tuned for itself, in place of classes
    Restrictions restrictions;        ///< of parameters' values
    std::string command;              ///< for the table: how it was made
    int verifiers = 1;                ///< worker processes that share a verification
};

/// What a person who waits wants to know.
struct Progress {
    double seconds = 0; ///< since the start
    double budget_seconds = 0;
    std::string task; ///< "tiled, square"; or a shape
    std::size_t trials = 0;
    std::size_t failures = 0;
    double best_speedup = 0; ///< of the task so far, over what the table had before; 0: nothing yet
    double gflops = 0;       ///< of the best plan of the shape in hand
    double share = 0;        ///< of what the device can do there
    std::string activity;    ///< "searching", "measuring the best", "verifying"
};

/// How one class came out.
struct ClassOutcome {
    std::string name;
    double speedup = 1; ///< geometric mean over its shapes, best row now over the plan before
    std::string winner; ///< kernel and parameters at the first shape
    double gflops = 0;  ///< there
};

/// How one shape came out.
struct ShapeOutcome {
    std::string name;
    double speedup = 1; ///< best verified row now over the plan before
    double gflops = 0;  ///< now
};

/// How a shape came out that was tuned for itself.
struct TunedShape {
    Shape shape;
    std::string winner;   ///< the plan that the table takes now
    bool changed = false; ///< it is another one than before
    /// Seconds of the plan before and of that one, in turn, and of the best plan of the run on the
    /// same scale; zero where nobody measured them.
    double before = 0, after = 0, best = 0;
    double share = 0; ///< of what the device can do, that `after` is; zero where that is
};

/// Trials of a kernel that came to nothing.
struct Failures {
    std::size_t count = 0;
    std::string last; ///< the last one's verdict and message
};

struct TuningOutcome {
    tables::DeviceTable table;
    /// With every verified row that is the fastest at a shape: models may find a use for it.
    tables::DeviceTable spare;
    std::vector<tables::Choice> choices; ///< of the table, those that this run made
    std::vector<ClassOutcome> classes;
    std::vector<ShapeOutcome> shapes;         ///< class by class, or in their order
    std::vector<TunedShape> tuned;            ///< of TunerOptions::shapes, in their order
    std::map<Verdict, std::size_t> verdicts;  ///< of this run's trials
    std::map<std::string, Failures> failures; ///< by kernel
    std::map<std::string, std::size_t> runs;  ///< by kernel: trials that ran and were right
    std::size_t remembered = 0;               ///< answers that the journal had already
    bool interrupted = false;
    std::string trouble; ///< why it ended early, where no more trials could be run
    double seconds = 0;
};

/// Searches, measures, verifies, and composes a table, again after each task.
class Tuner {
public:
    using ProgressListener = std::function<void(const Progress&)>;
    using TableListener = std::function<void(const tables::DeviceTable&)>;

    /// `base` is the table that plans before: its plans are the references, and rows of kernels
    /// that are not tuned stay. `kernels` outlive it. `interrupted` may be set by a signal handler.
    Tuner(const DeviceHandle& device, const catalog::KernelCatalog& kernels,
          const WorkerCommand& worker, Journal& journal, tables::DeviceTable base,
          TunerOptions options, const std::atomic<bool>* interrupted = nullptr);

    /// Called now and then.
    void on_progress(ProgressListener listener) { progress_ = std::move(listener); }
    /// Called when there is a better table, to be written at once; never where shapes are tuned and
    /// there is no choice for any of them.
    void on_table(TableListener listener) { table_ = std::move(listener); }

    /// Until the budget is spent, everything is searched, or somebody interrupts. Throws Error
    /// where trials cannot be run at all, ArgumentError for options that make no sense.
    TuningOutcome run();

private:
    struct OwnShape;

    const TrialRecord& ask(RecordKind kind, const std::string& shape_class, const TrialSpec& spec,
                           int round);
    TrialSpec spec_of(const Configuration& configuration, const Shape& shape, bool thorough) const;
    const Configuration& reference_for(const Shape& shape);
    Origin origin_of(const std::string& kernel) const;
    bool verify(const Configuration& row, const std::string& shape_class);
    TrialResult verify_with_all(const Configuration& row, std::string& checked);
    void pursue(const Task& task, double deadline);
    /// False where the kernel is of no use for the task.
    bool search(const Task& task, Halving& search, double deadline);
    void note_defeat(const std::string& kernel, const Ratios& reached);
    void measure_best(const Task& task, const std::vector<Configuration>& best, double deadline);
    void verify_best(const Task& task, const std::vector<Configuration>& best, double deadline);
    std::vector<Point> starts_of(const Task& task, const Space& space) const;
    bool is_skipped(const Task& task) const;
    /// Of the tasks from number `first` on that are pursued.
    std::set<std::string> kernels_from(const std::vector<Task>& tasks, std::size_t first) const;
    void publish(std::set<std::string> unfinished);
    void sum_up();
    void tune_classes();
    void end_early(const WorkerError& error);
    // Shapes that are tuned for themselves: tuner_shapes.cpp.
    void tune_shapes();
    std::vector<OwnShape> own_shapes() const;
    void list_plans(OwnShape& own) const;
    bool is_wanted(const Configuration& plan) const;
    void try_plan(const OwnShape& own, const Configuration& plan, bool thorough);
    void search_all(const std::vector<OwnShape>& all, double deadline);
    void search_shape(const OwnShape& own, double deadline);
    void measure_finalists(const OwnShape& own, double deadline);
    double room_of(const OwnShape& own) const;
    double reference_seconds(const Shape& shape) const;
    std::vector<const TrialRecord*> ranked_trials(const Shape& shape) const;
    void choose(const Shape& shape);
    void keep(const Shape& shape, const Configuration& plan, double seconds,
              const TrialRecord* runner_up);
    void compare(TunedShape& outcome);
    double now() const;
    void report(const std::string& activity);
    void note(const TrialRecord& record);

    const DeviceHandle& device_;
    const catalog::KernelCatalog& kernels_;
    Journal& journal_;
    tables::DeviceTable base_;
    TunerOptions options_;
    Worker worker_;
    std::vector<std::unique_ptr<Worker>> verifiers_; ///< beside `worker_`
    ProgressListener progress_;
    TableListener table_;
    std::chrono::steady_clock::time_point started_;
    Progress state_;
    TuningOutcome outcome_;
    std::map<std::string, Configuration> references_;           ///< by shape name
    std::map<std::string, std::vector<Configuration>> winners_; ///< by kernel, of earlier tasks
    std::map<std::string, int> defeats_;     ///< by kernel: tasks for which it was of no use
    std::map<std::string, int> far_defeats_; ///< of these: where it was far behind
    Ratios best_ratio_;
    std::vector<tables::Choice> choices_; ///< for shapes tuned for themselves, newest last
};

} // namespace libsgemm::tune
