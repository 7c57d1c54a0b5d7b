// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_catalog.hpp"
#include "plan/planner.hpp"
#include "problem/problem.hpp"
#include "support/fake_device.hpp"
#include "tables/device_table.hpp"

#include <gtest/gtest.h>

namespace libsgemm::planning {

/// An NVIDIA device of compute capability 9.0, by the table of the H200.
class H200PlanTest : public ::testing::Test {
protected:
    static validate::CanonicalProblem problem(std::int64_t m, std::int64_t n, std::int64_t k,
                                              Precision precision) {
        Problem given;
        given.m = m;
        given.n = n;
        given.k = k;
        given.precision = precision;
        auto result = validate::check_problem(given).canonical;
        result.a.offset_alignment = result.b.offset_alignment = result.c.offset_alignment = 64;
        return result;
    }
    Ranking rank(const validate::CanonicalProblem& given,
                 const ExpertPlanOptions& options = {}) const {
        return rank_plans(given, options, {device_, table_, catalog::kernel_catalog()});
    }
    PlanValue best(std::int64_t size, Precision precision) const {
        return rank(problem(size, size, size, precision)).plans.front();
    }

    DeviceTraits device_ = sgemm_test::fake_h200();
    tables::DeviceTable table_ = tables::built_in_table(device_);
};

} // namespace libsgemm::planning
