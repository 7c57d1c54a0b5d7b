// SPDX-License-Identifier: Apache-2.0
#include "learn_models.hpp"

#include "processes.hpp"
#include "support/atomic_file.hpp"
#include "temporary_file.hpp"
#include "tune/fit/choose_models.hpp"
#include "tune/fit/measure.hpp"
#include "tune/fit/measurement_run.hpp"
#include "tune/fit/regret.hpp"
#include "tune/fit/shapes.hpp"
#include "tune/fit/table_rows.hpp"
#include "tune/fit/table_writer.hpp"
#include "tune/worker/statistics.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace libsgemm::tune {
namespace {

/// The largest extent of square products that take a few milliseconds.
std::int64_t typical_size(const tables::DeviceTable& table, const DeviceTraits& device) {
    constexpr double most_seconds = 5e-3;
    constexpr std::array<std::int64_t, 7> sizes{4096, 3072, 2048, 1536, 1024, 768, 512};
    for (const std::int64_t size : sizes) {
        const auto ranking = rank_shape(judge::make_shape("NN", size, size, size), table, device);
        if (ranking.plans.front().predicted_seconds < most_seconds) {
            return size;
        }
    }
    return 256;
}

/// A part of the measuring.
struct Round {
    double seconds = 0;
    int plans = 0; ///< of a shape, beside some at random
    int drawn = 0; ///< shapes; the time ends it
    std::uint64_t seed = 1;
    bool again = false;              ///< shapes that were measured before
    std::vector<std::string> shapes; ///< that come first
};

/// A table's choices once timed at first use are for one table: they stand before what models say.
tables::DeviceTable without_choices(tables::DeviceTable table) {
    table.choices.clear();
    return table;
}

class Learner {
public:
    Learner(const ModelLearning& learning, const tables::DeviceTable& tuned,
            const tables::DeviceTable& before, const DeviceHandle& device)
        : learning_(learning), tuned_(without_choices(tuned)), device_(device),
          given_(with_rows_of(tuned_, before)), fitted_(given_) {}

    LearntModels learn() {
        constexpr int many = 2000;
        // Compilers for CPUs take a second for a plan, and nothing is built ahead.
        const int most_plans = device_.traits.type == DeviceType::cpu ? 12 : 24;
        // What rows can do, and then what the planner makes of that at other shapes.
        learn_from({.seconds = 0.4 * learning_.seconds,
                    .plans = most_plans,
                    .drawn = many,
                    .shapes = learning_.shapes});
        learn_from({.seconds = 0.75 * learning_.seconds - passed(),
                    .plans = most_plans / 2,
                    .drawn = many,
                    .seed = 2,
                    .shapes = learning_.relatives});
        check_choices(3);
        learn_from({.seconds = 0.7 * left(),
                    .plans = most_plans / 2,
                    .drawn = many,
                    .seed = 3,
                    .shapes = {}});
        check_choices(2);
        if (run_.shapes.size() < least_shapes) {
            throw std::runtime_error("there was time for " + std::to_string(run_.shapes.size()) +
                                     " shapes, and " + std::to_string(least_shapes) +
                                     " are needed");
        }
        return judge();
    }

private:
    static constexpr std::size_t least_shapes = 24; // of fewer, most rows would not be measured

    bool is_interrupted() const {
        return learning_.interrupted != nullptr && *learning_.interrupted;
    }
    double passed() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    }
    /// To measure in: at the end models are fitted, and judged by cross-validation.
    double left() const { return learning_.seconds - passed() - choice_seconds_; }

    /// Of hundreds of plans the planner takes the one that is most overrated: it may be one that
    /// was not measured.
    void check_choices(int most) {
        for (int check = 0; check < most && has_time_for(left()); ++check) {
            const auto names = shapes_to_check();
            if (names.empty()) {
                return;
            }
            learn_from({.seconds = left(), .plans = 3, .again = true, .shapes = names});
        }
    }

    /// A process has to start, and to plan. Nobody has time after an interruption: what was
    /// measured counts.
    bool has_time_for(double seconds) const {
        constexpr double least = 4;
        return seconds >= least && !is_interrupted();
    }

    void learn_from(const Round& round) {
        if (!has_time_for(round.seconds)) {
            return;
        }
        measure(round);
        run_ = read_measurement_run(learning_.run_file.string());
        if (run_.shapes.size() >= least_shapes) {
            if (!round.again) { // whose purpose is to check what this source would take
                choose_source();
            }
            fit();
        }
    }

    /// Those for which the planner would take a plan that was not measured.
    std::vector<std::string> shapes_to_check() const {
        std::vector<std::string> names;
        for (const ShapeRegret& regret : regrets_of(fitted_)) {
            if (!regret.covered) {
                names.push_back(regret.shape);
            }
        }
        return names;
    }

