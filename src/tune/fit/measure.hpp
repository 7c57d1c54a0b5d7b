// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/planner.hpp"
#include "sgemm/device.hpp"
#include "tables/device_table.hpp"
#include "tune/fit/measurement_run.hpp"
#include "tune/fit/shapes.hpp"
#include "tune/worker/canonical.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace libsgemm::tune {

/// Which of a shape's plans are measured, and how long.
struct MeasureOptions {
    double budget_seconds = 600;
    double factor = 2;     ///< plans predicted within this factor of the best ...
    int most_plans = 24;   ///< ... but no more than so many,
    int most_of_a_row = 2; ///< and of a row with one way to meet edges so many (split-K, parts),
    int random_plans = 4;  ///< and some of the rest, so that a wrong model can be found out
    /// Of all plans, alternating; those that fall behind leave earlier. On a CPU up to 16 times as
    /// many.
    int rounds = 10;
    int most_runs = 60;     ///< of one plan; on a CPU the rounds decide
    int threads = 1;        ///< that build
    std::uint64_t seed = 1; ///< of the random plans
    bool again = false;     ///< measure what the file holds already, too
};

/// The plans of a ranking that are to be measured, by predicted time.
std::vector<planning::PlanValue> select_plans(const planning::Ranking& ranking,
                                              const MeasureOptions& options, std::uint64_t seed);

/// The plans for a shape. Throws UnsupportedError.
planning::Ranking rank_shape(const judge::Shape& shape, const tables::DeviceTable& table,
                             const DeviceTraits& device);

/// Called after each shape: how many are done, of how many.
using MeasureProgress = std::function<void(std::size_t done, std::size_t all, const ShapeTimes&)>;

/// Measures the shapes that the file does not hold yet, until the budget is spent. Returns how many
/// of `shapes` are in the file then. What fails to build or run is recorded, not thrown.
std::size_t measure_shapes(const DeviceHandle& device, const tables::DeviceTable& table,
                           const std::vector<DrawnShape>& shapes, const std::string& file,
                           const Facts& facts, const MeasureOptions& options,
                           const MeasureProgress& progress);

/// Builds every `parts`-th program that a measurement run needs, beginning with number `part`:
/// several processes fill the compiler's cache for the one that measures. Nothing is timed.
void build_share(const DeviceHandle& device, const tables::DeviceTable& table,
                 const std::vector<DrawnShape>& shapes, const MeasureOptions& options, int part,
                 int parts);

} // namespace libsgemm::tune
