// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/trial_runner.hpp"

#include "device/make.hpp"
#include "device/profiling.hpp"
#include "device/shortage.hpp"
#include "execute/executor.hpp"
#include "judge/reference.hpp"
#include "plan/planner.hpp"
#include "sgemm/error.hpp"
#include "tune/worker/canonical.hpp"
#include "tune/worker/statistics.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <new>
#include <numeric>
#include <utility>

namespace libsgemm::tune {

struct TrialRunner::Prepared {
    planning::PlanValue plan;
    std::vector<std::shared_ptr<const compile::Program>> programs;
};

namespace {

using Clock = std::chrono::steady_clock;

/// Ends a trial early with its verdict.
struct Stop {
    Verdict verdict;
    std::string message;
};

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

planning::PlanValue make_plan(const Configuration& configuration, const Shape& shape,
                              const planning::PlanningContext& context) {
    auto plan = planning::plan_of(configuration, canonical_of(shape), context);
    if (auto* obstacle = std::get_if<planning::Obstacle>(&plan)) {
        throw Stop{Verdict::constraint, std::move(obstacle->reason)};
    }
    return std::get<planning::PlanValue>(std::move(plan));
}

/// One timed sample, of a burst of calls.
struct Sample {
    double device = 0; ///< of a call: `seconds_per_call`
    double span = 0;   ///< from the first launch's start to the last one's end, per call
    double wall = 0;
    std::vector<double> steps; ///< device seconds of each step, per call
};

/// Calls per sample, so that clocks and queues have something to do; on a CPU more, for there a
/// median over calls is taken (`seconds_per_call`).
int calls_per_sample(double call_seconds, DeviceType device) {
    const double burst_seconds = device == DeviceType::cpu ? 2e-3 : 200e-6;
    constexpr double most_calls = 32;
    return static_cast<int>(
        std::clamp(std::ceil(burst_seconds / std::max(call_seconds, 1e-9)), 1.0, most_calls));
}

using CallEvents = std::vector<device::EventHandle>;

/// From the first launch's start to the last one's end, per call: where launches of a GPU overlap,
/// that counts.
double mean_seconds(const std::vector<CallEvents>& calls) {
    return device::seconds_over(calls.front().front().get(), calls.back().back().get()) /
           static_cast<double>(calls.size());
}

/// From each call's end to that of the next one, so that launches count. A CPU's threads wake late
/// by some 20 us in one call of a few, which is more than what tiles differ in: there it is the
/// median.
double median_seconds(const std::vector<CallEvents>& calls) {
    if (calls.size() == 1) {
        return mean_seconds(calls);
    }
    std::vector<double> each;
    each.reserve(calls.size());
    for (std::size_t i = 1; i < calls.size(); ++i) {
        each.push_back(device::Span{device::span_of(calls[i - 1].back().get()).end,
                                    device::span_of(calls[i].back().get()).end}
                           .seconds());
    }
    return median(each);
}

double seconds_per_call(const std::vector<CallEvents>& calls, DeviceType device) {
    return device == DeviceType::cpu ? median_seconds(calls) : mean_seconds(calls);
}

/// Of one step, without what passes between launches.
double seconds_of_step(const std::vector<CallEvents>& calls, std::size_t step, DeviceType device) {
    std::vector<double> each;
    each.reserve(calls.size());
    for (const CallEvents& call : calls) {
        each.push_back(device::span_of(call[step].get()).seconds());
    }
    return device == DeviceType::cpu
               ? median(each)
               : std::accumulate(each.begin(), each.end(), 0.0) / static_cast<double>(each.size());
}

/// Indices to look at: the last ones, where tiles are incomplete, and some before.
std::vector<std::int64_t> edge_indices(std::int64_t extent, std::int64_t count) {
    if (count >= extent) {
        return judge::sample_indices(extent, extent, 0);
    }
    const std::int64_t inner = extent - count / 2;
    auto indices = judge::sample_indices(inner, count - count / 2, 1);
    for (std::int64_t i = inner; i < extent; ++i) {
        indices.push_back(i);
    }
    return indices;
}

/// float64 results for all of C where that costs little, else for some whole columns and some whole
/// rows. (That every element is written, and nothing else, is always checked everywhere.)
std::vector<judge::Reference> sampled_references(const judge::Workload& workload, const float* a,
                                                 const float* b, const float* c) {
    const Shape& shape = workload.shape;
    constexpr std::int64_t most_products = 3'000'000;
    const std::int64_t lines = most_products / shape.k; // dot products that may be formed
    std::vector<judge::Reference> references;
    const auto add = [&](std::int64_t rows, std::int64_t columns) {
        references.emplace_back(workload, a, b, c, edge_indices(shape.m, rows),
                                edge_indices(shape.n, columns));
    };
    if (shape.m <= lines / shape.n) {
        add(shape.m, shape.n);
        return references;
    }
    constexpr std::int64_t least = 4;
    constexpr std::int64_t most_rows = 2048; // of a column, in large matrices
    const std::int64_t rows = std::min(shape.m, most_rows);
    const std::int64_t columns = std::min(shape.n, most_rows);
    add(rows, std::clamp(lines / 2 / rows, least, std::int64_t{64}));
    add(std::clamp(lines / 2 / columns, least, std::int64_t{64}), columns);
    return references;
}

} // namespace

TrialRunner::TrialRunner(const DeviceHandle& device, const catalog::KernelCatalog& kernels,
                         tables::DeviceTable table)
    : traits_(device.traits), device_(device.device), kernels_(kernels), table_(std::move(table)),
      log_(support::make_log({})), context_(device::make_context(device)),
      queue_(device::make_queue(context_.get(), device_, CL_QUEUE_PROFILING_ENABLE)),
      pool_(context_), operands_(context_, queue_.get()),
      lasting_programs_(context_, device_, traits_, log_, kernels_.source_finder()) {}

TrialRunner::~TrialRunner() = default;

compile::ProgramCache& TrialRunner::cache_for(const Configuration& configuration) {
    const std::string wanted = configuration.kernel + ' ' + configuration.parameters.to_string();
    if (!candidate_programs_ || candidate_ != wanted) {
        candidate_programs_ = std::make_unique<compile::ProgramCache>(
            context_, device_, traits_, log_, kernels_.source_finder());
        candidate_ = wanted;
    }
    return *candidate_programs_;
}

TrialRunner::Prepared TrialRunner::prepare(const Configuration& configuration, const Shape& shape,
                                           bool is_reference, TrialResult& result,
                                           const StageListener& listener) {
    Prepared prepared;
    prepared.plan = make_plan(configuration, shape, {traits_, table_, kernels_});
    if (listener) {
        listener(Stage::building);
    }
    for (const planning::Step& step : prepared.plan.steps) {
        const bool is_main = step.kind == planning::PassKind::main_kernel;
        compile::ProgramCache& cache =
            is_main && !is_reference ? cache_for(configuration) : lasting_programs_;
        const Clock::time_point start = Clock::now();
        prepared.programs.push_back(cache.get(step.build));
        if (!is_reference) {
            result.compile_seconds += seconds_since(start);
            result.a_k_major =
                result.a_k_major || (is_main && step.build.choice.a == validate::Major::k);
            result.b_k_major =
                result.b_k_major || (is_main && step.build.choice.b == validate::Major::k);
        }
        if (!prepared.programs.back()->allows_work_group(step.range.local, device_)) {
            throw Stop{Verdict::launch_failed, "as compiled it does not allow work-groups of " +
                                                   std::to_string(step.range.local[0]) + "x" +
                                                   std::to_string(step.range.local[1]) +
                                                   " work-items"};
        }
    }
    operands_.require(shape);
    run_first(prepared, !is_reference && result.compile_seconds > 0, result, listener);
    return prepared;
}

/// Compilers on CPUs specialise a kernel when it is first launched, which may take as long as a
/// build.
void TrialRunner::run_first(const Prepared& prepared, bool is_new, TrialResult& result,
                            const StageListener& listener) {
    if (traits_.type == DeviceType::cpu) {
        if (listener) {
            listener(Stage::launching);
        }
        const Clock::time_point start = Clock::now();
        enqueue(prepared, {}, nullptr);
        finish();
        result.compile_seconds += is_new ? seconds_since(start) : 0;
    }
    if (listener) {
        listener(Stage::running);
    }
}

void TrialRunner::enqueue(const Prepared& prepared, Scalars scalars,
                          std::vector<device::EventHandle>* events) {
    static const std::vector<cl_event> nothing;
    const validate::CallArguments call{queue_.get(),
                                       scalars.alpha,
                                       scalars.beta,
                                       {{operands_.a(), 0}, {operands_.b(), 0}, {operands_.c(), 0}},
                                       nothing};
    execute::execute(prepared.plan, prepared.programs, call, pool_, events);
}

void TrialRunner::finish() const {
    device::check(clFinish(queue_.get()), "clFinish");
}

void TrialRunner::verify(const Prepared& prepared, const Shape& shape, Scalars scalars,
                         TrialResult& result) {
    // Where C is not to be read it holds NaN; its gaps always do.
    std::vector<float> c(static_cast<std::size_t>(shape.elements_c()), judge::poison());
    if (scalars.beta != 0) {
        for (std::int64_t j = 0; j < shape.n; ++j) {
            for (std::int64_t i = 0; i < shape.m; ++i) {
                c[static_cast<std::size_t>(j * shape.ldc + i)] =
                    operands_.host_a()[(i + j) % shape.elements_a()];
            }
        }
    }
    operands_.write_c(c);
    enqueue(prepared, scalars, nullptr);
    finish();

    const std::vector<judge::Reference> references = sampled_references(
        {shape, scalars.alpha, scalars.beta}, operands_.host_a(), operands_.host_b(), c.data());
    operands_.read_c(c);
    for (const judge::Reference& reference : references) {
        judge::Errors errors;
        const std::string problem = reference.check(c.data(), errors);
        result.max_error =
            std::max(result.max_error, std::isfinite(errors.largest) ? errors.largest : 0.0);
        if (!problem.empty()) {
            throw Stop{Verdict::wrong, judge::shape_name(shape) + ": " + problem};
        }
    }
}

/// Takes samples of one prepared plan.
class TrialRunner::Timer {
public:
    Timer(TrialRunner& runner, const Prepared& prepared) : runner_(runner), prepared_(prepared) {
        const double first = take(1).wall; // warm-up, and how long a call is
        calls_ = calls_per_sample(std::min(first, take(1).wall), runner_.traits_.type);
    }

