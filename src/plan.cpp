// SPDX-License-Identifier: Apache-2.0
#include "sgemm/plan.hpp"

#include "core/core.hpp"
#include "plan/describe.hpp"

#include <utility>

namespace sgemm {

Plan::Plan(std::shared_ptr<const detail::PlanState> state) noexcept : state_(std::move(state)) {}
Plan::Plan(const Plan&) noexcept = default;
Plan::Plan(Plan&&) noexcept = default;
Plan& Plan::operator=(const Plan&) noexcept = default;
Plan& Plan::operator=(Plan&&) noexcept = default;
Plan::~Plan() = default;

std::string Plan::describe() const {
    return state_->core->describe(*state_->plan);
}

std::string Plan::summary() const {
    return planning::summarize(state_->plan->value);
}

std::string Plan::kernel() const {
    const auto* kernel = state_->plan->value.kernel;
    return kernel == nullptr ? std::string() : std::string(kernel->name);
}

std::map<std::string, int> Plan::parameters() const {
    const auto& parameters = state_->plan->value.parameters;
    return {parameters.begin(), parameters.end()};
}

std::vector<std::string> Plan::passes() const {
    std::vector<std::string> names;
    for (const planning::Step& step : state_->plan->value.steps) {
        names.push_back(step.build.name);
    }
    return names;
}

std::size_t Plan::workspace_bytes() const noexcept {
    return state_->plan->value.workspace_bytes;
}

double Plan::predicted_seconds() const noexcept {
    return state_->plan->value.predicted_seconds;
}

Precision Plan::precision() const noexcept {
    return state_->plan->value.precision;
}

double Plan::bound_terms() const noexcept {
    return state_->plan->value.bound_terms;
}

Event Plan::enqueue(cl_command_queue queue, float alpha, const Matrix& a, const Matrix& b,
                    float beta, const Matrix& c, const std::vector<cl_event>& wait_list,
                    Completion completion) const {
    return state_->core->enqueue(*state_->plan,
                                 {queue, alpha, beta, {a, b, c}, wait_list, completion});
}

} // namespace sgemm
