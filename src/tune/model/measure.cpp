// SPDX-License-Identifier: Apache-2.0
#include "tune/model/measure.hpp"

#include "compile/program_cache.hpp"
#include "sgemm/error.hpp"
#include "tune/model/build_ahead.hpp"
#include "tune/model/plan_timer.hpp"
#include "validate/problem.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <map>
#include <random>
#include <set>

namespace sgemm::tune {
namespace {

using Clock = std::chrono::steady_clock;
using planning::PlanValue;
using planning::Ranking;

double quantile(std::vector<double> values, double share) {
    std::sort(values.begin(), values.end());
    const double position = share * static_cast<double>(values.size() - 1);
    const auto low = static_cast<std::size_t>(position);
    const auto high = std::min(low + 1, values.size() - 1);
    const double part = position - static_cast<double>(low);
    return values[low] * (1 - part) + values[high] * part;
}

/// One plan of a shape, with what was measured of it.
struct Contender {
    BuiltPlan built;
    std::vector<double> seconds; ///< what plans are compared by
    std::vector<double> wall;
    bool in_race = true;

    double median() const { return quantile(seconds, 0.5); }
};

/// Without the number of slices and parts: what of a row counts as the same.
std::string family(const PlanValue& plan) {
    const std::string& text = plan.variant;
    return text.substr(0, std::min(text.find(", k in "), text.find(", parts ")));
}

/// Runs all contenders in turn, several times; those that fall behind stop.
class Race {
public:
    /// Events of a CPU leave out how long its threads take to wake up, which depends on their number: the caller's
    /// clock counts there.
    Race(PlanTimer& timer, const MeasureOptions& options, ShapeTimes& result)
        : timer_(timer), options_(options), result_(result),
          by_wall_(timer.traits().type == DeviceType::cpu) {}

    void add(BuiltPlan built) { contenders_.push_back({std::move(built), {}, {}, true}); }

    void run() {
        warm_up();
        for (int round = 0; round < options_.rounds; ++round) {
            for (Contender& contender : contenders_) {
                run_some(contender);
            }
            drop_slow(round);
        }
        for (const Contender& contender : contenders_) {
            record(contender);
        }
    }

private:
    static constexpr double least_seconds = 200e-6; ///< of one contender's turn

    bool attempt(Contender& contender, bool counts) {
        try {
            const RunTime time = timer_.run(contender.built);
            if (counts) {
                contender.seconds.push_back(by_wall_ ? time.wall : time.device);
                contender.wall.push_back(time.wall);
            }
            return true;
        } catch (const Error& error) {
            contender.in_race = false;
            result_.failed.push_back(contender.built.plan.variant + ": " + error.what());
            return false;
        }
    }

    /// First runs are slower: memory is touched, clocks rise.
    void warm_up() {
        const auto end = Clock::now() + std::chrono::milliseconds(3);
        for (Contender& contender : contenders_) {
            attempt(contender, false);
        }
        while (!contenders_.empty() && Clock::now() < end) {
            attempt(contenders_.front(), false);
        }
    }

    void run_some(Contender& contender) {
        const int left = options_.most_runs - static_cast<int>(contender.seconds.size());
        double seconds = 0;
        for (int i = 0; i < std::min(left, 8) && contender.in_race && seconds < least_seconds;
             ++i) {
            if (attempt(contender, true)) {
                seconds += contender.seconds.back();
            }
        }
    }

    /// Who cannot be the best any more has been measured well enough.
    void drop_slow(int round) {
        double best = std::numeric_limits<double>::infinity();
        for (const Contender& contender : contenders_) {
            if (!contender.seconds.empty()) {
                best = std::min(best, contender.median());
            }
        }
        const double limit = round < 2 ? 2.0 : round < 4 ? 1.3 : round < 6 ? 1.15 : 1.08;
        for (Contender& contender : contenders_) {
            if (round > 0 && !contender.seconds.empty() && contender.median() > limit * best) {
                contender.in_race = false;
            }
        }
    }

