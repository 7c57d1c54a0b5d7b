// SPDX-License-Identifier: Apache-2.0
#include "tune/fit/fit.hpp"

#include "catalog/kernel_catalog.hpp"
#include "plan/cost_model.hpp"
#include "tune/fit/coefficients.hpp"
#include "tune/fit/expected_loss.hpp"
#include "tune/fit/least_squares.hpp"
#include "tune/fit/observations.hpp"
#include "tune/worker/infinity.hpp"
#include "tune/worker/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <thread>

namespace libsgemm::tune {
namespace {

using tables::Coefficient;
using tables::DeviceTable;
using tables::KernelModel;
using tables::MachineModel;

/// Logarithmic error that counts as one: what the model can be expected to reach.
constexpr double tolerance = 0.05;

/// How much less a table's own models may be wrong than typical ones.
constexpr double certainty_of_given = 3;

double weight_of(const Observation& observation) {
    return 1 / (std::pow(observation.ratio, 1.5) * std::max(1.0, observation.spread / tolerance));
}

double log_error(const Observation& observation, const KernelModel& model,
                 const MachineModel& machine, const DeviceTraits& device) {
    return std::log(predict(observation, model, machine, device) / observation.seconds);
}

double residual(const Observation& observation, const KernelModel& model,
                const MachineModel& machine, const DeviceTraits& device) {
    return log_error(observation, model, machine, device) / tolerance *
           std::sqrt(weight_of(observation));
}

template <class Model>
double log_of(const Coefficient<Model>& coefficient, const Model& model) {
    const tables::Bounds& bounds = coefficient.prior->bounds;
    return std::log(std::clamp(coefficient.get(model), bounds.least, bounds.most));
}

template <class Model>
Model with_point(Model model, const std::vector<Coefficient<Model>>& coefficients,
                 const std::vector<double>& point) {
    for (std::size_t i = 0; i < coefficients.size(); ++i) {
        coefficients[i].set(model, std::exp(point[i]));
    }
    return model;
}

/// What a row's coefficients are expected to be before it is measured.
template <class Model>
std::vector<Unknown> unknowns_of(const std::vector<Coefficient<Model>>& coefficients,
                                 const Model& model, const Model& expected, double certainty) {
    std::vector<Unknown> unknowns;
    for (const auto& c : coefficients) {
        Unknown unknown;
        unknown.least = std::log(c.prior->bounds.least);
        unknown.most = std::log(c.prior->bounds.most);
        unknown.start = log_of(c, model);
        unknown.expected = log_of(c, expected);
        unknown.uncertainty = c.prior->uncertainty / certainty;
        unknowns.push_back(unknown);
    }
    return unknowns;
}

/// Where bandwidths are hardly known several are tried: from far too small ones a fit ends with
/// rows that have everything limited by memory, nothing by arithmetic.
std::vector<double> bandwidth_starts(double doubt) {
    constexpr double known = 2;
    if (doubt <= known) {
        return {1};
    }
    return {1, std::sqrt(doubt), doubt};
}

class Fitter {
public:
    Fitter(const MeasurementRun& run, const DeviceTable& table, const DeviceTraits& device,
           const FitOptions& options)
        : table_(table), device_(device), options_(options), by_row_(table.rows.size()) {
        Observations observations = observe(run, table, device);
        unknown_ = observations.unknown;
        for (Observation& plan : observations.plans) {
            const bool held_out = run.shapes[plan.shape].held_out;
            if (!held_out && plan.row >= 0 && plan.seconds > 0) {
                by_row_[static_cast<std::size_t>(plan.row)].push_back(std::move(plan));
            }
        }
    }

    /// Begins with bandwidths that many times the table's.
    void start_from(double bandwidth_factor) {
        MachineModel& machine = table_.machine;
        machine.transpose_bandwidth = std::min(bandwidth_factor * machine.transpose_bandwidth,
                                               options_.bandwidth_doubt * machine.bandwidth);
        machine.bandwidth *= bandwidth_factor;
    }

    /// One round, with as many work-groups in a unit as the table has: what the planner is expected
    /// to lose then.
    double sketch() {
        is_sketch_ = true;
        begin();
        fit_rows(false);
        fit_machine();
        fit_rows(true);
        ExpectedLoss loss(by_row_);
        predict_all(loss);
        return loss.of_all_shapes();
    }

