// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/plan_value.hpp"

#include <cstdint>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace libsgemm::tune {

/// What tells the plans of a shape apart: the same key may be met by other passes.
using PlanIdentity = std::pair<catalog::PlanKey, std::string>;
PlanIdentity identity_of(const planning::PlanValue& plan);

/// One plan's measurement.
struct PlanTime {
    catalog::PlanKey plan;
    std::string strategy;    ///< PlanValue::strategy
    double predicted_us = 0; ///< when it was measured, by the table of that time
    /// Median, device time of all steps. On a CPU of the fastest runs of bursts, by the caller's
    /// clock: the best plan's, times the ratio to it in the rounds that both ran in, at least one.
    double us = 0;
    double wall_us = 0; ///< median, from before enqueueing until the host knows
    double spread = 0;  ///< (third quartile - first quartile) / median
    int runs = 0;

    PlanIdentity identity() const { return {plan, strategy}; }
    std::string to_string() const; ///< of the plan, for people
};

/// All that was measured for one shape, at one time, interleaved.
struct ShapeTimes {
    std::string shape; ///< shape_name()
    std::string suite;
    bool held_out = false;
    int candidates = 0; ///< plans that the table offers, measured or not
    std::vector<PlanTime> plans;
    std::vector<std::string> failed; ///< "PLAN: why"
};

/// Under what conditions a run was made: device, driver, table, command, ...
using Facts = std::map<std::string, std::string>;

/// A file of JSON lines: a header, then a line per shape, or several of one that was measured
/// again. A line is complete or ignored: a measurement run may be broken off at any time.
struct MeasurementRun {
    Facts facts; ///< the first one's
    std::vector<ShapeTimes> shapes;
};

/// Throws std::runtime_error "FILE:LINE: what is wrong"; a last line without an end is dropped. A
/// file that is not there is an empty measurement run. Measured plans have the defaults of
/// parameters that their kernel got since.
MeasurementRun read_measurement_run(const std::string& file);

/// Puts several measurements of the same shapes together: of a plan's medians the smallest counts,
/// since other programs and a low clock make plans slower, never faster. What only one of two
/// measurements has is scaled by the plans that both have.
void merge(MeasurementRun& run, const MeasurementRun& other);

/// Appends to a measurement run, a line at a time. Throws std::runtime_error where it cannot be
/// written.
class MeasurementRunWriter {
public:
    explicit MeasurementRunWriter(const std::string& file);
    void write(const Facts& facts);
    void write(const ShapeTimes& shape);

private:
    void write_line(const std::string& line);

    std::string file_;
    std::ofstream stream_;
};

} // namespace libsgemm::tune