    void sample() { samples_.push_back(take(calls_)); }

    std::size_t count() const { return samples_.size(); }
    bool clock_is_sane() const {
        return std::all_of(samples_.begin(), samples_.end(), [](const Sample& s) {
            // Device clocks tick in steps of up to a microsecond.
            return s.device > 0 && s.span <= 1.05 * s.wall + 2e-6;
        });
    }
    std::vector<double> device() const { return all(&Sample::device); }
    std::vector<double> wall() const { return all(&Sample::wall); }
    std::vector<double> step(std::size_t index) const {
        std::vector<double> values(samples_.size());
        std::transform(samples_.begin(), samples_.end(), values.begin(),
                       [index](const Sample& s) { return s.steps[index]; });
        return values;
    }

private:
    std::vector<double> all(double Sample::*member) const {
        std::vector<double> values(samples_.size());
        std::transform(samples_.begin(), samples_.end(), values.begin(),
                       [member](const Sample& s) { return s.*member; });
        return values;
    }

    Sample take(int calls) const {
        std::vector<CallEvents> events(static_cast<std::size_t>(calls));
        const Clock::time_point start = Clock::now();
        for (auto& call : events) {
            runner_.enqueue(prepared_, {}, &call);
        }
        runner_.finish();
        Sample sample;
        sample.wall = seconds_since(start) / calls;
        const DeviceType device = runner_.traits_.type;
        for (std::size_t step = 0; step < prepared_.plan.steps.size(); ++step) {
            sample.steps.push_back(seconds_of_step(events, step, device));
        }
        sample.span = mean_seconds(events);
        sample.device = seconds_per_call(events, device);
        return sample;
    }

