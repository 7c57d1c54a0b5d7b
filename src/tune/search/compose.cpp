// SPDX-License-Identifier: Apache-2.0
#include "tune/search/compose.hpp"

#include "plan/family/families.hpp"
#include "tune/fit/coefficients.hpp"
#include "tune/fit/table_rows.hpp"
#include "tune/worker/canonical.hpp"
#include "tune/worker/infinity.hpp"
#include "tune/worker/statistics.hpp"
#include "tune/worker/trial_json.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace libsgemm::tune {
namespace {

using RowKey = std::string; ///< kernel and parameters
RowKey row_key(const Configuration& configuration) {
    return configuration.kernel + ' ' + configuration.parameters.to_string();
}

/// A row and what is known of it.
struct RowFacts {
    Configuration configuration;
    std::string verified;
    std::map<std::string, const TrialRecord*> best; ///< by shape, over variants
    std::vector<const TrialRecord*> timings;
};

bool is_current(const TrialRecord& record, const Composition& wanted) {
    return record.origin.device == wanted.device.name &&
           record.origin.driver == wanted.device.driver_version &&
           record.origin.source ==
               wanted.kernels.short_source_hash(record.spec.configuration.kernel);
}

/// Of each shape: the median over all records of the reference's time.
std::map<std::string, double> reference_times(std::span<const TrialRecord> records,
                                              const Composition& wanted) {
    std::map<std::string, std::vector<double>> all;
    for (const TrialRecord& record : records) {
        if (record.kind == RecordKind::timing && record.result.ok() && is_current(record, wanted) &&
            record.result.reference_median > 0) {
            all[judge::shape_name(record.spec.shape)].push_back(record.result.reference_median);
        }
    }
    std::map<std::string, double> medians;
    for (const auto& [shape, values] : all) {
        medians[shape] = median(values);
    }
    return medians;
}

/// Later records of a question are the more thorough ones.
std::map<std::string, const TrialRecord*> last_timings(std::span<const TrialRecord> records,
                                                       const Composition& wanted) {
    std::map<std::string, const TrialRecord*> last;
    for (const TrialRecord& record : records) {
        if (record.kind == RecordKind::timing && record.result.ok() && is_current(record, wanted)) {
            last[json_of(record.spec.configuration).dump() + judge::shape_name(record.spec.shape)] =
                &record;
        }
    }
    return last;
}

class Composer {
public:
    Composer(std::span<const TrialRecord> records, const Composition& wanted)
        : wanted_(wanted), references_(reference_times(records, wanted)) {
        for (const TrialRecord& record : records) {
            if (record.kind == RecordKind::verification && record.result.ok() &&
                is_current(record, wanted)) {
                RowFacts& facts = rows_[row_key(record.spec.configuration)];
                facts.configuration = record.spec.configuration;
                facts.verified = record.checked;
            }
        }
        for (const auto& [key, record] : last_timings(records, wanted)) {
            if (record->spec.reference) {
                used_[judge::shape_name(record->spec.shape)] = *record->spec.reference;
            }
            const auto row = rows_.find(row_key(record->spec.configuration));
            if (row == rows_.end()) {
                continue;
            }
            row->second.timings.push_back(record);
            const TrialRecord*& best = row->second.best[judge::shape_name(record->spec.shape)];
            if (best == nullptr || time_of(*record) < time_of(*best)) {
                best = record;
            }
        }
    }

