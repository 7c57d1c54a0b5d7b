// SPDX-License-Identifier: Apache-2.0
// Shapes that somebody named: each one gets the best plan that was measured for it, as an exact
// choice. Trials are checked with beta zero and not, so that each plan that ran is right there.
#include "plan/candidates.hpp"
#include "plan/exact_choice.hpp"
#include "plan/planner.hpp"
#include "sgemm/error.hpp"
#include "tune/search/compose.hpp"
#include "tune/search/halving.hpp"
#include "tune/search/roofline.hpp"
#include "tune/search/tuner.hpp"
#include "tune/worker/canonical.hpp"
#include "tune/worker/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace libsgemm::tune {
namespace {

// Ends of the phases, as shares of the time.
constexpr double survey_share = 0.4;
constexpr double search_share = 0.7;
constexpr double finals_share = 0.92; // then choices are compared with the plans before
constexpr double most_budgets = 2;    // where shapes are too many for theirs: no more comparisons

constexpr std::size_t favourites = 3; // of the planner, tried whatever it takes

/// Whether the values that a search is restricted to allow these.
bool is_within(const catalog::Parameters& parameters, const Restrictions& restrictions) {
    return std::ranges::all_of(parameters, [&](const auto& parameter) {
        const auto found = restrictions.find(parameter.first);
        return found == restrictions.end() ||
               std::ranges::find(found->second, parameter.second) != found->second.end();
    });
}

} // namespace

double least_tuning_seconds(const std::vector<Shape>& shapes, const tables::DeviceTable& table,
                            const DeviceTraits& device, const catalog::KernelCatalog& kernels) {
    constexpr double build = 0.3;       // and the check
    constexpr double quick = 6;         // calls, those of the reference among them
    constexpr double thorough = 3 * 14; // of the plan before, of the best, and their comparison
    double sum = 0;
    for (const Shape& shape : shapes) {
        const auto ranking =
            planning::rank_plans(canonical_of(shape), {}, {device, table, kernels});
        std::set<std::size_t> families;
        for (const planning::PlanValue& plan : ranking.plans) {
            families.insert(plan.kernel->family.index());
        }
        const auto trials = static_cast<double>(std::max(favourites, families.size()));
        sum +=
            trials * build + (trials * quick + thorough) * ranking.plans.front().predicted_seconds;
    }
    return sum;
}

struct Tuner::OwnShape {
    ShapeClass alone;        ///< the shape, as a class of its own
    std::vector<Task> tasks; ///< kernels that suit it
    /// To be tried whatever the model says and whatever became of them elsewhere: what the planner
    /// likes best and a plan of each family; then, while there is time, of each kernel and row.
    std::vector<Configuration> required, further;

    const Shape& shape() const { return alone.shapes.front(); }
};

bool Tuner::is_wanted(const Configuration& plan) const {
    const auto& kernels = options_.kernels;
    return is_within(plan.parameters, options_.restrictions) &&
           (kernels.empty() || kernels == std::vector<std::string>{"all"} ||
            std::ranges::find(kernels, plan.kernel) != kernels.end());
}

void Tuner::list_plans(OwnShape& own) const {
    constexpr std::size_t most_rows = 8;
    std::set<std::size_t> families;
    std::set<std::string_view> kernels;
    std::vector<Configuration> rows;
    const auto ranking =
        planning::rank_plans(canonical_of(own.shape()), {}, {device_.traits, base_, kernels_});
    for (const planning::PlanValue& plan : ranking.plans) {
        Configuration key = plan.key();
        const bool is_before = &plan == ranking.plans.data();
        if (!is_before && !is_wanted(key)) {
            continue;
        }
        const bool of_new_family = families.insert(plan.kernel->family.index()).second;
        const bool of_new_kernel = kernels.insert(plan.kernel->name).second;
        if (of_new_family || own.required.size() < favourites) {
            own.required.push_back(std::move(key));
        } else if (of_new_kernel) {
            own.further.push_back(std::move(key));
        } else if (rows.size() < most_rows) {
            rows.push_back(std::move(key));
        }
    }
    for (const Task& task : own.tasks) { // kernels that the table has no row of
        if (!kernels.insert(task.kernel->name).second) {
            continue;
        }
        const Space space = kernel_space(*task.kernel, device_.traits, options_.restrictions);
        const auto starts = starts_of(task, space);
        if (!starts.empty()) {
            const catalog::Parameters parameters = parameters_of(space, starts.front());
            const bool of_new_family = families.insert(task.kernel->family.index()).second;
            (of_new_family ? own.required : own.further)
                .push_back({std::string(task.kernel->name), parameters,
                            usual_variant(*task.kernel, parameters, own.shape(), device_.traits)});
        }
    }
    own.further.insert(own.further.end(), rows.begin(), rows.end());
}