    TrialRunner& runner_;
    const Prepared& prepared_;
    int calls_ = 1;
    std::vector<Sample> samples_;
};

namespace {

bool is_precise(const std::vector<double>& samples, const Effort& effort) {
    return relative_spread(samples) / std::sqrt(static_cast<double>(samples.size())) <=
           effort.precision;
}

} // namespace

void TrialRunner::time(const Prepared& candidate, const Prepared* reference, const Effort& effort,
                       TrialResult& result) {
    const Clock::time_point start = Clock::now();
    Timer timer(*this, candidate);
    std::optional<Timer> base;
    if (reference != nullptr) {
        base.emplace(*this, *reference);
    }
    const auto is_enough = [&] {
        const auto count = static_cast<int>(timer.count());
        if (count >= effort.most_samples || (count > 0 && seconds_since(start) > effort.seconds)) {
            return true;
        }
        if (base && count == 2 &&
            median(timer.wall()) > effort.give_up_ratio * median(base->wall())) {
            return true;
        }
        return count >= effort.least_samples && is_precise(timer.device(), effort);
    };
    while (!is_enough()) {
        timer.sample();
        if (base) {
            base->sample();
        }
    }
    result.by_events = timer.clock_is_sane() && (!base || base->clock_is_sane());
    result.samples = result.by_events ? timer.device() : timer.wall();
    result.median = median(result.samples);
    result.spread = relative_spread(result.samples);
    result.wall_median = median(timer.wall());
    if (base) {
        const auto others = result.by_events ? base->device() : base->wall();
        std::vector<double> ratios(others.size());
        std::transform(result.samples.begin(), result.samples.end(), others.begin(), ratios.begin(),
                       std::divides<>());
        result.reference_median = median(others);
        result.ratio = median(ratios);
    }
    for (std::size_t i = 0; i < candidate.plan.steps.size(); ++i) {
        const planning::Step& step = candidate.plan.steps[i];
        const auto times = timer.step(i);
        result.steps.push_back({step.build.name, step.purpose,
                                step.kind == planning::PassKind::main_kernel, median(times),
                                relative_spread(times)});
    }
}

namespace {

/// Whether a failure is the machine's or the moment's, whatever kernel it met.
bool is_shortage(const OpenClError& error) {
    // Of a launch: what kernels are told that ask for too much, or reach out of memory.
    const bool is_of_a_launch = error.call().starts_with("clEnqueue") ||
                                error.call().starts_with("clFinish") ||
                                error.call().starts_with("clWait");
    return error.status() == CL_DEVICE_NOT_AVAILABLE ||
           (device::is_shortage(error.status()) &&
            !(error.status() == CL_OUT_OF_RESOURCES && is_of_a_launch));
}

/// Runs `work`; what it throws becomes the verdict.
template <class Work>
TrialResult with_verdict(const Work& work) {
    TrialResult result;
    const auto end = [&result](Verdict verdict, std::string message) {
        result.verdict = verdict;
        result.message = std::move(message);
    };
    try {
        work(result);
    } catch (const Stop& stop) {
        end(stop.verdict, stop.message);
    } catch (const BuildError& error) {
        end(Verdict::build_failed, error.what());
    } catch (const ArgumentError& error) {
        end(Verdict::constraint, error.what());
    } catch (const OpenClError& error) {
        end(is_shortage(error) ? Verdict::shortage : Verdict::launch_failed, error.what());
    } catch (const std::bad_alloc& error) {
        end(Verdict::shortage, error.what());
    } catch (const std::exception& error) {
        end(Verdict::launch_failed, error.what());
    }
    return result;
}

} // namespace

TrialResult TrialRunner::run(const TrialSpec& spec, const StageListener& listener) {
    return with_verdict([&](TrialResult& result) {
        const Prepared candidate = prepare(spec.configuration, spec.shape, false, result, listener);
        verify(candidate, spec.shape, {}, result);
        if (spec.with_beta) {
            verify(candidate, spec.shape, {1.25F, -0.5F}, result);
        }
        // A reference that does not run is not the candidate's fault.
        std::optional<Prepared> reference;
        const TrialResult about_reference = with_verdict([&](TrialResult& ignored) {
            if (spec.reference) {
                reference = prepare(*spec.reference, spec.shape, true, ignored, listener);
            }
        });
        if (!about_reference.ok()) {
            result.message = "without its reference: " + about_reference.message;
        }
        time(candidate, reference ? &*reference : nullptr, spec.effort, result);
    });
}

TrialResult TrialRunner::check(const Configuration& configuration, const Shape& shape,
                               Scalars scalars, const StageListener& listener) {
    return with_verdict([&](TrialResult& result) {
        const Prepared prepared = prepare(configuration, shape, false, result, listener);
        verify(prepared, shape, scalars, result);
    });
}

} // namespace libsgemm::tune