    tables::DeviceTable compose() {
        tables::DeviceTable table = wanted_.base;
        std::set<std::string> tuned;
        for (const auto& [key, facts] : rows_) {
            tuned.insert(facts.configuration.kernel);
        }
        std::vector<tables::TableRow> rows;
        std::set<std::string> replaced;
        for (const std::string& kernel : tuned) {
            for (const RowFacts* facts : choose(kernel)) {
                rows.push_back(make_row(*facts));
                replaced.insert(kernel);
            }
        }
        std::erase_if(table.rows, [&](const tables::TableRow& row) {
            const bool is_repeated = std::ranges::any_of(rows, [&](const tables::TableRow& other) {
                return other.kernel == row.kernel && other.parameters == complete(row);
            });
            return is_repeated || (replaced.contains(row.kernel) &&
                                   !wanted_.unfinished.contains(row.kernel) && !is_unbeaten(row));
        });
        table.rows_from.clear(); // they are in `rows` already
        table.base_rows = 0;
        table.has_machine = true;
        table.rows.insert(table.rows.begin(), rows.begin(), rows.end());
        return table;
    }

private:
    double time_of(const TrialRecord& record) const {
        const auto found = references_.find(judge::shape_name(record.spec.shape));
        return normalized_seconds(record, found == references_.end() ? 0 : found->second);
    }

    /// Greedily: the row that helps the kernel's shapes most, until none helps enough.
    std::vector<const RowFacts*> choose(const std::string& kernel) {
        std::vector<const RowFacts*> open;
        std::map<std::string, double> least; // by shape, over all rows of the kernel
        for (const auto& [key, facts] : rows_) {
            if (facts.configuration.kernel != kernel) {
                continue;
            }
            open.push_back(&facts);
            for (const auto& [shape, record] : facts.best) {
                const auto [position, is_new] = least.try_emplace(shape, infinity);
                position->second = std::min(position->second, time_of(*record));
            }
        }
        // A row must beat what the planner takes without it.
        std::map<std::string, double>& reached = reached_;
        for (const auto& [shape, time] : least) {
            const auto found = references_.find(shape);
            reached.try_emplace(shape, found == references_.end() ? 3 * time : found->second);
        }
        std::vector<const RowFacts*> chosen;
        while (!open.empty() && chosen.size() < wanted_.most_rows_of_kernel) {
            const auto gain = [&](const RowFacts* facts) {
                double sum = 0;
                for (const auto& [shape, record] : facts->best) {
                    sum += std::max(0.0, std::log(reached[shape] / time_of(*record)));
                }
                return sum / static_cast<double>(std::max<std::size_t>(1, least.size()));
            };
            const auto best = std::ranges::max_element(open, {}, gain);
            if (gain(*best) < wanted_.worthwhile) {
                break;
            }
            for (const auto& [shape, record] : (*best)->best) {
                reached[shape] = std::min(reached[shape], time_of(*record));
            }
            chosen.push_back(*best);
            open.erase(best);
        }
        return chosen;
    }

    catalog::Parameters complete(const tables::TableRow& row) const {
        return complete_parameters(row, wanted_.kernels);
    }

    /// Whether a row of the base table is the plan for a shape that no new row makes faster.
    bool is_unbeaten(const tables::TableRow& row) const {
        const catalog::Parameters parameters = complete(row);
        return std::ranges::any_of(used_, [&](const auto& used) {
            const auto& [shape, configuration] = used;
            const auto reached = reached_.find(shape);
            const auto reference = references_.find(shape);
            return configuration.kernel == row.kernel && configuration.parameters == parameters &&
                   (reached == reached_.end() || reference == references_.end() ||
                    reached->second > 0.99 * reference->second);
        });
    }

    tables::TableRow make_row(const RowFacts& facts) const {
        const catalog::KernelEntry& kernel = *wanted_.kernels.find(facts.configuration.kernel);
        tables::TableRow row;
        row.kernel = facts.configuration.kernel;
        row.parameters = facts.configuration.parameters;
        row.source = wanted_.kernels.short_source_hash(row.kernel);
        row.verified = facts.verified;
        for (const auto& [shape, record] : facts.best) {
            row.measured.push_back({shape, time_of(*record), record->result.spread});
        }
        row.model = known_model(kernel, row).value_or(rough_model(kernel, facts));
        return row;
    }

