// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge/shape.hpp"
#include "tune/worker/configuration.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace libsgemm::tune {

using judge::Shape;

/// What became of a trial.
enum class Verdict : std::uint8_t {
    ok,
    wrong,         ///< a result outside of its error bound, or an element left out or overwritten
    build_failed,  ///< the compiler refused it, or ended its process
    launch_failed, ///< the device refused or failed to run it, or the process ended while it ran
    timeout,       ///< it took longer than allowed and was ended
    constraint,    ///< a rule of the catalogue, or a limit of device or planner, excludes it
    shortage,      ///< memory or the device was not to be had: says nothing of the kernel
};

std::string_view to_string(Verdict verdict);
/// Empty for a name that there is not.
std::optional<Verdict> parse_verdict(std::string_view name);

/// How much work a measurement may be.
struct Effort {
    double seconds = 0.2; ///< of timed runs, candidate and reference together; a soft limit
    int least_samples = 5;
    int most_samples = 40;
    /// Enough samples when relative spread / sqrt(samples) is below this.
    double precision = 0.01;
    /// A candidate that takes this many times the reference's time gets no further samples.
    double give_up_ratio = 3;

    bool operator==(const Effort&) const = default;
};

/// A question to the device: is this configuration right for this shape, and how long does it take?
struct TrialSpec {
    Configuration configuration;
    Shape shape;
    /// Timed alternately with the candidate, so that drifting clocks cancel in the ratio.
    std::optional<Configuration> reference;
    Effort effort;
    bool with_beta = false; ///< checked with beta != 0 as well, so that the answer is for any call
};

/// One launch of a plan, over all samples; seconds of device time.
struct StepTime {
    std::string kernel;
    std::string purpose;
    bool is_main = false;
    double median = 0;
    double spread = 0; ///< distance of the quartiles over the median
};

/// The answer. Times are of one call with all its passes.
struct TrialResult {
    Verdict verdict = Verdict::ok;
    std::string message;        ///< what is wrong; empty for ok
    double compile_seconds = 0; ///< all builds that this trial was the first to need
    /// How the main kernel reads the operands, after passes.
    bool a_k_major = false;
    bool b_k_major = false;
    bool by_events = true; ///< false: the device's clock is not to be trusted, wall clock counts
    std::vector<double> samples; ///< seconds per call, in the order they were taken
    double median = 0;           ///< seconds per call
    double spread = 0;           ///< distance of the quartiles over the median
    double wall_median = 0;      ///< seconds per call by the host's clock
    double reference_median = 0; ///< of the reference, alternating with the samples; 0: none
    double ratio = 0;            ///< median of candidate over reference, pair by pair; 0: none
    std::vector<StepTime> steps;
    double max_error = 0; ///< largest error in units of the bound

    bool ok() const { return verdict == Verdict::ok; }
};

/// Result of a trial that did not come to an end.
TrialResult failed(Verdict verdict, std::string message);

/// What a record of a journal is about.
enum class RecordKind : std::uint8_t {
    timing,       ///< a configuration was verified and timed at one shape
    verification, ///< a configuration was verified at many shapes; `checked` says which
};

/// On which device, with which code. Times are comparable where these are equal.
struct Origin {
    std::string device; ///< CL_DEVICE_NAME
    std::string driver; ///< CL_DRIVER_VERSION
    std::string source; ///< SHA-256 of the kernel source, first 16 digits

    bool operator==(const Origin&) const = default;
};

/// A trial on record: a line of a journal.
struct TrialRecord {
    RecordKind kind = RecordKind::timing;
    std::string time; ///< UTC, ISO 8601
    Origin origin;
    std::string shape_class; ///< "square", "odd", ...; empty where nobody said
    int round = 0;           ///< 0: while searching; 1: again, thoroughly, for the best
    TrialSpec spec;          ///< a verification has no shape of its own: 1x1x1
    TrialResult result;
    std::string checked; ///< of a verification: the shapes, in words
};

} // namespace libsgemm::tune