    /// In a process of its own.
    void measure(const Round& round) {
        const double begin = passed();
        constexpr double grace = 20; // to begin, and to end the last shape
        const TemporaryFile file;
        support::replace_file(file.path(), table_text(fitted_, "Rows to measure."));
        Processes measuring;
        measuring.start(arguments_of(round, file.path()));
        while (measuring.running()) {
            if (is_interrupted() || passed() - begin > round.seconds + grace) {
                break; // and whoever measures is ended
            }
            if (learning_.on_progress) {
                learning_.on_progress(std::min(passed(), learning_.seconds));
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
    }

    std::vector<std::string> arguments_of(const Round& round, const std::string& table_file) const {
        // NVIDIA's driver builds one program at a time in a process.
        const unsigned cores = std::thread::hardware_concurrency();
        const bool ahead = device_.traits.vendor_key == "nvidia" && cores > 4;
        const unsigned builders = ahead ? std::min(cores - 4, 32U) : 0;
        std::vector<std::string> arguments{"measure",
                                           "--device",
                                           device_.selector,
                                           "--table",
                                           table_file,
                                           "--output",
                                           learning_.run_file.string(),
                                           "--budget",
                                           std::to_string(round.seconds) + "s",
                                           "--hold-out-nothing",
                                           "--size",
                                           std::to_string(typical_size(fitted_, device_.traits)),
                                           "--shapes",
                                           std::to_string(round.drawn),
                                           "--seed",
                                           std::to_string(round.seed),
                                           "--plans",
                                           std::to_string(round.plans),
                                           "--build-processes",
                                           std::to_string(builders),
                                           "--end-with-parent"};
        if (round.again) {
            arguments.emplace_back("--again");
        }
        for (const std::string& shape : round.shapes) {
            arguments.insert(arguments.end(), {"--also", shape});
        }
        return arguments;
    }

    void choose_source() {
        const double begin = passed();
        source_ = choose_models(run_, given_, device_.traits);
        choice_seconds_ = passed() - begin;
    }

    /// Always from the models that were given: those of the last round know the same measurements,
    /// and a fit that began with them would count these twice.
    void fit() { fitted_ = models_from(source_, run_, given_, device_.traits); }

    std::vector<ShapeRegret> regrets_of(const tables::DeviceTable& table) const {
        return regrets(run_, table, device_.traits, ShapeSet::fitted);
    }

    /// What is idle is a matter of predictions: the shapes that there was time to measure are too
    /// few to say it.
    MeasurementRun with_drawn_shapes() const {
        ShapeDraw draw;
        draw.count = 400;
        draw.size = typical_size(fitted_, device_.traits);
        draw.seed = 4;
        MeasurementRun run = run_;
        for (const DrawnShape& drawn : draw_shapes(draw)) {
            ShapeTimes shape;
            shape.shape = shape_name(drawn.shape);
            run.shapes.push_back(shape);
        }
        return run;
    }

    /// Compares the tuned table and the learnt one, by cross-validation, at the shapes where the
    /// latter takes something that was measured. Where they are alike the learnt one stays: it has
    /// the rows of before, for other shapes.
    LearntModels judge() const {
        LearntModels learnt;
        learnt.source = source_;
        learnt.table =
            without_idle_rows(fitted_, tuned_.rows.size(), with_drawn_shapes(), device_.traits);
        const auto before = regrets_of(tuned_);
        const auto after = cross_validated_regrets(source_, run_, given_, device_.traits);
        std::map<std::string, double> regret_before;
        for (const ShapeRegret& regret : before) {
            regret_before[regret.shape] = regret.regret;
        }
        std::vector<double> regrets_before;
        std::vector<double> regrets_after;
        for (const ShapeRegret& regret : after) {
            if (regret.covered && regret_before.contains(regret.shape)) {
                regrets_before.push_back(regret_before[regret.shape]);
                regrets_after.push_back(regret.regret);
            }
        }
        if (regrets_after.empty()) {
            throw std::runtime_error("none of what was learnt was measured");
        }
        if (sure_gain(after, before) > 0) {
            throw std::runtime_error("what was learnt would choose worse");
        }
        learnt.shapes = run_.shapes.size();
        learnt.regret_before = geometric_mean(regrets_before);
        learnt.regret_after = geometric_mean(regrets_after);
        return learnt;
    }

    const ModelLearning& learning_;
    tables::DeviceTable tuned_;
    const DeviceHandle& device_;
    tables::DeviceTable given_;               ///< all rows, tuned ones first
    tables::DeviceTable fitted_;              ///< the same, with models from source_
    MeasurementRun run_;                      ///< all that was measured so far
    ModelSource source_ = ModelSource::given; ///< of the models in fitted_
    double choice_seconds_ = 0;               ///< that choosing it took
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

} // namespace

LearntModels learn_models(const ModelLearning& learning, const tables::DeviceTable& tuned,
                          const tables::DeviceTable& before, const DeviceHandle& device) {
    return Learner(learning, tuned, before, device).learn();
}

} // namespace libsgemm::tune
