// SPDX-License-Identifier: Apache-2.0
#include "tune/tuner.hpp"

#include "sgemm/error.hpp"
#include "sgemm/version.hpp"
#include "tune/compose.hpp"
#include "tune/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <future>
#include <limits>
#include <numeric>

namespace sgemm::tune {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Shares of a goal's time: the rest is for verification.
constexpr double search_share = 0.65;
constexpr double measure_share = 0.8;

TimeLimits limits_for(const DeviceTraits& device) {
    TimeLimits limits;
    // Compilers for CPUs take tens of seconds for long unrolled loops, and nobody would wait for them.
    limits.build = device.type == DeviceType::cpu ? 10 : 60;
    return limits;
}

std::uint64_t seed_of(std::uint64_t seed, const Goal& goal) {
    std::uint64_t hash = seed + 0x9e3779b97f4a7c15U; // FNV-1a over the goal's name
    for (const char c : std::string(goal.kernel->name) + goal.shapes.name) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    }
    return hash;
}

/// Whether a row of another kernel says something about this one: most of its parameters mean the same.
bool is_relative(const catalog::KernelEntry& kernel, const tables::TableRow& row) {
    std::size_t shared = 0;
    for (const auto& [name, value] : row.parameters) {
        shared += kernel.find_parameter(name) != nullptr ? 1U : 0U;
    }
    constexpr std::size_t least = 5; // tile and register tile
    return shared >= least;
}

bool lists_goal_kernel(const std::vector<Goal>& goals, std::size_t from, std::string_view kernel) {
    return std::any_of(goals.begin() + static_cast<std::ptrdiff_t>(from), goals.end(),
                       [&](const Goal& goal) { return goal.kernel->name == kernel; });
}

} // namespace

/// What one goal's search has found: successive halving over shapes. Every point is measured at the
/// first shape; the best third of all so far also at the others.
class Tuner::Search {
public:
    explicit Search(Space space) : space_(std::move(space)) {}

    const Space& space() const { return space_; }
    const std::map<Point, double>& costs() const { return costs_; }
    void set_cost(const Point& point, double cost) { costs_[point] = cost; }

    bool is_promising(double first_ratio) const {
        constexpr std::size_t eta = 3;
        const auto better = static_cast<std::size_t>(std::ranges::count_if(
            firsts_, [first_ratio](double other) { return other < first_ratio; }));
        return better * eta <= firsts_.size();
    }
    void note_first(double ratio) { firsts_.push_back(ratio); }

    /// The cost of a point that got no further than the first shape, from those that did.
    double extrapolated(double first_ratio) const {
        return first_ratio * (gains_.empty() ? 1 : geometric_mean(gains_));
    }
    void note_complete(const Point& point, double first_ratio, double cost) {
        gains_.push_back(cost / first_ratio);
        complete_.emplace_back(cost, point);
    }

    /// The best of those measured at all shapes.
    std::vector<Configuration> best(const Goal& goal, std::size_t count) const {
        auto sorted = complete_;
        std::sort(sorted.begin(), sorted.end());
        std::vector<Configuration> configurations;
        for (const auto& [cost, point] : sorted) {
            if (configurations.size() < count) {
                configurations.push_back(
                    {std::string(goal.kernel->name), parameters_of(space_, point), {}});
            }
        }
        return configurations;
    }
    /// Far from what other kernels reach, after a fair trial.
    bool is_hopeless() const {
        constexpr std::size_t fair = 15;
        constexpr double far = 2;
        return costs_.size() >= fair && best_cost() > far;
    }
    double best_cost() const {
        double best = infinity;
        for (const auto& [cost, point] : complete_) {
            best = std::min(best, cost);
        }
        return best;
    }

private:
    Space space_;
    std::map<Point, double> costs_;
    std::vector<double> firsts_;
    std::vector<double> gains_;
    std::vector<std::pair<double, Point>> complete_;
};

Tuner::Tuner(const DeviceHandle& device, KernelSet kernels, const WorkerCommand& worker,
             Journal& journal, tables::DeviceTable base, TunerOptions options,
             const std::atomic<bool>* interrupted)
    : device_(device), kernels_(kernels), journal_(journal), base_(std::move(base)),
      options_(std::move(options)), interrupted_(interrupted),
      worker_(worker, limits_for(device.traits), interrupted) {
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
    return {device_.traits.name, device_.traits.driver_version, kernels_.source_hash(kernel)};
}

const Configuration& Tuner::reference_for(const Shape& shape) {
    const std::string name = bench::shape_name(shape);
    auto found = references_.find(name);
    if (found == references_.end()) {
        found = references_
                    .emplace(name, predicted_best(shape, base_, device_.traits, *kernels_.catalog))
                    .first;
    }
    return found->second;
}