    /// The model of the same row in the base table.
    std::optional<tables::KernelModel> known_model(const catalog::KernelEntry& kernel,
                                                   const tables::TableRow& row) const {
        for (const tables::TableRow& old : wanted_.base.rows) {
            if (old.kernel == kernel.name && complete(old) == row.parameters) {
                return old.model;
            }
        }
        return std::nullopt;
    }

    /// Seconds that a model predicts for a record's plan; 0 where there is none.
    double predicted(const TrialRecord& record, const tables::KernelModel& model) const {
        if (record.spec.configuration.variant.peeled) { // of several rows
            return 0;
        }
        planning::Candidate candidate = to_candidate(record.spec.configuration, wanted_.kernels);
        candidate.model = model;
        const auto problem = canonical_of(record.spec.shape);
        const auto plan = planning::build_plan(
            {problem, candidate, {}, {wanted_.device, wanted_.base, wanted_.kernels}});
        const auto* value = std::get_if<planning::PlanValue>(&plan);
        return value == nullptr ? 0 : value->predicted_seconds;
    }

    double misfit(const RowFacts& facts, const tables::KernelModel& model) const {
        double sum = 0;
        for (const TrialRecord* record : facts.timings) {
            const double seconds = predicted(*record, model);
            if (seconds > 0) {
                sum += std::abs(std::log(seconds / time_of(*record)));
            }
        }
        return sum;
    }

    /// Of the base table's rows of the kernel the first of those with most parameters in common;
    /// null: there is none.
    const tables::TableRow* nearest_relative(const catalog::KernelEntry& kernel,
                                             const Configuration& configuration) const {
        const tables::TableRow* nearest = nullptr;
        std::ptrdiff_t most = -1;
        for (const tables::TableRow& old : wanted_.base.rows) {
            if (old.kernel != kernel.name) {
                continue;
            }
            const catalog::Parameters parameters = complete(old);
            const auto common = std::ranges::count_if(configuration.parameters, [&](const auto& p) {
                return parameters.get_or(p.first, p.second - 1) == p.second;
            });
            if (common > most) {
                most = common;
                nearest = &old;
            }
        }
        return nearest;
    }

    /// Efficiency and time per work-group by search on a grid, all else as a relative of the row
    /// has it: enough to rank plans until there is data for a fit.
    tables::KernelModel rough_model(const catalog::KernelEntry& kernel,
                                    const RowFacts& facts) const {
        tables::KernelModel start;
        if (const tables::TableRow* old = nearest_relative(kernel, facts.configuration)) {
            start = old->model;
        }
        tables::KernelModel best = start;
        double least = infinity;
        constexpr double most = 16; // where vectors are wider than the table before says
        constexpr int steps = 120;  // down to a few thousandths
        for (int step = 0; step < steps; ++step) {
            const double efficiency = most * std::pow(0.93, step);
            for (const double group : {0.0, 0.2e-6, 1e-6, 3e-6, 10e-6, 25e-6}) {
                if (wanted_.device.type == DeviceType::cpu && group > 1e-6 * most_group_us_of_cpu) {
                    break;
                }
                tables::KernelModel model = start;
                model.efficiency = efficiency;
                model.group_seconds = group;
                const double error = misfit(facts, model);
                if (error < least) {
                    least = error;
                    best = model;
                }
            }
        }
        return best;
    }

    const Composition& wanted_;
    std::map<std::string, double> references_;  ///< by shape: seconds of the plan before
    std::map<std::string, double> reached_;     ///< by shape: the same with the chosen rows
    std::map<std::string, Configuration> used_; ///< by shape: the plan before
    std::map<RowKey, RowFacts> rows_;
};

} // namespace

double normalized_seconds(const TrialRecord& record, double reference) {
    return record.result.ratio > 0 && reference > 0 ? record.result.ratio * reference
                                                    : record.result.median;
}

tables::DeviceTable compose_table(std::span<const TrialRecord> records, const Composition& wanted) {
    return Composer(records, wanted).compose();
}

} // namespace libsgemm::tune
