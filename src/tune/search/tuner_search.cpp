// SPDX-License-Identifier: Apache-2.0
// The tuner's search for one task: where it starts, and what a point costs.
#include "tune/search/halving.hpp"
#include "tune/search/prospects.hpp"
#include "tune/search/tuner.hpp"
#include "tune/worker/infinity.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace libsgemm::tune {
namespace {

std::uint64_t seed_of(std::uint64_t seed, const Task& task) {
    std::uint64_t hash = seed + 0x9e3779b97f4a7c15U; // FNV-1a over the task's name
    for (const char c : std::string(task.kernel->name) + task.shapes.name) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    }
    return hash;
}

/// Whether a row of another kernel says something about this one: most of its parameters mean the
/// same.
bool is_relative(const catalog::KernelEntry& kernel, const tables::TableRow& row) {
    std::size_t shared = 0;
    for (const auto& [name, value] : row.parameters) {
        shared += kernel.find_parameter(name) != nullptr ? 1U : 0U;
    }
    constexpr std::size_t least = 5; // tile and register tile
    return shared >= least;
}

} // namespace

std::vector<Point> Tuner::starts_of(const Task& task, const Space& space) const {
    const catalog::KernelEntry& kernel = *task.kernel;
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
                add(kernel.completed(row.parameters));
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

void Tuner::note_defeat(const std::string& kernel, const Ratios& reached) {
    ++defeats_[kernel];
    far_defeats_[kernel] += is_far_behind(reached, best_ratio_) ? 1 : 0;
}

bool Tuner::search(const Task& task, Halving& search, double deadline) {
    SearchStart start;
    start.space = &search.space();
    start.seed = seed_of(options_.seed, task);
    start.starts = starts_of(task, search.space());
    if (start.starts.empty() && search.space().count_feasible().points == 0) {
        return false; // nothing that it is restricted to can run
    }
    const std::string name =
        options_.strategy.empty() ? std::string(strategies().front().name) : options_.strategy;
    const auto strategy = find_strategy(name).make(start);
    const std::string kernel(task.kernel->name);

    Ratios reached;
    const auto ratio_at = [&](const catalog::Parameters& parameters, const Shape& shape) {
        const Variant variant = usual_variant(*task.kernel, parameters, shape, device_.traits);
        const TrialRecord& record = ask(RecordKind::timing, task.shapes.name,
                                        spec_of({kernel, parameters, variant}, shape, false), 0);
        double& least = reached.try_emplace(judge::shape_name(shape), infinity).first->second;
        if (!record.result.ok()) {
            return infinity;
        }
        // Without a reference that runs all of a shape's trials are compared by their own times.
        const double ratio =
            record.result.ratio > 0 ? record.result.ratio : 1e3 * record.result.median;
        least = std::min(least, ratio);
        return ratio;
    };
    const auto cost_of = [&](const Point& point) {
        const catalog::Parameters parameters = parameters_of(search.space(), point);
        const double first = ratio_at(parameters, task.shapes.shapes.front());
        if (std::isinf(first)) {
            return infinity;
        }
        const bool promising = search.is_promising(first);
        search.note_first(first);
        if (!promising) {
            return search.extrapolated(first);
        }
        std::vector<double> ratios{first};
        for (std::size_t i = 1; i < task.shapes.shapes.size(); ++i) {
            const double ratio = ratio_at(parameters, task.shapes.shapes[i]);
            if (std::isinf(ratio)) {
                return infinity;
            }
            ratios.push_back(ratio);
        }
        const double cost = geometric_mean(ratios);
        search.note_complete(point, first, cost);
        return cost;
    };

    // A kernel that was of no use for other classes is given less of a chance.
    const std::size_t fair = fair_trial(defeats_[kernel]);
    constexpr int most_repeats = 2000; // a strategy that knows nothing new any more
    int repeats = 0;
    while (now() < deadline && repeats < most_repeats) {
        const std::optional<Point> point = strategy->propose();
        if (!point) {
            break;
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
        if (options_.kernels.empty() &&
            is_pruned(task, search.costs().size(), fair, reached, best_ratio_)) {
            note_defeat(kernel, reached);
            return false;
        }
    }
    if (options_.kernels.empty() &&
        is_pruned(task, search.costs().size(), 1, reached, best_ratio_)) {
        note_defeat(kernel, reached); // there was no time for more
        return false;
    }
    return true;
}

} // namespace libsgemm::tune
