// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_catalog.hpp"
#include "plan/planner.hpp"
#include "problem/problem.hpp"
#include "support/fake_device.hpp"
#include "tables/device_table.hpp"

namespace libsgemm::planning {

/// What the built-in table of such a CPU chooses for a problem whose matrices start aligned.
inline PlanValue first_choice(const DeviceTraits& cpu, const Problem& given) {
    const tables::DeviceTable table = tables::built_in_table(cpu);
    auto problem = validate::check_problem(given).canonical;
    problem.a.offset_alignment = problem.b.offset_alignment = problem.c.offset_alignment = 64;
    return rank_plans(problem, {}, {cpu, table, catalog::kernel_catalog()}).plans.front();
}

/// The same for a tight NN problem.
inline PlanValue first_choice(const DeviceTraits& cpu, std::int64_t m, std::int64_t n,
                              std::int64_t k) {
    Problem given;
    given.m = m;
    given.n = n;
    given.k = k;
    return first_choice(cpu, given);
}

} // namespace libsgemm::planning