TrialSpec Tuner::spec_of(const Configuration& configuration, const Shape& shape, bool thorough) {
    TrialSpec spec;
    spec.configuration = configuration;
    spec.shape = shape;
    spec.effort.seconds = thorough ? 0.4 : 0.1;
    spec.effort.least_samples = thorough ? 7 : 3;
    spec.effort.most_samples = thorough ? 40 : 10;
    spec.effort.precision = thorough ? 0.007 : 0.02;
    return spec;
}

/// Asks the journal, else the device.
const TrialRecord& Tuner::ask(RecordKind kind, const std::string& shape_class,
                              const TrialSpec& spec, int round) {
    TrialRecord record;
    record.kind = kind;
    record.origin = origin_of(spec.configuration.kernel);
    record.shape_class = shape_class;
    record.spec = spec;
    record.round = round;
    const std::string key = key_of(record);
    if (const TrialRecord* known = journal_.find(key)) {
        ++outcome_.remembered;
        note(*known);
        return *known;
    }
    if (kind == RecordKind::timing) {
        record.spec.reference = reference_for(spec.shape);
        record.result = worker_.run(record.spec);
    } else {
        record.result = verify_with_all(spec.configuration, record.checked);
    }
    ++outcome_.verdicts[record.result.verdict];
    ++state_.trials;
    if (!record.result.ok()) {
        ++state_.failures;
    }
    journal_.append(std::move(record));
    note(journal_.records().back());
    return journal_.records().back();
}

/// Extends the best-so-far curve.
void Tuner::note(const TrialRecord& record) {
    if (record.kind != RecordKind::timing || !record.result.ok() || record.result.ratio <= 0) {
        return;
    }
    const auto [position, is_new] =
        best_ratio_.try_emplace(bench::shape_name(record.spec.shape), 1.0);
    if (record.result.ratio >= position->second && !is_new) {
        return;
    }
    position->second = std::min(position->second, record.result.ratio);
    std::vector<double> speedups;
    for (const auto& [shape, ratio] : best_ratio_) {
        speedups.push_back(1 / ratio);
    }
    outcome_.curve.push_back({now(), state_.trials, geometric_mean(speedups)});
}

/// Nothing is timed meanwhile: several processes may build.
TrialResult Tuner::verify_with_all(const Configuration& row, std::string& checked) {
    const int parts = 1 + static_cast<int>(verifiers_.size());
    std::vector<std::size_t> shapes(static_cast<std::size_t>(parts));
    std::vector<std::future<TrialResult>> others;
    for (int i = 1; i < parts; ++i) {
        Worker& worker = *verifiers_[static_cast<std::size_t>(i - 1)];
        worker.ensure_started();
        others.push_back(std::async(std::launch::async, [&worker, &row, &shapes, i, parts] {
            return worker.verify(row, {i, parts}, shapes[static_cast<std::size_t>(i)]);
        }));
    }
    TrialResult total = worker_.verify(row, {0, parts}, shapes[0]);
    for (auto& other : others) {
        const TrialResult result = other.get();
        total.compile_seconds += result.compile_seconds;
        total.max_error = std::max(total.max_error, result.max_error);
        if (total.ok() && !result.ok()) {
            total.verdict = result.verdict;
            total.message = result.message;
        }
    }
    checked = std::to_string(std::accumulate(shapes.begin(), shapes.end(), std::size_t{0})) +
              " shapes: storage forms, edges, all remainders, slices of k, narrow loads, beta";
    return total;
}

bool Tuner::verify(const Configuration& row, const std::string& shape_class) {
    TrialSpec spec;
    spec.configuration = row;
    spec.configuration.treatment = {};
    return ask(RecordKind::verification, shape_class, spec, 0).result.ok();
}

std::vector<Point> Tuner::starts_of(const Goal& goal, const Space& space) const {
    const catalog::KernelEntry& kernel = *goal.kernel;
    std::vector<Point> starts;
    const auto add = [&](const catalog::Parameters& parameters) {
        const Point point = nearest_point(space, parameters);
        if (space.feasible(point) && std::ranges::find(starts, point) == starts.end()) {
            starts.push_back(point);
        }
    };
    if (const auto found = winners_.find(std::string(kernel.name)); found != winners_.end()) {
        for (const Configuration& winner : found->second) {
            add(winner.parameters);
        }
    }
    const auto add_rows = [&](bool own) {
        for (const tables::TableRow& row : base_.rows) {
            const bool is_own = row.kernel == kernel.name;
            if (is_own == own && (own || is_relative(kernel, row))) {
                catalog::Parameters parameters = kernel.defaults();
                for (const auto& [name, value] : row.parameters) {
                    parameters.set(name, value);
                }
                add(parameters);
            }
        }
    };
    add_rows(true);
    if (starts.empty()) {
        add_rows(false);
    }
    add(kernel.defaults());
    return starts;
}