    Fit run() {
        begin();
        for (int round = 0; round < options_.rounds; ++round) {
            fit_rows(round > 0);
            fit_machine();
            take_out_what_shapes_share();
            if (!expects_given()) {
                expect_what_kernels_share();
            }
        }
        fit_rows(true);
        ExpectedLoss loss(by_row_);
        for (int round = 0; round < options_.polish_rounds; ++round) {
            polish(loss, 0.1 / (1 + round));
        }
        be_cautious();
        return report();
    }

private:
    void begin() {
        for (const auto& row : table_.rows) {
            expected_.push_back(expects_given() ? given_model(row.model)
                                                : typical_model(row.model));
        }
        for (std::size_t row = 0; row < by_row_.size(); ++row) {
            if (is_fitted(row)) {
                table_.rows[row].model = expected_[row];
            }
        }
    }

    bool expects_given() const { return options_.prior == Prior::given; }

    bool is_fitted(std::size_t row) const { return by_row_[row].size() >= options_.least_plans; }

    void fit_rows(bool pooled) {
        std::vector<std::thread> threads;
        const unsigned count = std::max(1U, std::thread::hardware_concurrency());
        for (unsigned t = 0; t < count; ++t) {
            threads.emplace_back([this, t, count, pooled] {
                for (std::size_t row = t; row < by_row_.size(); row += count) {
                    if (is_fitted(row)) {
                        fit_row(row, pooled);
                    }
                }
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
    }

    /// The numbers of work-groups that a unit may hold.
    std::vector<double> residents_of(std::size_t row) const {
        if (device_.type == DeviceType::cpu) {
            return {1};
        }
        if (is_sketch_ || expects_given()) {
            return {table_.rows[row].model.groups_per_unit};
        }
        return {1, 2, 3, 4, 5, 6, 8, 12, 16};
    }

    void fit_row(std::size_t row, bool pooled) {
        const KernelModel before = table_.rows[row].model;
        double best = infinity;
        for (const double residents : residents_of(row)) {
            KernelModel start = before;
            start.groups_per_unit = residents;
            start.lone_group_speedup = std::clamp(before.lone_group_speedup, 1.0, residents);
            KernelModel expected = expected_[row];
            if (!expects_given()) {
                expected.lone_group_speedup = std::sqrt(residents);
            }
            const LeastSquares fitted = fit_model(row, start, expected, certainty(pooled));
            if (fitted.loss < best) {
                best = fitted.loss;
                table_.rows[row].model = with_point(start, of_rows_, fitted.point);
            }
        }
    }

    /// Of what is expected; divides the uncertainties.
    double certainty(bool pooled) const {
        if (expects_given()) {
            return certainty_of_given;
        }
        return pooled ? 1.5 : 1;
    }

    double most_of(const Coefficient<KernelModel>& coefficient, const KernelModel& model) const {
        if (coefficient.is(&KernelModel::lone_group_speedup)) {
            return std::max(coefficient.prior->bounds.least, model.groups_per_unit);
        }
        // A call by a thread that is awake. Threads that wake late cost a launch, however many
        // groups it has.
        const bool is_call =
            coefficient.is(&KernelModel::group_seconds) && device_.type == DeviceType::cpu;
        return is_call ? most_group_us_of_cpu : coefficient.prior->bounds.most;
    }

    LeastSquares fit_model(std::size_t row, const KernelModel& start, const KernelModel& expected,
                           double certainty) const {
        auto unknowns = unknowns_of(of_rows_, start, expected, certainty);
        for (std::size_t i = 0; i < of_rows_.size(); ++i) {
            unknowns[i].most = std::log(most_of(of_rows_[i], start));
            if (of_rows_[i].is(&KernelModel::efficiency)) {
                // A few small products say little of a long run.
                const auto plans = static_cast<double>(by_row_[row].size());
                unknowns[i].uncertainty =
                    std::clamp(plans / 50, 0.2, 2.0) / (expects_given() ? certainty_of_given : 1);
            }
        }
        const auto& plans = by_row_[row];
        return minimise(unknowns, [&](const std::vector<double>& point, std::vector<double>& out) {
            const KernelModel model = with_point(start, of_rows_, point);
            out.resize(plans.size());
            for (std::size_t i = 0; i < plans.size(); ++i) {
                out[i] = residual(plans[i], model, table_.machine, device_);
            }
        });
    }

    void fit_machine() {
        const MachineModel start = table_.machine;
        std::vector<Coefficient<MachineModel>> coefficients =
            fitted(tables::machine_coefficients());
        std::erase_if(coefficients, [&](const auto& c) { return !counts(c); });
        MachineModel expected = start;
        for (const auto& c : coefficients) {
            c.set(expected, std::max(c.get(expected), c.prior->typical));
        }
        auto unknowns =
            unknowns_of(coefficients, start, expected, expects_given() ? certainty_of_given : 1.0);
        // Passes over what caches hold are quicker; large ones must not be taken for such.
        const double given_gbs = 1e-9 * given_machine_.bandwidth;
        const double most = std::log(options_.bandwidth_doubt * given_gbs);
        const double least = std::log(given_gbs / options_.bandwidth_doubt);
        for (std::size_t i = 0; i < coefficients.size(); ++i) {
            if (coefficients[i].is(&MachineModel::bandwidth)) {
                unknowns[i].least = least;
                unknowns[i].most = most;
            } else if (coefficients[i].is(&MachineModel::transpose_bandwidth)) {
                unknowns[i].most = most;
            }
        }
        const LeastSquares fitted =
            minimise(unknowns, [&](const std::vector<double>& point, std::vector<double>& out) {
                const MachineModel machine = with_point(start, coefficients, point);
                out.clear();
                for (std::size_t row = 0; row < by_row_.size(); ++row) {
                    for (const Observation& plan : by_row_[row]) {
                        out.push_back(residual(plan, table_.rows[row].model, machine, device_));
                    }
                }
            });
        table_.machine = with_point(start, coefficients, fitted.point);
    }

    /// Whether a coefficient of the machine has a part in this device's times: fused reductions are
    /// not proposed where nobody has measured them.
    bool counts(const Coefficient<MachineModel>& coefficient) const {
        if (coefficient.is(&MachineModel::sum_seconds) ||
            coefficient.is(&MachineModel::sum_bandwidth)) {
            return table_.machine.sum_bandwidth > 0;
        }
        const bool calls = planning::launches_by_calling(table_.machine, device_);
        return !coefficient.is(calls ? &MachineModel::launch_seconds
                                     : &MachineModel::calling_thread_launch_seconds);
    }

    /// What makes all plans of a shape slower (another program, a lower clock, a size that the
    /// model gets wrong) does not tell which is the best: it is taken out of the times.
    void take_out_what_shapes_share() {
        std::map<std::size_t, std::vector<double>> errors;
        const auto for_each_plan = [this](auto visit) {
            for (std::size_t row = 0; row < by_row_.size(); ++row) {
                for (Observation& plan : by_row_[row]) {
                    visit(plan, table_.rows[row].model);
                }
            }
        };
        for_each_plan([&](const Observation& plan, const KernelModel& model) {
            errors[plan.shape].push_back(log_error(plan, model, table_.machine, device_));
        });
        constexpr double doubt = 2; // as many plans as that say that nothing is shared
        std::map<std::size_t, double> factors;
        for (const auto& [shape, values] : errors) {
            const auto count = static_cast<double>(values.size());
            factors[shape] = std::exp(median(values) * count / (count + doubt));
        }
        for_each_plan(
            [&](Observation& plan, const KernelModel&) { plan.seconds *= factors[plan.shape]; });
    }

    /// Rows of one kernel have the same source: where a row was seldom measured, the others'
    /// medians are the best guess.
    void expect_what_kernels_share() {
        std::map<std::string, std::vector<std::size_t>> rows;
        for (std::size_t row = 0; row < by_row_.size(); ++row) {
            if (is_fitted(row)) {
                rows[table_.rows[row].kernel].push_back(row);
            }
        }
        for (std::size_t row = 0; row < by_row_.size(); ++row) {
            const auto found = rows.find(table_.rows[row].kernel);
            if (found == rows.end()) {
                continue;
            }
            for (const auto& c : of_rows_) {
                std::vector<double> values;
                for (const std::size_t other : found->second) {
                    values.push_back(log_of(c, table_.rows[other].model));
                }
                if (c.prior->typical > 0) {
                    c.set(expected_[row], std::exp(median(values)));
                }
            }
        }
    }

    /// What was never measured must not look better than what was: a planner picks the one plan of
    /// hundreds whose time is most underrated.
    void be_cautious() {
        constexpr double unmeasured_row = 0.8;
        constexpr double unmeasured_form = 0.4;
        constexpr std::ptrdiff_t few = 3;
        for (std::size_t row = 0; row < by_row_.size(); ++row) {
            KernelModel& model = table_.rows[row].model;
            const auto* kernel = catalog::kernel_catalog().find(table_.rows[row].kernel);
            if (kernel != nullptr && kernel->precision != Precision::strict) {
                continue; // measured plans are strict
            }
            const auto count = [&](bool planning::MainWork::*form) {
                return std::count_if(
                    by_row_[row].begin(), by_row_[row].end(), [&](const Observation& o) {
                        return std::get<planning::MainWork>(o.launches.front()).*form;
                    });
            };
            // Kernels over packed panels know no form.
            const bool has_form =
                by_row_[row].empty() ||
                std::holds_alternative<planning::MainWork>(by_row_[row].front().launches.front());
            if (!is_fitted(row) && options_.doubt_unmeasured) {
                model.efficiency *= unmeasured_row;
            }
            if (expects_given()) {
                continue; // other forms of its rows were measured elsewhere
            }
            if (has_form && count(&planning::MainWork::a_k_major) < few) {
                model.k_major_a = std::min(model.k_major_a, unmeasured_form);
            }
            if (has_form && count(&planning::MainWork::b_k_major) < few) {
                model.k_major_b = std::min(model.k_major_b, unmeasured_form);
            }
        }
    }

    // --- polish: towards the least regret, as far as the times allow -----------------------------

    std::vector<double> predictions(std::size_t row, const KernelModel& model) const {
        std::vector<double> values;
        values.reserve(by_row_[row].size());
        for (const Observation& plan : by_row_[row]) {
            values.push_back(std::log(predict(plan, model, table_.machine, device_)));
        }
        return values;
    }

    void predict_all(ExpectedLoss& loss) const {
        for (std::size_t row = 0; row < by_row_.size(); ++row) {
            loss.predict(row, predictions(row, table_.rows[row].model));
        }
    }

    /// Loss and misfit of a row whose model is `model`; its predictions are left in `loss`.
    double cost_of(std::size_t row, const KernelModel& model, ExpectedLoss& loss) const {
        constexpr double worth_of_fit = 0.02;
        loss.predict(row, predictions(row, model));
        double cost = loss.of_shapes_with(row);
        for (std::size_t i = 0; i < by_row_[row].size(); ++i) {
            const Observation& plan = by_row_[row][i];
            const double error = loss.predicted(row)[i] - std::log(plan.seconds);
            cost += worth_of_fit * robust_loss(error / tolerance * std::sqrt(weight_of(plan)));
        }
        for (const auto& c : of_rows_) {
            const double pull = (log_of(c, model) - log_of(c, expected_[row])) /
                                c.prior->uncertainty * (expects_given() ? certainty_of_given : 1);
            cost += worth_of_fit * pull * pull;
        }
        return cost;
    }

    /// Moves each coefficient of each row up or down by a factor of exp(step), where that is
    /// better.
    void polish(ExpectedLoss& loss, double step) {
        predict_all(loss);
        for (std::size_t row = 0; row < by_row_.size(); ++row) {
            if (!is_fitted(row)) {
                continue;
            }
            KernelModel& model = table_.rows[row].model;
            double cost = cost_of(row, model, loss);
            for (const auto& c : of_rows_) {
                for (const double move : {step, -step}) {
                    KernelModel moved = model;
                    c.set(moved, std::clamp(c.get(model) * std::exp(move), c.prior->bounds.least,
                                            most_of(c, model)));
                    const double new_cost = cost_of(row, moved, loss);
                    if (new_cost < cost - 1e-9) {
                        cost = new_cost;
                        model = moved;
                        break;
                    }
                }
            }
            cost_of(row, model, loss);
        }
    }

    Fit report() const {
        Fit fit{table_, {}, unknown_};
        for (std::size_t row = 0; row < by_row_.size(); ++row) {
            RowFit one;
            one.row = row;
            std::vector<double> errors;
            for (const Observation& plan : by_row_[row]) {
                errors.push_back(
                    std::abs(log_error(plan, table_.rows[row].model, table_.machine, device_)));
            }
            if (is_fitted(row)) {
                std::sort(errors.begin(), errors.end());
                one.plans = errors.size();
                one.median_error = median(errors);
                one.p90_error = errors[errors.size() * 9 / 10];
            }
            fit.rows.push_back(one);
        }
        return fit;
    }

    DeviceTable table_;
    bool is_sketch_ = false;
    MachineModel given_machine_ = table_.machine;
    const std::vector<Coefficient<KernelModel>> of_rows_ = fitted(tables::kernel_coefficients());
    const DeviceTraits& device_;
    const FitOptions& options_;
    PlansByRow by_row_;
    std::vector<KernelModel> expected_;
    std::size_t unknown_ = 0;
};

} // namespace

Fit fit_table(const MeasurementRun& run, const DeviceTable& table, const DeviceTraits& device,
              const FitOptions& options) {
    const std::vector<double> starts = bandwidth_starts(options.bandwidth_doubt);
    double best_start = starts.front();
    double least = infinity;
    for (std::size_t i = 0; starts.size() > 1 && i < starts.size(); ++i) {
        const double start = starts[i];
        Fitter sketch(run, table, device, options);
        sketch.start_from(start);
        const double loss = sketch.sketch();
        if (loss < least) {
            least = loss;
            best_start = start;
        }
    }
    Fitter fitter(run, table, device, options);
    fitter.start_from(best_start);
    return fitter.run();
}

} // namespace libsgemm::tune
