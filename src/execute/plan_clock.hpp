// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "execute/runtime.hpp"
#include "execute/workspace_pool.hpp"
#include "plan/plan_value.hpp"
#include "problem/canonical_problem.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace libsgemm::execute {

/// Runs plans on a queue and on memory of its own, with beta = 0. For one thread.
class PlanClock {
public:
    /// Throws OpenClError, also where the device has no room for operands of this problem.
    PlanClock(const Runtime& runtime, const validate::CanonicalProblem& problem);

    /// A plan with its programs.
    struct Ready {
        const planning::PlanValue* plan = nullptr;
        compile::Programs programs;
    };
    /// Seconds of device time of one run, passes included. Throws OpenClError.
    double run(const Ready& ready);
    /// Seconds of several runs of each, one after the other, so that a change of clock meets all of
    /// them; no more than two of each once `is_enough` says so. Throws OpenClError.
    std::vector<std::vector<double>> time_in_turn(const std::vector<Ready>& ready,
                                                  const std::function<bool()>& is_enough = {});

private:
    device::BufferHandle make_operand(std::int64_t elements) const;

    const Runtime& runtime_;
    device::QueueHandle queue_;
    execute::WorkspacePool pool_;
    device::BufferHandle a_, b_, c_;
};

} // namespace libsgemm::execute
