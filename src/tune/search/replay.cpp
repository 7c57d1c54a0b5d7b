// SPDX-License-Identifier: Apache-2.0
#include "tune/search/replay.hpp"

#include "sgemm/error.hpp"
#include "tune/worker/infinity.hpp"
#include "tune/worker/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace libsgemm::tune {
namespace {

using Group = std::vector<const TrialRecord*>;

Group largest_group(std::span<const TrialRecord> records) {
    std::map<std::string, Group> groups;
    for (const TrialRecord& record : records) {
        if (record.kind == RecordKind::timing && record.round == 0 &&
            record.result.verdict != Verdict::constraint) {
            groups[record.spec.configuration.kernel + judge::shape_name(record.spec.shape)]
                .push_back(&record);
        }
    }
    Group largest;
    for (const auto& [key, group] : groups) {
        if (group.size() > largest.size()) {
            largest = group;
        }
    }
    return largest;
}

/// Whatever did not run costs infinitely much.
double cost_of(const TrialResult& result) {
    if (!result.ok()) {
        return infinity;
    }
    return result.ratio > 0 ? result.ratio : result.median;
}

/// What one search found.
struct Course {
    std::size_t trials_until_good = 0; ///< the size of the space where it never was
    double best_at_budget = infinity;
};

Course search(const RecordedSpace& recorded, const Space& space, const StrategyInfo& info,
              std::uint64_t seed, double within) {
    const std::size_t size = recorded.costs.size();
    const std::size_t budget = std::max<std::size_t>(1, size / 20);
    SearchStart start;
    start.space = &space;
    start.seed = seed;
    const auto strategy = info.make(start);
    std::set<Point> measured;
    Course course;
    course.trials_until_good = size;
    double best = infinity;
    const std::size_t most_proposals = 20 * size; // repeats are free, but not for ever
    for (std::size_t i = 0; i < most_proposals && measured.size() < size; ++i) {
        const auto point = strategy->propose();
        if (!point) {
            break;
        }
        const double cost = recorded.costs.at(*point);
        measured.insert(*point);
        strategy->report(*point, cost);
        best = std::min(best, cost);
        if (measured.size() <= budget) {
            course.best_at_budget = best;
        }
        if (best <= (1 + within) * recorded.best) {
            course.trials_until_good = measured.size();
            break;
        }
    }
    if (measured.size() <= budget) {
        course.best_at_budget = best;
    }
    return course;
}

} // namespace

RecordedSpace recorded_space(std::span<const TrialRecord> records,
                             const catalog::KernelCatalog& catalog) {
    const Group group = largest_group(records);
    constexpr std::size_t least = 20;
    if (group.size() < least) {
        throw ConfigurationError("the journal holds no kernel with " + std::to_string(least) +
                                 " points at one shape: nothing to replay");
    }
    RecordedSpace recorded;
    const Configuration& first = group.front()->spec.configuration;
    recorded.kernel = catalog.find(first.kernel);
    if (recorded.kernel == nullptr) {
        throw ConfigurationError("the journal's kernel " + first.kernel +
                                 " is not in the catalogue");
    }
    recorded.shape = group.front()->spec.shape;
    std::map<std::string, std::set<int>> values;
    for (const TrialRecord* record : group) {
        for (const auto& [name, value] : record->spec.configuration.parameters) {
            values[name].insert(value);
        }
    }
    for (const catalog::ParameterSpec& spec : recorded.kernel->parameters) {
        const auto& found = values[std::string(spec.name)];
        recorded.dimensions.push_back({std::string(spec.name), {found.begin(), found.end()}});
    }
    recorded.best = infinity;
    const Space all(recorded.dimensions, [](const Point&) { return true; });
    for (const TrialRecord* record : group) {
        const double cost = cost_of(record->result);
        recorded.costs[nearest_point(all, record->spec.configuration.parameters)] = cost;
        recorded.best = std::min(recorded.best, cost);
    }
    return recorded;
}

Space RecordedSpace::space(const DeviceTraits& device) const {
    Restrictions restrictions;
    for (const Dimension& dimension : dimensions) {
        restrictions[dimension.name] = dimension.values;
    }
    const Space full = kernel_space(*kernel, device, restrictions);
    return {dimensions, [costs = costs](const Point& point) { return costs.contains(point); },
            [full](const Point& point) { return full.features(point); }};
}

std::vector<ReplayScore> replay(const RecordedSpace& recorded, const DeviceTraits& device,
                                int seeds, double within) {
    const Space space = recorded.space(device);
    std::vector<ReplayScore> scores;
    for (const StrategyInfo& info : strategies()) {
        std::vector<double> trials;
        std::vector<double> shares;
        for (int seed = 1; seed <= seeds; ++seed) {
            const Course course =
                search(recorded, space, info, static_cast<std::uint64_t>(seed), within);
            trials.push_back(static_cast<double>(course.trials_until_good));
            shares.push_back(recorded.best / course.best_at_budget);
        }
        ReplayScore score;
        score.strategy = std::string(info.name);
        score.median_trials = median(trials);
        score.p90_trials = quantile(trials, 0.9);
        score.share = score.median_trials / static_cast<double>(recorded.costs.size());
        score.at_budget = median(shares);
        scores.push_back(score);
    }
    return scores;
}

} // namespace libsgemm::tune