void Tuner::search(const Goal& goal, Search& search, double deadline) {
    SearchStart start;
    start.space = &search.space();
    start.seed = seed_of(options_.seed, goal);
    start.starts = starts_of(goal, search.space());
    const std::string name =
        options_.strategy.empty() ? std::string(strategies().front().name) : options_.strategy;
    const auto strategy = find_strategy(name).make(start);
    const std::string kernel(goal.kernel->name);

    const auto ratio_at = [&](const catalog::Parameters& parameters, const Shape& shape) {
        const Treatment treatment =
            usual_treatment(*goal.kernel, parameters, shape, device_.traits);
        const TrialRecord& record = ask(RecordKind::timing, goal.shapes.name,
                                        spec_of({kernel, parameters, treatment}, shape, false), 0);
        if (!record.result.ok()) {
            return infinity;
        }
        // Without a reference that runs all of a shape's trials are compared by their own times.
        return record.result.ratio > 0 ? record.result.ratio : 1e3 * record.result.median;
    };
    const auto cost_of = [&](const Point& point) {
        const catalog::Parameters parameters = parameters_of(search.space(), point);
        const double first = ratio_at(parameters, goal.shapes.shapes.front());
        if (std::isinf(first)) {
            return infinity;
        }
        const bool promising = search.is_promising(first);
        search.note_first(first);
        if (!promising) {
            return search.extrapolated(first);
        }
        std::vector<double> ratios{first};
        for (std::size_t i = 1; i < goal.shapes.shapes.size(); ++i) {
            const double ratio = ratio_at(parameters, goal.shapes.shapes[i]);
            if (std::isinf(ratio)) {
                return infinity;
            }
            ratios.push_back(ratio);
        }
        const double cost = geometric_mean(ratios);
        search.note_complete(point, first, cost);
        return cost;
    };

    constexpr int most_repeats = 2000; // a strategy that knows nothing new any more
    int repeats = 0;
    while (now() < deadline && repeats < most_repeats) {
        const std::optional<Point> point = strategy->propose();
        if (!point) {
            return;
        }
        const auto known = search.costs().find(*point);
        if (known != search.costs().end()) {
            ++repeats;
            strategy->report(*point, known->second);
            continue;
        }
        repeats = 0;
        const double cost = cost_of(*point);
        search.set_cost(*point, cost);
        strategy->report(*point, cost);
        const double best = search.best_cost();
        state_.best_speedup = std::isinf(best) ? 0.0 : 1 / best;
        report("searching");
        if (options_.kernels.empty() && search.is_hopeless()) {
            return;
        }
    }
}

/// The best once more, thoroughly, and in other treatments: what the choice and the model need.
void Tuner::measure_best(const Goal& goal, const std::vector<Configuration>& best,
                         double deadline) {
    for (const bool usual : {true, false}) {
        for (const Configuration& row : best) {
            for (const Shape& shape : goal.shapes.shapes) {
                if (now() > deadline) {
                    return;
                }
                Configuration asked = row;
                if (usual) {
                    asked.treatment =
                        usual_treatment(*goal.kernel, row.parameters, shape, device_.traits);
                    ask(RecordKind::timing, goal.shapes.name, spec_of(asked, shape, true), 1);
                    report("measuring the best");
                    continue;
                }
                for (const Treatment& other :
                     other_treatments(*goal.kernel, row.parameters, shape, device_.traits)) {
                    asked.treatment = other;
                    ask(RecordKind::timing, goal.shapes.name, spec_of(asked, shape, false), 0);
                    report("measuring the best");
                }
            }
        }
    }
}

