// SPDX-License-Identifier: Apache-2.0
//
// sgemm-tune --explain and --dry-run: what is known, and what a run would do.
#include "measurement_files.hpp"
#include "plan/exact_choice.hpp"
#include "plan/planner.hpp"
#include "progress.hpp"
#include "support/text.hpp"
#include "tune/search/roofline.hpp"
#include "tune/worker/canonical.hpp"
#include "tune_command.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>

namespace libsgemm::tune {
namespace {

using support::format_seconds;

void print_plan(const planning::PlanValue& plan, double least) {
    std::cout << "  " << std::left << std::setw(10) << format_seconds(plan.predicted_seconds)
              << std::right << std::setw(5) << percent(least / plan.predicted_seconds) << "  "
              << plan.to_string() << '\n';
}

} // namespace

void explain(const std::string& name, const std::string& table_file, const DeviceTraits& device) {
    const tables::DeviceTable table = table_before(table_file, device);
    const Shape shape = judge::parse_shape_name(name);
    const auto problem = canonical_of(shape);
    const double least = least_seconds(shape, table, device);
    const auto ranking =
        planning::rank_plans(problem, {}, {device, table, catalog::kernel_catalog()});
    const planning::PlanValue& taken = ranking.plans.front();
    std::cout << judge::shape_name(shape) << " on " << device.name << ", by " << table.origin
              << "\nAt best the device needs " << format_seconds(least)
              << " for it (arithmetic, or reading A and B and writing C once).\n\nThe plan: "
              << taken.to_string() << '\n';
    const tables::Choice* choice = planning::find_exact_choice(problem, table);
    if (choice != nullptr && ranking.first_by_choice) {
        std::cout << "because it was the fastest that was measured for exactly this problem";
        if (choice->seconds > 0) {
            std::cout << ": " << format_seconds(choice->seconds) << ", "
                      << percent(least / choice->seconds) << " of what the device can do";
        }
        if (!choice->runner_up.empty()) {
            std::cout << "\nRunner-up: " << choice->runner_up << ", "
                      << format_seconds(choice->runner_up_seconds);
        }
        std::cout << "\n\nPlans that the table's rows offer besides, by predicted time:\n";
    } else if (choice != nullptr) {
        std::cout << "because the one that was measured (" << choice->plan.kernel
                  << ") cannot run here any more\n\nPlans by predicted time:\n";
    } else if (ranking.first_by_timing) {
        std::cout << "because it was the fastest when plans were timed for problems of its class"
                     "\n\nThe other plans by predicted time:\n";
    } else {
        std::cout << "because its predicted time is the least; nothing was measured for exactly "
                     "this problem\n\nPlans by predicted time, and what that is of what the device "
                     "can do:\n";
    }
    constexpr std::size_t most = 8;
    for (std::size_t i = ranking.first_by_timing ? 1 : 0; i < std::min(most, ranking.plans.size());
         ++i) {
        print_plan(ranking.plans[i], least);
    }
    if (ranking.plans.size() > most) {
        std::cout << "  and " << ranking.plans.size() - most << " more; sgemm-info --plan lists "
                  << "them with what was rejected and why\n";
    }
}

std::string time_warning(const TunerOptions& options, const tables::DeviceTable& base,
                         const DeviceTraits& device) {
    if (options.shapes.empty()) {
        return {};
    }
    const double least =
        least_tuning_seconds(options.shapes, base, device, catalog::kernel_catalog());
    std::string text =
        std::to_string(options.shapes.size()) +
        (options.shapes.size() == 1 ? " shape needs about " : " shapes need about ") +
        minutes(std::ceil(least)) + " minutes at least";
    if (least > options.budget_seconds) {
        text += ": more than the budget. The run would last longer than that, search nothing, and "
                "compare\nfewer plans with those before";
    }
    return text + ".\n";
}

void print_intentions(const TunerOptions& options, const tables::DeviceTable& base,
                      const DeviceTraits& device, const std::string& output,
                      const std::string& journal) {
    std::cout << "A run would tune " << device.name << " for " << minutes(options.budget_seconds)
              << " minutes, begin with the table " << base.origin << ",\nwrite " << output
              << "\nand keep its trials in " << journal << ".\n"
              << time_warning(options, base, device);
    if (options.shapes.empty()) {
        std::cout << "Two thirds of the time it would search kernels' parameters for classes of "
                     "shapes:\n ";
        const auto classes = options.classes.empty() ? default_classes(device) : options.classes;
        for (const ShapeClass& shape_class : classes) {
            std::cout << ' ' << shape_class.name << " (" << shape_class.shapes.size() << ')';
        }
        std::cout << "\nThen it would measure plans at many shapes and fit the models to them.\n";
        return;
    }
    std::cout << "For each shape it would try every family of kernels, search where there is room, "
                 "and keep the best\nplan as an exact choice. Predicted now:\n";
    for (const Shape& shape : options.shapes) {
        const auto ranking = planning::rank_plans(canonical_of(shape), {},
                                                  {device, base, catalog::kernel_catalog()});
        const planning::PlanValue& plan = ranking.plans.front();
        std::cout << "  " << std::left << std::setw(26) << judge::shape_name(shape) << std::right
                  << std::setw(5)
                  << percent(least_seconds(shape, base, device) / plan.predicted_seconds)
                  << " of what the device can do, by " << plan.kernel->name << '\n';
    }
}

} // namespace libsgemm::tune
