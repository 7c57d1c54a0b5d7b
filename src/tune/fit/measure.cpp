// SPDX-License-Identifier: Apache-2.0
#include "tune/fit/measure.hpp"

#include "compile/program_cache.hpp"
#include "sgemm/error.hpp"
#include "tune/fit/build_ahead.hpp"
#include "tune/fit/plan_timer.hpp"
#include "tune/worker/infinity.hpp"
#include "tune/worker/statistics.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <future>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <tuple>

namespace libsgemm::tune {
namespace {

using Clock = std::chrono::steady_clock;
using planning::PlanValue;
using planning::Ranking;

/// One plan of a shape, with what was measured of it.
struct Contender {
    BuiltPlan built;
    std::vector<double> seconds; ///< what plans are compared by
    std::vector<double> wall;    ///< of every run
    bool in_race = true;

    int runs() const { return static_cast<int>(wall.size()); }
    double median() const { return tune::median(seconds); }
};

/// What of a row counts as the same: plans that divide k or C, however they do, and the one that
/// meets edges as they do.
catalog::PlanKey family(const PlanValue& plan) {
    catalog::PlanKey key = plan.key();
    const bool splits_k =
        key.variant.split_k > 1 && plan.kernel->split_k != catalog::SplitK::stream_k;
    if (splits_k || key.variant.parts.count() > 1) {
        key.variant = {.edges = key.variant.edges};
    }
    key.variant.parts = {};
    return key;
}

/// Runs all contenders, one after the other, several times, each time in another order; those that
/// fall behind stop.
class Race {
public:
    /// Events of a CPU leave out what a launch costs the caller, whose clock counts there. It has
    /// two levels, of threads that are still awake and of others, and that has nothing to do with
    /// plans: of many short bursts the fastest run each.
    Race(PlanTimer& timer, const MeasureOptions& options, ShapeTimes& result)
        : timer_(timer), options_(options), result_(result),
          by_wall_(timer.traits().type == DeviceType::cpu) {}

    void add(BuiltPlan built) { contenders_.push_back({std::move(built), {}, {}, true}); }

    void run() {
        if (contenders_.empty()) {
            return;
        }
        warm_up();
        std::mt19937_64 engine(1); // NOLINT(cert-msc32-c,cert-msc51-cpp): equal from run to run
        std::vector<Contender*> order;
        for (Contender& contender : contenders_) {
            order.push_back(&contender);
        }
        const auto begin = Clock::now();
        const int rounds = by_wall_ ? 16 * options_.rounds : options_.rounds;
        for (int round = 0; round < rounds; ++round) {
            const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
            if (round >= options_.rounds && seconds > most_seconds) {
                break;
            }
            // Who follows a long run begins late: threads have fallen asleep, or a host has taken
            // their core.
            std::shuffle(order.begin(), order.end(), engine);
            for (Contender* contender : order) {
                run_turn(*contender);
            }
            if (round > 0 && (!by_wall_ || round >= least_rounds)) {
                const double by_rounds = static_cast<double>(round) / options_.rounds;
                drop_slow(by_wall_ ? std::max(static_cast<double>(round) / rounds,
                                              std::min(by_rounds, seconds / most_seconds))
                                   : by_rounds);
            }
        }
        const Contender& best = winner();
        for (const Contender& contender : contenders_) {
            record(contender, best);
        }
    }

private:
    /// On a CPU: in its first burst a plan may be much slower, and of a few bursts a median says
    /// little.
    static constexpr int least_rounds = 6;
    static constexpr double turn_seconds = 200e-6; ///< of one contender's burst, at least
    static constexpr double most_seconds = 0.5;    ///< of a race, after its first rounds

    std::optional<RunTime> attempt(Contender& contender) {
        try {
            return timer_.run(contender.built);
        } catch (const Error& error) {
            contender.in_race = false;
            result_.failed.push_back(contender.built.plan.to_string() + ": " + error.what());
            return std::nullopt;
        }
    }

    /// First runs are slower: memory is touched, clocks rise.
    void warm_up() {
        const auto end = Clock::now() + std::chrono::milliseconds(3);
        for (Contender& contender : contenders_) {
            attempt(contender);
        }
        while (Clock::now() < end) {
            attempt(contenders_.front());
        }
    }