std::vector<Tuner::OwnShape> Tuner::own_shapes() const {
    std::vector<OwnShape> all;
    for (const Shape& shape : options_.shapes) {
        OwnShape own;
        own.alone = {judge::shape_name(shape), {shape}};
        own.tasks = make_tasks(kernels_, options_.kernels, {own.alone}, base_, device_.traits);
        std::erase_if(own.tasks, [](const Task& task) {
            return !planning::is_allowed(*task.kernel, Precision::strict);
        });
        list_plans(own);
        all.push_back(std::move(own));
    }
    if (std::ranges::all_of(all, [](const OwnShape& own) { return own.tasks.empty(); })) {
        throw ArgumentError("kernels", "the given ones", "must suit some of the shapes");
    }
    return all;
}

void Tuner::try_plan(const OwnShape& own, const Configuration& plan, bool thorough) {
    ask(RecordKind::timing, own.alone.name, spec_of(plan, own.shape(), thorough), thorough ? 1 : 0);
}

/// Median over all trials.
double Tuner::reference_seconds(const Shape& shape) const {
    std::vector<double> all;
    for (const TrialRecord& record : journal_.records()) {
        if (record.kind == RecordKind::timing && record.spec.shape == shape && record.result.ok() &&
            record.result.reference_median > 0 &&
            record.origin == origin_of(record.spec.configuration.kernel)) {
            all.push_back(record.result.reference_median);
        }
    }
    return median(all);
}

/// Of each plan the last, most thorough trial that is enough for a choice; the fastest first. Where
/// some were timed thoroughly, these alone.
std::vector<const TrialRecord*> Tuner::ranked_trials(const Shape& shape) const {
    std::map<std::string, const TrialRecord*> last; // by plan
    for (const TrialRecord& record : journal_.records()) {
        if (record.kind == RecordKind::timing && record.spec.shape == shape &&
            record.spec.with_beta && record.result.ok() &&
            record.origin == origin_of(record.spec.configuration.kernel)) {
            const std::string plan =
                key_of(record.kind, record.origin, record.spec.configuration, shape);
            const TrialRecord*& known = last[plan];
            known = known == nullptr || record.round >= known->round ? &record : known;
        }
    }
    const auto thorough =
        std::ranges::count_if(last, [](const auto& known) { return known.second->round > 0; });
    std::vector<const TrialRecord*> ranked;
    for (const auto& [plan, record] : last) {
        if (record->round > 0 || thorough < 2) {
            ranked.push_back(record);
        }
    }
    const double reference = reference_seconds(shape);
    std::ranges::stable_sort(ranked, {}, [&](const TrialRecord* record) {
        return normalized_seconds(*record, reference);
    });
    return ranked;
}

/// How much a search may bring, roughly: how far the best plan is from what the device can do, and
/// how wrong the model was already.
double Tuner::room_of(const OwnShape& own) const {
    constexpr double least = 0.02;
    const auto ranked = ranked_trials(own.shape());
    if (ranked.empty()) {
        return 1;
    }
    const double seconds = normalized_seconds(*ranked.front(), reference_seconds(own.shape()));
    const double distance = std::log(seconds / least_seconds(own.shape(), base_, device_.traits));
    const auto ratio = best_ratio_.find(own.alone.name);
    const double doubt = ratio == best_ratio_.end() ? 0 : -std::log(ratio->second);
    return std::max(distance, least) + doubt;
}

/// The shapes one after the other, those with the most room first, each for its share of the time.
void Tuner::search_all(const std::vector<OwnShape>& all, double deadline) {
    std::vector<std::pair<double, const OwnShape*>> open;
    double sum = 0;
    for (const OwnShape& own : all) {
        open.emplace_back(room_of(own), &own);
        sum += open.back().first;
    }
    std::ranges::stable_sort(open, std::greater<>(), &std::pair<double, const OwnShape*>::first);
    for (const auto& [room, own] : open) {
        if (now() > deadline) {
            return;
        }
        search_shape(*own, now() + (deadline - now()) * room / sum);
        sum -= room;
    }
}

