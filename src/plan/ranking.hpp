// SPDX-License-Identifier: Apache-2.0
//
// What planning starts from, and what comes of it.
#pragma once

#include "catalog/kernel_catalog.hpp"
#include "plan/plan_value.hpp"
#include "sgemm/device.hpp"
#include "tables/device_table.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace libsgemm::planning {

/// What passes are planned with.
struct PassContext {
    const DeviceTraits& device;
    const tables::MachineModel& machine;
};

/// Everything planning depends on beside the problem; all of it outlives the call.
struct PlanningContext {
    const DeviceTraits& device;
    const tables::DeviceTable& table;
    const catalog::KernelCatalog& catalog;
    std::size_t max_workspace_bytes = static_cast<std::size_t>(-1);

    /// The least of that and what the device allocates at once.
    std::size_t workspace_limit() const {
        return std::min(max_workspace_bytes, static_cast<std::size_t>(device.max_allocation_bytes));
    }
    PassContext passes() const { return {device, table.machine}; }
};

/// Why a candidate does not become a plan.
struct Obstacle {
    std::string reason;
};

using BuildResult = std::variant<PlanValue, Obstacle>;

/// A candidate that cannot run, and why.
struct Rejection {
    std::string candidate;
    std::string reason;
};

/// What the planner found for a problem: plans by predicted time, best first.
struct Ranking {
    std::vector<PlanValue> plans;
    std::vector<Rejection> rejected;
    /// So many of the plans, from the first on, are equally what the caller asked for: by the
    /// splits that are named,
    /// if there are such plans. Timing decides among them alone.
    std::size_t as_asked = 0;
    bool first_by_timing = false; ///< the first plan is there because timing said so ...
    bool first_by_choice = false; ///< ... of exactly this problem
    /// Of a C that kernels may only write: the first plan is there because a better one would read
    /// it.
    bool first_by_access = false;
};

} // namespace libsgemm::planning
