// SPDX-License-Identifier: Apache-2.0
#include "tune/fit/regret.hpp"

#include "tune/fit/measure.hpp"
#include "tune/worker/statistics.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace libsgemm::tune {
namespace {

using planning::PlanValue;

std::map<PlanIdentity, const PlanTime*> times_of(const ShapeTimes& shape) {
    std::map<PlanIdentity, const PlanTime*> times;
    for (const PlanTime& time : shape.plans) {
        times[time.identity()] = &time;
    }
    return times;
}

bool counts(const ShapeTimes& shape, ShapeSet set) {
    return shape.held_out == (set == ShapeSet::held_out) && !shape.plans.empty();
}

/// Goes down the ranking to the first plan that was measured. None: the table offers other plans.
std::optional<ShapeRegret> regret_of(const ShapeTimes& shape, const planning::Ranking& ranking) {
    const auto times = times_of(shape);
    const PlanTime& best =
        *std::min_element(shape.plans.begin(), shape.plans.end(),
                          [](const PlanTime& x, const PlanTime& y) { return x.us < y.us; });
    ShapeRegret result;
    result.shape = shape.shape;
    result.suite = shape.suite;
    result.best = best.to_string();
    result.best_us = best.us;
    bool found = false;
    for (const PlanValue& plan : ranking.plans) {
        const auto time = times.find(identity_of(plan));
        if (time == times.end()) {
            continue;
        }
        if (!found) {
            found = true;
            result.covered = &plan == ranking.plans.data();
            result.chosen = plan.to_string();
            result.chosen_us = time->second->us;
            result.chosen_predicted_us = 1e6 * plan.predicted_seconds;
            result.regret = result.chosen_us / result.best_us;
        }
        if (time->second == &best) {
            result.best_predicted_us = 1e6 * plan.predicted_seconds;
            break;
        }
    }
    return found ? std::optional(result) : std::nullopt;
}

RegretSummary summary_of(const std::string& suite, const std::vector<const ShapeRegret*>& shapes) {
    RegretSummary summary;
    summary.suite = suite;
    summary.shapes = shapes.size();
    std::vector<double> values;
    for (const ShapeRegret* shape : shapes) {
        values.push_back(shape->regret);
        summary.covered += shape->covered ? 1U : 0U;
        if (shape->regret >= summary.worst) {
            summary.worst = shape->regret;
            summary.worst_shape = shape->shape;
        }
    }
    summary.geomean = geometric_mean(values);
    std::sort(values.begin(), values.end());
    // The least value that 95 % do not exceed.
    const std::size_t rank = (values.size() * 95 + 99) / 100;
    summary.p95 = values[std::max<std::size_t>(rank, 1) - 1];
    return summary;
}

} // namespace

std::vector<ShapeRegret> regrets(const MeasurementRun& run, const tables::DeviceTable& table,
                                 const DeviceTraits& device, ShapeSet set) {
    std::vector<ShapeRegret> results;
    for (const ShapeTimes& shape : run.shapes) {
        if (!counts(shape, set)) {
            continue;
        }
        const auto ranking = rank_shape(judge::parse_shape_name(shape.shape), table, device);
        if (auto result = regret_of(shape, ranking)) {
            results.push_back(*std::move(result));
        }
    }
    return results;
}

std::vector<RegretSummary> summarise(const std::vector<ShapeRegret>& regrets) {
    std::map<std::string, std::vector<const ShapeRegret*>> suites;
    std::vector<const ShapeRegret*> all;
    all.reserve(regrets.size());
    for (const ShapeRegret& regret : regrets) {
        suites[regret.suite].push_back(&regret);
        all.push_back(&regret);
    }
    std::vector<RegretSummary> summaries;
    summaries.reserve(suites.size() + 1);
    for (const auto& [suite, shapes] : suites) {
        summaries.push_back(summary_of(suite, shapes));
    }
    if (!all.empty()) {
        summaries.push_back(summary_of("all", all));
    }
    return summaries;
}

std::vector<PredictedTime> predicted_times(const MeasurementRun& run,
                                           const tables::DeviceTable& table,
                                           const DeviceTraits& device, ShapeSet set) {
    std::vector<PredictedTime> results;
    for (const ShapeTimes& shape : run.shapes) {
        if (!counts(shape, set)) {
            continue;
        }
        const auto times = times_of(shape);
        const auto ranking = rank_shape(judge::parse_shape_name(shape.shape), table, device);
        for (const PlanValue& plan : ranking.plans) {
            const auto time = times.find(identity_of(plan));
            if (time != times.end()) {
                results.push_back({1e6 * plan.predicted_seconds, time->second->us,
                                   std::string(plan.kernel->name)});
            }
        }
    }
    return results;
}

} // namespace libsgemm::tune