/// Verifies the goal's best row, whatever the time; and those that are better at one of its shapes,
/// while there is time.
void Tuner::verify_best(const Goal& goal, const std::vector<Configuration>& best, double deadline) {
    constexpr double better = 0.97;
    const auto time_at = [&](const Configuration& row, const Shape& shape) {
        Configuration asked = row;
        asked.treatment = usual_treatment(*goal.kernel, row.parameters, shape, device_.traits);
        for (const int round : {1, 0}) {
            const TrialRecord* known = journal_.find(
                key_of(RecordKind::timing, origin_of(row.kernel), asked, shape, round));
            if (known != nullptr && known->result.ok()) {
                return known->result.ratio;
            }
        }
        return infinity;
    };
    std::vector<double> reached(goal.shapes.shapes.size(), infinity);
    std::vector<Configuration>& winners = winners_[std::string(goal.kernel->name)];
    std::vector<Configuration> ranked = best;
    std::stable_sort(ranked.begin(), ranked.end(),
                     [&](const Configuration& x, const Configuration& y) {
                         const auto total = [&](const Configuration& row) {
                             std::vector<double> times;
                             for (const Shape& shape : goal.shapes.shapes) {
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
            times.push_back(time_at(row, goal.shapes.shapes[i]));
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
        if (!verify(row, goal.shapes.name)) {
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

void Tuner::pursue(const Goal& goal, double deadline) {
    const double begin = now();
    state_.goal = std::string(goal.kernel->name) + ", " + goal.shapes.name;
    state_.best_speedup = 0;
    Search search(kernel_space(*goal.kernel, device_.traits, options_.restrictions));
    this->search(goal, search, begin + search_share * (deadline - begin));
    constexpr std::size_t finalists = 5;
    const std::vector<Configuration> best = search.best(goal, finalists);
    measure_best(goal, best, begin + measure_share * (deadline - begin));
    verify_best(goal, best, deadline);
}

void Tuner::publish(std::set<std::string> unfinished) {
    Composition composition{device_.traits, kernels_, base_};
    composition.unfinished = std::move(unfinished);
    outcome_.table = compose_table(journal_.records(), composition);
    tables::DeviceTable& table = outcome_.table;
    table.origin = "sgemm-tune";
    table.description = device_.traits.name + ", tuned on the device";
    table.match = {};
    table.match.name = device_.traits.name;
    table.provenance = {
        {"device", device_.traits.name},
        {"driver", device_.traits.driver_version},
        {"platform", device_.traits.platform + ", " + device_.traits.platform_version},
        {"date", utc_now()},
        {"tuner", std::string("libsgemm ") + version()},
        {"command", options_.command},
        {"journal", journal_.file().filename().string()}};
    if (table_) {
        table_(table);
    }
}

/// Per class: the best verified times against those of the plans before.
void Tuner::sum_up() {
    std::set<std::string> verified;
    for (const TrialRecord& record : journal_.records()) {
        if (record.kind == RecordKind::verification && record.result.ok()) {
            verified.insert(record.spec.configuration.kernel + ' ' +
                            record.spec.configuration.parameters.to_string());
        }
    }
    struct Best {
        double ratio = 1;
        std::string winner = "as before";
        double seconds = 0;
    };
    std::map<std::string, std::map<std::string, Best>> classes;
    for (const TrialRecord& record : journal_.records()) {
        if (record.kind != RecordKind::timing || !record.result.ok() || record.result.ratio <= 0 ||
            record.origin != origin_of(record.spec.configuration.kernel)) {
            continue;
        }
        const Configuration& row = record.spec.configuration;
        Best& best = classes[record.shape_class][bench::shape_name(record.spec.shape)];
        if (best.seconds == 0) {
            best.seconds = record.result.reference_median;
        }
        if (record.result.ratio < best.ratio &&
            verified.contains(row.kernel + ' ' + row.parameters.to_string())) {
            best = {record.result.ratio, row.to_string(), record.result.median};
        }
    }
    for (const auto& [name, shapes] : classes) {
        std::vector<double> speedups;
        for (const auto& [shape, best] : shapes) {
            speedups.push_back(1 / best.ratio);
        }
        const auto& [shape, first] = *shapes.begin();
        outcome_.classes.push_back({name, geometric_mean(speedups), shape + ": " + first.winner,
                                    1e-9 * bench::parse_shape_name(shape).flops() / first.seconds});
    }
}

TuningOutcome Tuner::run() {
    started_ = std::chrono::steady_clock::now();
    state_.budget_seconds = options_.budget_seconds;
    const auto goals =
        make_goals(*kernels_.catalog, options_.kernels,
                   options_.classes.empty() ? default_classes(device_.traits) : options_.classes,
                   base_, device_.traits);
    if (goals.empty()) {
        throw ArgumentError("kernels", "the given ones", "must suit some of the shapes");
    }
    double weight = 0;
    for (const Goal& goal : goals) {
        weight += goal.weight;
    }
    outcome_.curve.push_back({0, 0, 1});
    std::size_t done = 0;
    try {
        for (; done < goals.size() && now() < options_.budget_seconds; ++done) {
            const double left = options_.budget_seconds - now();
            pursue(goals[done], now() + left * goals[done].weight / weight);
            weight -= goals[done].weight;
            std::set<std::string> unfinished;
            for (const Goal& goal : goals) {
                if (lists_goal_kernel(goals, done + 1, goal.kernel->name)) {
                    unfinished.emplace(goal.kernel->name);
                }
            }
            publish(std::move(unfinished));
        }
    } catch (const Interrupted&) {
        outcome_.interrupted = true;
        std::set<std::string> unfinished;
        for (const Goal& goal : goals) {
            unfinished.emplace(goal.kernel->name);
        }
        publish(std::move(unfinished));
    }
    outcome_.seconds = now();
    sum_up();
    return std::move(outcome_);
}

} // namespace sgemm::tune
