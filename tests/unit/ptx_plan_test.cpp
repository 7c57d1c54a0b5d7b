// SPDX-License-Identifier: Apache-2.0
// What plans build and launch fits what PTX kernels declare, for problems of any size and form.
#include "catalog/sources.hpp"
#include "compile/ptx/source.hpp"
#include "plan/planner.hpp"
#include "problem/problem.hpp"
#include "support/fake_device.hpp"
#include "support/kernel_variants.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>

namespace libsgemm::planning {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++found;
    }
    return found;
}

class PtxPlans : public ::testing::TestWithParam<std::size_t> {
protected:
    catalog::KernelEntry entry() const { return catalog::ptx_entries()[GetParam()]; }

    PlanValue plan_of(const Problem& problem, const catalog::Parameters& parameters) const {
        auto canonical = validate::check_problem(problem).canonical;
        canonical.a.offset_alignment = canonical.b.offset_alignment = 1;
        canonical.c.offset_alignment = 1;
        return rank_plans(canonical, sgemm_test::forced(entry(), parameters),
                          {sgemm_test::fake_nvidia_device(), table_, catalog::kernel_catalog()})
            .plans.front();
    }

private:
    tables::DeviceTable table_; // no rows
};

TEST_P(PtxPlans, MainStepsAreWhatTheSourceDeclares) {
    for (const auto& parameters :
         {entry().defaults(),
          sgemm_test::small_parameters(entry(), sgemm_test::fake_nvidia_device())}) {
        for (const sgemm_test::Form& form : sgemm_test::all_forms()) {
            Problem problem;
            problem.m = 1001;
            problem.n = 77;
            problem.k = 13;
            problem.layout = form.layout;
            problem.transpose_a = form.a;
            problem.transpose_b = form.b;
            problem.batch_count = 3;
            const PlanValue plan = plan_of(problem, parameters);
            const auto main = std::ranges::find(plan.steps, PassKind::main_kernel, &Step::kind);
            ASSERT_NE(main, plan.steps.end());
            const std::string text = compile::expand_ptx(
                catalog::find_source(main->build.source)->text, main->build.defines);
            const auto& local = main->range.local;
            EXPECT_NE(text.find(".reqntid " + std::to_string(local[0]) + ", " +
                                std::to_string(local[1]) + ", 1\n"),
                      std::string::npos)
                << plan.to_string();
            EXPECT_EQ(count(text, ".param ."), 4U); // numbers, A, B, C
            EXPECT_EQ(main->range.global[2], 3U);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Kernels, PtxPlans,
                         ::testing::Range(std::size_t{0}, catalog::ptx_entries().size()),
                         [](const auto& test) {
                             return std::string(catalog::ptx_entries()[test.param].name);
                         });

} // namespace
} // namespace libsgemm::planning