/// Parameters of the kernels that are not far behind here; then other variants of what was found.
void Tuner::search_shape(const OwnShape& own, double deadline) {
    constexpr double far_behind = 2;
    constexpr double parameters_share = 0.8;
    state_.task = own.alone.name;
    std::map<std::string_view, double> seconds; // by kernel
    const double reference = reference_seconds(own.shape());
    for (const TrialRecord* record : ranked_trials(own.shape())) {
        seconds.try_emplace(record->spec.configuration.kernel,
                            normalized_seconds(*record, reference));
    }
    std::vector<std::pair<double, const Task*>> tasks;
    for (const Task& task : own.tasks) {
        if (const auto found = seconds.find(task.kernel->name); found != seconds.end()) {
            tasks.emplace_back(found->second, &task);
        }
    }
    std::ranges::stable_sort(tasks, {}, &std::pair<double, const Task*>::first);
    defeats_.clear(); // what a kernel lost elsewhere says nothing here
    const double end = now() + parameters_share * (deadline - now());
    for (std::size_t i = 0; i < tasks.size() && now() < end; ++i) {
        if (tasks[i].first > far_behind * tasks.front().first) {
            break;
        }
        const Task& task = *tasks[i].second;
        Halving found(kernel_space(*task.kernel, device_.traits, options_.restrictions));
        const double parts = i + 1 == tasks.size() ? 1 : 2; // the best kernel gets the most
        search(task, found, now() + (end - now()) / parts);
        auto& winners = winners_[std::string(task.kernel->name)];
        for (Configuration& best : found.best(task, 1)) {
            if (std::ranges::find(winners, best) == winners.end()) {
                winners.push_back(std::move(best));
            }
        }
    }
    constexpr std::size_t most_varied = 3;
    std::vector<Configuration> varied;
    for (const TrialRecord* record : ranked_trials(own.shape())) {
        if (varied.size() < most_varied) {
            varied.push_back(record->spec.configuration);
        }
    }
    for (const Configuration& plan : varied) {
        const catalog::KernelEntry& kernel = *kernels_.find(plan.kernel);
        for (const Variant& other :
             other_variants(kernel, plan.parameters, own.shape(), device_.traits)) {
            if (now() > deadline) {
                return;
            }
            try_plan(own, {plan.kernel, plan.parameters, other}, false);
            report("trying other variants");
        }
    }
}

/// The plan before and the best ones, thoroughly.
void Tuner::measure_finalists(const OwnShape& own, double deadline) {
    constexpr std::size_t finalists = 6;
    constexpr double near = 1.2;
    state_.task = own.alone.name;
    const double reference = reference_seconds(own.shape());
    std::vector<Configuration> plans{reference_for(own.shape())};
    double least = 0;
    for (const TrialRecord* record : ranked_trials(own.shape())) {
        const double seconds = normalized_seconds(*record, reference);
        least = least > 0 ? least : seconds;
        if (record->spec.configuration != plans.front() && plans.size() < finalists &&
            seconds < near * least) {
            plans.push_back(record->spec.configuration);
        }
    }
    for (std::size_t i = 0; i < plans.size(); ++i) {
        if (i > 1 && now() > deadline) {
            return;
        }
        try_plan(own, plans[i], true);
        report("measuring the best");
    }
}

void Tuner::keep(const Shape& shape, const Configuration& plan, double seconds,
                 const TrialRecord* runner_up) {
    tables::Choice choice;
    choice.problem = planning::exact_problem(canonical_of(shape));
    choice.plan = plan;
    choice.source = kernels_.short_source_hash(plan.kernel);
    choice.seconds = seconds;
    if (runner_up != nullptr) {
        choice.runner_up = to_candidate(runner_up->spec.configuration, kernels_).to_string();
        choice.runner_up_seconds = normalized_seconds(*runner_up, reference_seconds(shape));
    }
    std::erase_if(choices_,
                  [&](const tables::Choice& old) { return old.problem == choice.problem; });
    choices_.push_back(std::move(choice));
}