    void run_turn(Contender& contender) {
        const int left = by_wall_ ? 8 : std::min(8, options_.most_runs - contender.runs());
        double seconds = 0;
        double fastest = infinity;
        int runs = 0;
        for (; runs < left && contender.in_race && seconds < turn_seconds; ++runs) {
            const auto time = attempt(contender);
            if (!time) {
                return;
            }
            seconds += by_wall_ ? time->wall : time->device;
            fastest = std::min(fastest, time->wall);
            contender.wall.push_back(time->wall);
            if (!by_wall_) {
                contender.seconds.push_back(time->device);
            }
        }
        if (by_wall_ && runs > 0) {
            contender.seconds.push_back(fastest);
        }
    }

    /// Who cannot be the best any more has been measured well enough. `passed`: the share of the
    /// rounds.
    void drop_slow(double passed) {
        const double best = winner().median();
        const double limit = passed < 0.2 ? 2.0 : passed < 0.4 ? 1.3 : passed < 0.6 ? 1.15 : 1.08;
        for (Contender& contender : contenders_) {
            if (contender.in_race && !contender.seconds.empty() &&
                contender.median() > limit * best) {
                contender.in_race = false;
            }
        }
    }

    /// The best of those that are still in the race: others ran at other times.
    const Contender& winner() const {
        return *std::min_element(contenders_.begin(), contenders_.end(),
                                 [](const Contender& a, const Contender& b) {
                                     return std::tuple(!a.in_race, a.seconds.empty(), a.median()) <
                                            std::tuple(!b.in_race, b.seconds.empty(), b.median());
                                 });
    }

    /// On a CPU beside the best: who left ran in other minutes than who stayed. Nobody who left is
    /// faster than the best.
    double seconds_of(const Contender& contender, const Contender& best) const {
        if (!by_wall_) {
            return contender.median();
        }
        return std::max(median_in_turn(contender.seconds, best.seconds), best.median());
    }

    void record(const Contender& contender, const Contender& best) {
        if (contender.seconds.empty()) {
            return;
        }
        PlanTime time;
        std::tie(time.plan, time.strategy) = identity_of(contender.built.plan);
        time.predicted_us = 1e6 * contender.built.plan.predicted_seconds;
        time.us = 1e6 * seconds_of(contender, best);
        time.wall_us = 1e6 * tune::median(contender.wall);
        time.spread = relative_spread(contender.seconds);
        time.runs = contender.runs();
        result_.plans.push_back(time);
    }

    PlanTimer& timer_;
    const MeasureOptions& options_;
    ShapeTimes& result_;
    bool by_wall_;
    std::deque<Contender> contenders_;
};

/// A shape whose plans are being built.
struct Pending {
    ShapeTimes times;
    std::vector<PlanValue> plans;
    std::vector<std::future<BuiltPlan>> builds;
    judge::Shape shape;
};

std::uint64_t seed_of(const std::string& shape, std::uint64_t seed) {
    std::uint64_t hash = 0xcbf29ce484222325U ^ seed; // FNV-1a
    for (const char c : shape) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    }
    return hash;
}

std::vector<PlanValue> plans_of(const DrawnShape& shape, const tables::DeviceTable& table,
                                const DeviceTraits& device, const MeasureOptions& options,
                                int& candidates) {
    const Ranking ranking = rank_shape(shape.shape, table, device);
    candidates = static_cast<int>(ranking.plans.size());
    return select_plans(ranking, options, seed_of(shape_name(shape.shape), options.seed));
}

ShapeTimes race(PlanTimer& timer, Pending& pending, const MeasureOptions& options) {
    ShapeTimes times = std::move(pending.times);
    Race race(timer, options, times);
    timer.require(pending.shape);
    for (std::size_t i = 0; i < pending.builds.size(); ++i) {
        try {
            race.add(pending.builds[i].get());
        } catch (const Error& error) {
            times.failed.push_back(pending.plans[i].to_string() + ": " + error.what());
        }
    }
    race.run();
    return times;
}

} // namespace

