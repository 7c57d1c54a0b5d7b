// SPDX-License-Identifier: Apache-2.0
#include "tune/fit/observations.hpp"

#include "plan/cost_model.hpp"
#include "plan/family/families.hpp"
#include "tune/fit/measure.hpp"
#include "tune/worker/infinity.hpp"

#include <algorithm>
#include <map>

namespace libsgemm::tune {
namespace {

using planning::PlanValue;

Observation observation_of(const PlanValue& plan, const PlanTime& time) {
    Observation observation;
    observation.row = plan.row;
    observation.kernel = plan.kernel;
    observation.tile = plan.kernel->tile(plan.parameters);
    for (const planning::Step& step : plan.steps) {
        if (const auto* pass = std::get_if<planning::PassWork>(&step.work)) {
            observation.passes.push_back(*pass);
        } else {
            observation.launches.push_back(step.work);
        }
    }
    observation.seconds = 1e-6 * time.us;
    observation.spread = time.spread;
    return observation;
}

} // namespace

Observations observe(const MeasurementRun& run, const tables::DeviceTable& table,
                     const DeviceTraits& device) {
    Observations result;
    for (std::size_t i = 0; i < run.shapes.size(); ++i) {
        const ShapeTimes& shape = run.shapes[i];
        const auto ranking = rank_shape(judge::parse_shape_name(shape.shape), table, device);
        std::map<PlanIdentity, const PlanValue*> known;
        for (const PlanValue& plan : ranking.plans) {
            known.insert({identity_of(plan), &plan});
        }
        double best = infinity;
        for (const PlanTime& time : shape.plans) {
            best = std::min(best, 1e-6 * time.us);
        }
        for (const PlanTime& time : shape.plans) {
            const auto found = known.find(time.identity());
            if (found == known.end()) {
                ++result.unknown;
                continue;
            }
            if (found->second->variant.peeled) {
                continue; // its kernels have rows of their own, and are measured by themselves
            }
            Observation observation = observation_of(*found->second, time);
            observation.shape = i;
            observation.ratio = observation.seconds / best;
            result.plans.push_back(std::move(observation));
        }
    }
    return result;
}

double predict(const Observation& observation, const tables::KernelModel& model,
               const tables::MachineModel& machine, const DeviceTraits& device) {
    double seconds = 0;
    for (const planning::PassWork& pass : observation.passes) {
        seconds += planning::predict_pass(pass, machine, device);
    }
    for (const planning::Work& work : observation.launches) {
        seconds += planning::planner_of(*observation.kernel)
                       .predict(work, observation.tile, model, machine, device);
    }
    return seconds;
}

} // namespace libsgemm::tune
