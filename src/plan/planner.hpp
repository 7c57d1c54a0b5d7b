// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_catalog.hpp"
#include "plan/plan_value.hpp"
#include "sgemm/device.hpp"
#include "sgemm/plan.hpp"
#include "tables/device_table.hpp"
#include "validate/canonical_problem.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace libsgemm::planning {

/// A candidate that cannot run, and why.
struct Rejection {
    std::string candidate;
    std::string reason;
};

/// What the planner found for a problem: plans by predicted time, best first.
struct Ranking {
    std::vector<PlanValue> plans;
    std::vector<Rejection> rejected;
    /// So many of the plans, from the first on, are equally what the caller asked for: by the scheme that is named,
    /// if there are such plans. Timing decides among them alone.
    std::size_t as_asked = 0;
    bool first_by_timing = false; ///< the first plan is there because timing said so
    /// Of a C that kernels may only write: the first plan is there because a better one would read it.
    bool first_by_access = false;
};

/// Everything planning depends on beside the problem; all of it outlives the call.
struct PlanningContext {
    const DeviceTraits& device;
    const tables::DeviceTable& table;
    const catalog::KernelCatalog& catalog;
    std::size_t max_workspace_bytes = static_cast<std::size_t>(-1);

    /// The least of that and what the device allocates at once.
    std::size_t workspace_limit() const;
};

/// Ranks all candidates that the options allow: the table's rows, and the naive kernel in any case.
/// Where the options leave everything open, the table's choice for the problem's class comes first.
/// Pure: no OpenCL calls, equal arguments give equal results. `problem` has m, n, k, batch > 0.
///
/// Throws ArgumentError for a kernel or parameter name that does not exist, UnsupportedError if
/// nothing that the options allow can run.
Ranking rank_plans(const validate::CanonicalProblem& problem, const PlanOptions& options,
                   const PlanningContext& context);

/// Whether launches add to what others have written to C, so that it is read although beta is zero: a driver need not
/// bring to a launch what it may only write. (What a launch has itself written it may find there, as `packed` does.)
bool adds_to_c(const PlanValue& plan);

/// Whether options leave everything that matters to the planner.
bool is_open(const PlanOptions& options);

/// Problems that are alike enough to share what timing says of one of them: equal forms, sizes equal
/// to about 20 %, loads of the same width, whole tiles or not.
std::string problem_class(const validate::CanonicalProblem& problem);

/// Brings the plan of that variant to the front; false where it is not among those that are as asked.
bool put_first(Ranking& ranking, const std::string& variant);

/// The only plan where nothing is multiplied (alpha or k is zero): C = beta * C.
PlanValue scale_plan(const validate::CanonicalProblem& problem, const PlanningContext& context);

} // namespace libsgemm::planning
