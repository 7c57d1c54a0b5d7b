// SPDX-License-Identifier: Apache-2.0
#include "context/compiled_plan.hpp"

#include "plan/describe.hpp"
#include "tables/device_table.hpp"

namespace libsgemm::detail {
namespace {

/// What a reader of a plan ought to know of the table; a line each.
std::string table_remarks(const planning::PlanningContext& context,
                          const std::string& table_complaint) {
    std::string text = table_complaint.empty() ? "" : table_complaint + "\n";
    for (const std::string& stale : tables::stale_rows(context.table, context.catalog)) {
        text += stale + "\n";
    }
    return text;
}

} // namespace

std::string describe(const CompiledPlan& plan, const planning::PlanningContext& context,
                     const std::string& table_complaint) {
    std::string text = planning::problem_text(plan.problem.canonical) + "\n" +
                       "device: " + context.device.name + ", table " + context.table.origin + "\n" +
                       table_remarks(context, table_complaint) +
                       "plan: " + planning::summarize(plan.value) + "\n";
    return text + planning::describe_steps(plan.value) + plan.explanation;
}

} // namespace libsgemm::detail