    void record(const Contender& contender) {
        if (contender.seconds.empty()) {
            return;
        }
        PlanTime time;
        time.plan = contender.built.plan.variant;
        time.strategy = contender.built.plan.strategy;
        time.predicted_us = 1e6 * contender.built.plan.predicted_seconds;
        time.us = 1e6 * contender.median();
        time.wall_us = 1e6 * quantile(contender.wall, 0.5);
        time.spread = (quantile(contender.seconds, 0.75) - quantile(contender.seconds, 0.25)) /
                      contender.median();
        time.runs = static_cast<int>(contender.seconds.size());
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
    Problem problem;
};

std::uint64_t seed_of(const std::string& shape, std::uint64_t seed) {
    std::uint64_t hash = 0xcbf29ce484222325U ^ seed; // FNV-1a
    for (const char c : shape) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    }
    return hash;
}

std::vector<PlanValue> plans_of(const CampaignShape& shape, const tables::DeviceTable& table,
                                const DeviceTraits& device, const MeasureOptions& options,
                                int& candidates) {
    const Ranking ranking = rank_shape(shape.problem, table, device);
    candidates = static_cast<int>(ranking.plans.size());
    return select_plans(ranking, options, seed_of(shape_name(shape.problem), options.seed));
}

void require_room(PlanTimer& timer, const Problem& problem) {
    const validate::CheckedProblem checked = validate::check_problem(problem);
    timer.require(checked.a.extent(), checked.b.extent(), checked.c.extent());
}

ShapeTimes race(PlanTimer& timer, Pending& pending, const MeasureOptions& options) {
    ShapeTimes times = std::move(pending.times);
    Race race(timer, options, times);
    require_room(timer, pending.problem);
    for (std::size_t i = 0; i < pending.builds.size(); ++i) {
        try {
            race.add(pending.builds[i].get());
        } catch (const Error& error) {
            times.failed.push_back(pending.plans[i].variant + ": " + error.what());
        }
    }
    race.run();
    return times;
}

} // namespace

validate::CanonicalProblem canonical_of(const Problem& problem) {
    constexpr std::int64_t widest = 16;
    validate::CanonicalProblem canonical = validate::check_problem(problem).canonical;
    canonical.a.offset_alignment = widest;
    canonical.b.offset_alignment = widest;
    canonical.c.offset_alignment = widest;
    return canonical;
}

Ranking rank_shape(const Problem& problem, const tables::DeviceTable& table,
                   const DeviceTraits& device) {
    return planning::rank_plans(canonical_of(problem), {},
                                {device, table, catalog::kernel_catalog()});
}

std::vector<PlanValue> select_plans(const Ranking& ranking, const MeasureOptions& options,
                                    std::uint64_t seed) {
    std::vector<PlanValue> selected;
    std::vector<const PlanValue*> others;
    std::set<std::string> known;
    std::map<std::string, int> of_family;
    const double limit = options.factor * ranking.plans.front().predicted_seconds;
    for (const PlanValue& plan : ranking.plans) {
        if (!known.insert(plan.variant + plan.strategy).second) {
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

std::size_t measure_campaign(const DeviceHandle& device, const tables::DeviceTable& table,
                             const std::vector<CampaignShape>& shapes, const std::string& file,
                             const CampaignHeader& header, const MeasureOptions& options,
                             const MeasureProgress& progress) {
    const auto deadline = Clock::now() + std::chrono::duration<double>(options.budget_seconds);
    std::set<std::string> known;
    for (const ShapeTimes& shape : read_campaign(file).shapes) {
        known.insert(shape.shape);
    }
    CampaignWriter writer(file);
    writer.write(header);

    PlanTimer timer(device);
    BuildAhead builder(timer, options.threads);
    const std::size_t window = 2 + 2 * static_cast<std::size_t>(options.threads);
    std::deque<Pending> pending;
    std::size_t next = 0;
    std::size_t done = 0;
    const auto look_ahead = [&] {
        while (pending.size() < window && next < shapes.size()) {
            const CampaignShape& shape = shapes[next++];
            Pending one;
            one.problem = shape.problem;
            one.times.shape = shape_name(shape.problem);
            one.times.suite = shape.suite;
            one.times.held_out = shape.held_out;
            if (known.contains(one.times.shape)) {
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
                 const std::vector<CampaignShape>& shapes, const MeasureOptions& options, int part,
                 int parts) {
    PlanTimer timer(device);
    std::set<std::string> known;
    int number = 0;
    for (const CampaignShape& shape : shapes) {
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

} // namespace sgemm::tune
