// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_catalog.hpp"
#include "plan/planner.hpp"
#include "support/fake_device.hpp"
#include "tables/device_table.hpp"
#include "validate/problem.hpp"

namespace sgemm::planning {

/// What the built-in table of such a CPU chooses for an aligned NN problem.
inline PlanValue first_choice(const DeviceTraits& cpu, std::int64_t m, std::int64_t n,
                              std::int64_t k) {
    const tables::DeviceTable table = tables::built_in_table(cpu);
    Problem given;
    given.m = m;
    given.n = n;
    given.k = k;
    auto problem = validate::check_problem(given).canonical;
    problem.a.offset_alignment = problem.b.offset_alignment = problem.c.offset_alignment = 64;
    return rank_plans(problem, {}, {cpu, table, catalog::kernel_catalog()}).plans.front();
}

} // namespace sgemm::planning
