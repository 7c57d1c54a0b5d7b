// SPDX-License-Identifier: Apache-2.0
#include "sgemm/plan.hpp"

#include "context/core.hpp"
#include "plan/describe.hpp"
#include "sgemm/error.hpp"

#include <utility>

namespace libsgemm {

Plan::Plan(std::shared_ptr<const detail::PlanState> state) noexcept : state_(std::move(state)) {}
Plan::Plan(const Plan&) noexcept = default;
Plan::Plan(Plan&&) noexcept = default;
Plan& Plan::operator=(const Plan&) noexcept = default;
Plan& Plan::operator=(Plan&&) noexcept = default;
Plan::~Plan() = default;

const detail::PlanState& Plan::state() const {
    if (state_ == nullptr) {
        throw ArgumentError("plan", "moved from", "must hold a plan");
    }
    return *state_;
}

std::string Plan::describe() const {
    return state().core->describe(*state().plan);
}

std::string Plan::summary() const {
    return planning::summarize(state().plan->value);
}

std::string Plan::kernel() const {
    const auto* kernel = state().plan->value.kernel;
    return kernel == nullptr ? std::string() : std::string(kernel->name);
}

std::map<std::string, int> Plan::parameters() const {
    const auto& parameters = state().plan->value.parameters;
    return {parameters.begin(), parameters.end()};
}

std::vector<std::string> Plan::passes() const {
    std::vector<std::string> names;
    for (const planning::Step& step : state().plan->value.steps) {
        names.push_back(step.build.name);
    }
    return names;
}

std::size_t Plan::workspace_bytes() const {
    return state().plan->value.workspace_bytes;
}

double Plan::predicted_seconds() const {
    return state().plan->value.predicted_seconds;
}

Precision Plan::precision() const {
    return state().plan->value.precision;
}

double Plan::bound_terms() const {
    return state().plan->value.bound_terms;
}

Event Plan::enqueue(cl_command_queue queue, float alpha, const Matrix& a, const Matrix& b,
                    float beta, const Matrix& c, const std::vector<cl_event>& wait_list,
                    Completion completion) const {
    return state().core->enqueue(*state().plan,
                                 {queue, alpha, beta, {a, b, c}, wait_list, completion});
}

} // namespace libsgemm