Ranking rank_shape(const judge::Shape& shape, const tables::DeviceTable& table,
                   const DeviceTraits& device) {
    return planning::rank_plans(canonical_of(shape), {},
                                {device, table, catalog::kernel_catalog()});
}

std::vector<PlanValue> select_plans(const Ranking& ranking, const MeasureOptions& options,
                                    std::uint64_t seed) {
    std::vector<PlanValue> selected;
    std::vector<const PlanValue*> others;
    std::set<PlanIdentity> known;
    std::map<catalog::PlanKey, int> of_family;
    const double limit = options.factor * ranking.plans.front().predicted_seconds;
    for (const PlanValue& plan : ranking.plans) {
        if (!known.insert(identity_of(plan)).second) {
            continue;
        }
        const bool near = plan.predicted_seconds <= limit &&
                          static_cast<int>(selected.size()) < options.most_plans;
        if (near && of_family[family(plan)]++ < options.most_of_a_row) {
            selected.push_back(plan);
        } else if (plan.predicted_seconds <= 20 * limit) {
            others.push_back(&plan);
        }
    }
    std::mt19937_64 engine(seed);
    for (int i = 0; i < options.random_plans && !others.empty(); ++i) {
        const std::size_t index = engine() % others.size();
        selected.push_back(*others[index]);
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(index));
    }
    return selected;
}

std::size_t measure_shapes(const DeviceHandle& device, const tables::DeviceTable& table,
                           const std::vector<DrawnShape>& shapes, const std::string& file,
                           const Facts& facts, const MeasureOptions& options,
                           const MeasureProgress& progress) {
    const auto deadline = Clock::now() + std::chrono::duration<double>(options.budget_seconds);
    std::set<std::string> known;
    for (const ShapeTimes& shape : read_measurement_run(file).shapes) {
        known.insert(shape.shape);
    }
    MeasurementRunWriter writer(file);
    writer.write(facts);

    PlanTimer timer(device);
    BuildAhead builder(timer, options.threads);
    // Nothing is built ahead on a CPU: its compiler would share the cores with what is timed.
    const std::size_t window = device.traits.type == DeviceType::cpu
                                   ? 1
                                   : 2 + 2 * static_cast<std::size_t>(options.threads);
    std::deque<Pending> pending;
    std::size_t next = 0;
    std::size_t done = 0;
    const auto look_ahead = [&] {
        while (pending.size() < window && next < shapes.size()) {
            const DrawnShape& shape = shapes[next++];
            Pending one;
            one.shape = shape.shape;
            one.times.shape = shape_name(shape.shape);
            one.times.suite = shape.suite;
            one.times.held_out = shape.held_out;
            if (known.contains(one.times.shape) && !options.again) {
                ++done;
                continue;
            }
            one.plans = plans_of(shape, table, device.traits, options, one.times.candidates);
            for (const PlanValue& plan : one.plans) {
                one.builds.push_back(builder.build(plan));
            }
            pending.push_back(std::move(one));
        }
    };
    for (look_ahead(); !pending.empty() && Clock::now() < deadline; look_ahead()) {
        const ShapeTimes times = race(timer, pending.front(), options);
        pending.pop_front();
        writer.write(times);
        progress(++done, shapes.size(), times);
    }
    return done;
}

void build_share(const DeviceHandle& device, const tables::DeviceTable& table,
                 const std::vector<DrawnShape>& shapes, const MeasureOptions& options, int part,
                 int parts) {
    PlanTimer timer(device);
    std::set<std::string> known;
    int number = 0;
    for (const DrawnShape& shape : shapes) {
        int candidates = 0;
        for (const PlanValue& plan : plans_of(shape, table, device.traits, options, candidates)) {
            for (const planning::Step& step : plan.steps) {
                const std::string key =
                    step.build.function + compile::build_options(step.build, device.traits);
                if (!known.insert(key).second || number++ % parts != part) {
                    continue;
                }
                try {
                    timer.build_program(step.build);
                } catch (const Error&) { // the one who measures records it
                    continue;
                }
            }
        }
    }
}

} // namespace libsgemm::tune