/// By what the journal knows; the plan before stays where nothing is clearly faster.
void Tuner::choose(const Shape& shape) {
    constexpr double clearly = 0.98;
    const auto ranked = ranked_trials(shape);
    if (ranked.empty()) {
        return;
    }
    const Configuration& before = reference_for(shape);
    const auto of_before = std::ranges::find_if(
        ranked, [&](const TrialRecord* record) { return record->spec.configuration == before; });
    const double best_ratio = ranked.front()->result.ratio;
    const TrialRecord* best =
        of_before != ranked.end() && best_ratio > clearly ? *of_before : ranked.front();
    const auto other =
        std::ranges::find_if(ranked, [&](const TrialRecord* record) { return record != best; });
    keep(shape, best->spec.configuration, normalized_seconds(*best, reference_seconds(shape)),
         other == ranked.end() ? nullptr : *other);
}

/// The plan that the new table takes, in turn with the plan before; what does not prove faster is
/// taken back.
void Tuner::compare(TunedShape& outcome) {
    const Shape& shape = outcome.shape;
    const Configuration before = reference_for(shape);
    const Configuration after = predicted_best(shape, outcome_.table, device_.traits, kernels_);
    double reference = reference_seconds(shape);
    outcome.before = outcome.after = reference;
    if (after != before) {
        TrialSpec spec = spec_of(after, shape, true);
        spec.reference = before;
        state_.task = judge::shape_name(shape);
        const TrialResult result = worker_.run(spec);
        report("comparing with the plan before");
        if (result.ok() && result.ratio <= 1) { // zero: the plan before does not run
            reference = result.ratio > 0 ? result.reference_median : result.median;
            outcome.before = reference;
            outcome.after = result.ratio > 0 ? result.ratio * reference : reference;
        } else {
            keep(shape, before, reference, nullptr);
        }
    }
    outcome.best = outcome.after;
    for (const TrialRecord* record : ranked_trials(shape)) {
        if (record->result.ratio > 0) {
            outcome.best = std::min(outcome.best, record->result.ratio * reference);
        }
    }
    if (outcome.after > 0) {
        outcome.share = least_seconds(shape, base_, device_.traits) / outcome.after;
    }
}

void Tuner::tune_shapes() {
    const std::vector<OwnShape> all = own_shapes();
    const double budget = options_.budget_seconds;
    outcome_.table = base_; // until there is a choice
    for (const OwnShape& own : all) {
        outcome_.tuned.emplace_back();
        outcome_.tuned.back().shape = own.shape();
    }
    try {
        for (const bool required : {true, false}) {
            for (const OwnShape& own : all) {
                state_.task = own.alone.name;
                for (const Configuration& plan : required ? own.required : own.further) {
                    if (required || now() < survey_share * budget) {
                        try_plan(own, plan, false);
                        report(required ? "trying each family" : "trying each kernel");
                    }
                }
            }
        }
        search_all(all, search_share * budget);
        for (std::size_t i = 0; i < all.size(); ++i) {
            const double left = std::max(0.0, finals_share * budget - now());
            measure_finalists(all[i], now() + left / static_cast<double>(all.size() - i));
            choose(all[i].shape());
            if (!choices_.empty()) {
                publish({});
            }
        }
        for (TunedShape& outcome : outcome_.tuned) {
            if (now() < most_budgets * budget) {
                compare(outcome);
            }
        }
    } catch (const Interrupted&) {
        outcome_.interrupted = true;
    } catch (const WorkerError& error) {
        end_early(error);
    }
    if (outcome_.interrupted || !outcome_.trouble.empty()) {
        for (const OwnShape& own : all) {
            const auto problem = planning::exact_problem(canonical_of(own.shape()));
            if (std::ranges::find(choices_, problem, &tables::Choice::problem) == choices_.end()) {
                choose(own.shape());
            }
        }
    }
    if (!choices_.empty()) {
        publish({});
    }
    for (TunedShape& outcome : outcome_.tuned) {
        const Configuration plan =
            predicted_best(outcome.shape, outcome_.table, device_.traits, kernels_);
        outcome.changed = plan != reference_for(outcome.shape);
        outcome.winner = to_candidate(plan, kernels_).to_string();
        if (outcome.after > 0) {
            outcome_.shapes.push_back({judge::shape_name(outcome.shape),
                                       outcome.before / outcome.after,
                                       1e-9 * outcome.shape.flops() / outcome.after});
        }
    }
}

} // namespace libsgemm::tune
