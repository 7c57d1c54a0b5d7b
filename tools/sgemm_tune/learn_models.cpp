// SPDX-License-Identifier: Apache-2.0
#include "learn_models.hpp"

#include "processes.hpp"
#include "sgemm/problem.hpp"
#include "tune/model/campaign.hpp"
#include "tune/model/fit.hpp"
#include "tune/model/measure.hpp"
#include "tune/model/regret.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace sgemm::tune {
namespace {

/// The largest extent of square products that take a few milliseconds.
std::int64_t typical_size(const tables::DeviceTable& table, const DeviceTraits& device) {
    constexpr double most_seconds = 5e-3;
    constexpr std::array<std::int64_t, 7> sizes{4096, 3072, 2048, 1536, 1024, 768, 512};
    for (const std::int64_t size : sizes) {
        Problem problem;
        problem.m = problem.n = problem.k = size;
        if (rank_shape(problem, table, device).plans.front().predicted_seconds < most_seconds) {
            return size;
        }
    }
    return 256;
}

std::vector<std::string> measure_arguments(const ModelLearning& learning,
                                           const tables::DeviceTable& table,
                                           const DeviceHandle& device) {
    // NVIDIA's driver builds one program at a time in a process.
    const unsigned cores = std::thread::hardware_concurrency();
    const bool ahead = device.traits.vendor_key == "nvidia" && cores > 4;
    const unsigned builders = ahead ? std::min(cores - 4, 32U) : 0;
    constexpr int many = 2000; // the budget ends it
    // Compilers for CPUs take a second for a plan, and nothing is built ahead.
    const bool on_cpu = device.traits.type == DeviceType::cpu;
    std::vector<std::string> arguments{"measure",
                                       "--device",
                                       device.selector,
                                       "--table",
                                       learning.table_file.string(),
                                       "--output",
                                       learning.campaign_file.string(),
                                       "--budget",
                                       std::to_string(learning.seconds) + "s",
                                       "--hold-out-nothing",
                                       "--size",
                                       std::to_string(typical_size(table, device.traits)),
                                       "--shapes",
                                       std::to_string(many),
                                       "--plans",
                                       std::to_string(on_cpu ? 12 : 24),
                                       "--build-processes",
                                       std::to_string(builders),
                                       "--end-with-parent"};
    for (const std::string& shape : learning.shapes) {
        arguments.insert(arguments.end(), {"--also", shape});
    }
    return arguments;
}

/// Of the planner's choices at the shapes of a campaign.
double regret_with(const Campaign& campaign, const tables::DeviceTable& table,
                   const DeviceTraits& device) {
    const auto summaries = summarise(regrets(campaign, table, device, ShapeSet::fitted));
    return summaries.empty() ? 1 : summaries.back().geomean;
}

} // namespace

LearntModels learn_models(const ModelLearning& learning, const tables::DeviceTable& table,
                          const DeviceHandle& device) {
    const auto is_interrupted = [&] {
        return learning.interrupted != nullptr && *learning.interrupted;
    };
    {
        using Clock = std::chrono::steady_clock;
        const auto begin = Clock::now();
        constexpr double grace = 20; // to begin, and to end the last shape
        Processes measuring;
        measuring.start(measure_arguments(learning, table, device));
        while (measuring.running()) {
            const double passed = std::chrono::duration<double>(Clock::now() - begin).count();
            if (is_interrupted() || passed > learning.seconds + grace) {
                break; // and whoever measures is ended
            }
            if (learning.on_progress) {
                learning.on_progress(std::min(passed, learning.seconds));
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
    }
    if (is_interrupted()) {
        throw std::runtime_error("interrupted");
    }
    const Campaign campaign = read_campaign(learning.campaign_file.string());
    constexpr std::size_t least_shapes = 24; // of fewer, most rows would not be among the plans
    if (campaign.shapes.size() < least_shapes) {
        throw std::runtime_error("there was time for " + std::to_string(campaign.shapes.size()) +
                                 " shapes, and " + std::to_string(least_shapes) + " are needed");
    }
    // A table that is tuned again and again must not doubt a row more each time.
    FitOptions options;
    options.doubt_unmeasured = false;
    LearntModels learnt;
    learnt.table = fit_table(campaign, table, device.traits, options).table;
    learnt.shapes = campaign.shapes.size();
    learnt.regret_before = regret_with(campaign, table, device.traits);
    learnt.regret_after = regret_with(campaign, learnt.table, device.traits);
    if (learnt.regret_after > learnt.regret_before) {
        throw std::runtime_error("fitted ones would choose worse");
    }
    return learnt;
}

} // namespace sgemm::tune
