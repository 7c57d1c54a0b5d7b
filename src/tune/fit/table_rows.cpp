// SPDX-License-Identifier: Apache-2.0
#include "tune/fit/table_rows.hpp"

#include "tune/fit/measure.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace libsgemm::tune {

catalog::Parameters complete_parameters(const tables::TableRow& row,
                                        const catalog::KernelCatalog& catalog) {
    const catalog::KernelEntry* kernel = catalog.find(row.kernel);
    return kernel == nullptr ? row.parameters : kernel->completed(row.parameters);
}

tables::DeviceTable with_rows_of(tables::DeviceTable table, const tables::DeviceTable& other) {
    const auto parameters = [](const tables::TableRow& row) {
        return complete_parameters(row, catalog::kernel_catalog());
    };
    for (const tables::TableRow& row : other.rows) {
        const bool is_known = std::ranges::any_of(table.rows, [&](const tables::TableRow& known) {
            return known.kernel == row.kernel && parameters(known) == parameters(row);
        });
        if (!is_known) {
            table.rows.push_back(row);
        }
    }
    return table;
}

namespace {

/// The planner's choice at each of a measurement run's shapes.
std::vector<planning::PlanValue> choices(const tables::DeviceTable& table,
                                         const MeasurementRun& run, const DeviceTraits& device) {
    std::vector<planning::PlanValue> plans;
    for (const ShapeTimes& shape : run.shapes) {
        auto ranking = rank_shape(judge::parse_shape_name(shape.shape), table, device);
        plans.push_back(std::move(ranking.plans.front()));
    }
    return plans;
}

bool are_alike(const std::vector<planning::PlanValue>& plans,
               const std::vector<planning::PlanValue>& others) {
    return std::ranges::equal(plans, others, [](const auto& plan, const auto& other) {
        return plan.key() == other.key() && plan.predicted_seconds == other.predicted_seconds;
    });
}

} // namespace

tables::DeviceTable without_idle_rows(const tables::DeviceTable& table, std::size_t first,
                                      const MeasurementRun& run, const DeviceTraits& device) {
    const auto before = choices(table, run, device);
    std::set<std::size_t> kept;
    std::set<std::string> kernels;
    const auto keep = [&](std::size_t row) {
        kept.insert(row);
        kernels.insert(table.rows[row].kernel);
    };
    for (const planning::PlanValue& plan : before) {
        if (plan.row >= 0) {
            keep(static_cast<std::size_t>(plan.row));
        }
    }
    for (std::size_t row = 0; row < std::min(first, table.rows.size()); ++row) {
        keep(row);
    }
    // A kernel without any row would be planned by guesses.
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        if (!kernels.contains(table.rows[row].kernel)) {
            keep(row);
        }
    }
    tables::DeviceTable fewer = table;
    fewer.rows.clear();
    for (const std::size_t row : kept) {
        fewer.rows.push_back(table.rows[row]);
    }
    // What is left over whole tiles may be computed by rows of its own, which a plan does not name.
    return are_alike(before, choices(fewer, run, device)) ? fewer : table;
}

} // namespace libsgemm::tune
