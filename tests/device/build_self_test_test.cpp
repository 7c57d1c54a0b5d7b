// SPDX-License-Identifier: Apache-2.0
// The small product that builds which nobody vouches for are tried with, and timing, which takes
// only what was tried. Here with builds of any kind: those of one architecture are tried in the
// same way.
#include "catalog/kernel_catalog.hpp"
#include "compile/program_cache.hpp"
#include "execute/plan_clock.hpp"
#include "execute/small_product.hpp"
#include "execute/small_product_plan.hpp"
#include "first_use/first_use.hpp"
#include "plan/planner.hpp"
#include "problem/problem.hpp"
#include "sgemm/error.hpp"
#include "support/test_device.hpp"
#include "tables/choices.hpp"
#include "tables/device_table.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <vector>

namespace sgemm_test {
namespace {

using libsgemm::Transpose;
using libsgemm::compile::Programs;
using libsgemm::planning::PlanValue;
using libsgemm::validate::CanonicalProblem;

class BuildSelfTest : public DeviceTest {
protected:
    void SetUp() override {
        DeviceTest::SetUp();
        if (!IsSkipped() && !HasFatalFailure()) {
            traits_ = device().handle().traits;
            table_ = libsgemm::tables::built_in_table(traits_);
            context_ = libsgemm::device::ContextHandle::retained(device().context());
            programs_ = std::make_unique<libsgemm::compile::ProgramCache>(
                context_, device().handle().device, traits_, log_);
        }
    }
    libsgemm::execute::Runtime runtime() {
        return {context_, device().handle().device, traits_, *programs_, log_};
    }
    libsgemm::planning::PlanningContext planning() const {
        return {traits_, table_, libsgemm::catalog::kernel_catalog()};
    }
    libsgemm::planning::Ranking rank(const CanonicalProblem& problem,
                                     const libsgemm::ExpertPlanOptions& options = {}) const {
        return libsgemm::planning::rank_plans(problem, options, planning());
    }
    static CanonicalProblem make_problem(std::int64_t m, std::int64_t n, std::int64_t k,
                                         Transpose a = Transpose::no, Transpose b = Transpose::no) {
        libsgemm::Problem problem;
        problem.m = m;
        problem.n = n;
        problem.k = k;
        problem.transpose_a = a;
        problem.transpose_b = b;
        problem.ldc = m + 8;
        auto result = libsgemm::validate::check_problem(problem).canonical;
        result.a.offset_alignment = result.b.offset_alignment = result.c.offset_alignment = 16;
        return result;
    }
    /// The same with room behind the lines of A and B.
    static CanonicalProblem wide_of(CanonicalProblem problem) {
        problem.a.ld = problem.b.ld = 96;
        return problem;
    }
    Programs build(const PlanValue& plan) {
        Programs programs;
        for (const auto& step : plan.steps) {
            programs.push_back(programs_->get(step.build));
        }
        return programs;
    }
    std::string test(const CanonicalProblem& problem, const PlanValue& plan) {
        return libsgemm::execute::fault_of_small_product(runtime(), problem, plan, build(plan));
    }

    libsgemm::DeviceTraits traits_;
    libsgemm::tables::DeviceTable table_;
    libsgemm::support::Log log_ = libsgemm::support::make_log({});
    libsgemm::device::ContextHandle context_;
    std::unique_ptr<libsgemm::compile::ProgramCache> programs_;
};

TEST_F(BuildSelfTest, FindsWhatIsWrongAndNothingElse) {
    for (const Transpose a : {Transpose::no, Transpose::yes}) {
        for (const Transpose b : {Transpose::no, Transpose::yes}) {
            const CanonicalProblem problem = make_problem(70, 50, 40, a, b);
            EXPECT_EQ(test(problem, rank(problem).plans.front()), "");
            CanonicalProblem shallow = problem; // as if it left out the last step of k
            --shallow.k;
            EXPECT_NE(test(problem, rank(shallow).plans.front()).find("its self-test gave"),
                      std::string::npos);
            if (a == Transpose::no) { // what is read is there: lines of A are longer than m
                CanonicalProblem tall =
                    wide_of(problem); // as if it stored a row behind the last one
                ++tall.m;
                const std::string fault = test(wide_of(problem), rank(tall).plans.front());
                EXPECT_NE(fault.find("wrote behind column 0"), std::string::npos) << fault;
            }
        }
    }
}

TEST_F(BuildSelfTest, TriesWhatASchemeLeavesToStrict) {
    using Scheme = std::pair<const char*, libsgemm::Precision>;
    for (const auto& [kernel, precision] : {Scheme{"emulated_fp16", libsgemm::Precision::fp16x2},
                                            Scheme{"emulated_tf32", libsgemm::Precision::tf32x3},
                                            Scheme{"emulated_bf16", libsgemm::Precision::bf16x3}}) {
        CanonicalProblem problem = make_problem(70, 50, 300);
        problem.precision = precision;
        for (const int launches : {0, 1}) {
            libsgemm::ExpertPlanOptions options;
            options.kernel = kernel;
            options.split_k = 1;
            options.parameters = {
                {"units", 0}, {"tile_m", 32}, {"tile_n", 32}, {"strict_launches", launches}};
            PlanValue plan = rank(problem, options).plans.front();
            ASSERT_EQ(plan.precision, precision);
            EXPECT_EQ(test(problem, plan), "") << plan.to_string();
            if (launches == 1) { // as if it did nothing
                plan.steps.pop_back();
                EXPECT_NE(test(problem, plan).find("its self-test gave"), std::string::npos);
            }
        }
    }
}

TEST_F(BuildSelfTest, LaunchesTheVeryBuildOfAPlan) {
    libsgemm::ExpertPlanOptions tiled;
    tiled.kernel = "tiled";
    for (const libsgemm::EdgeStrategy edges :
         {libsgemm::EdgeStrategy::padding, libsgemm::EdgeStrategy::guarded,
          libsgemm::EdgeStrategy::pointer_shift, libsgemm::EdgeStrategy::extension}) {
        for (const int split_k : {1, 3}) {
            for (const Transpose a : {Transpose::no, Transpose::yes}) {
                tiled.edges = edges;
                tiled.split_k = split_k;
                const PlanValue plan =
                    rank(make_problem(513, 260, 333, a, Transpose::yes), tiled).plans.front();
                const auto launch =
                    std::find_if(plan.steps.begin(), plan.steps.end(), [](const auto& step) {
                        return step.kind == libsgemm::planning::PassKind::main_kernel;
                    });
                ASSERT_NE(launch, plan.steps.end());
                const auto small =
                    libsgemm::execute::plan_small_product(plan, launch->build, planning());
                ASSERT_TRUE(small.has_value()) << plan.to_string();
                EXPECT_TRUE(std::any_of(
                    small->plan.steps.begin(), small->plan.steps.end(),
                    [&](const auto& step) { return step.build.defines == launch->build.defines; }))
                    << plan.to_string();
                EXPECT_EQ(test(small->problem, small->plan), "") << plan.to_string();
            }
        }
    }
}

TEST_F(BuildSelfTest, TimingTakesOnlyWhatWasTriedAndOnlyWhatWasAskedFor) {
    const CanonicalProblem problem = make_problem(70, 50, 40);
    libsgemm::planning::Ranking ranking = rank(problem);
    ASSERT_GE(ranking.plans.size(), 3U);
    const std::string refused = ranking.plans.front().to_string();
    std::vector<std::string> tried;
    const auto compile = [&](const PlanValue& plan) {
        tried.push_back(plan.to_string());
        if (plan.to_string() == refused) {
            throw libsgemm::BuildError("planted", "its self-test gave something else");
        }
        return build(plan);
    };
    libsgemm::first_use::FirstUse timing(runtime(), compile, table_.choices, 2, {});
    timing.settle(problem, ranking);
    EXPECT_EQ(tried.size(), 3U) << "the one that is refused, and two to time";
    EXPECT_EQ(tried.front(), refused);
    EXPECT_TRUE(ranking.first_by_timing);
    EXPECT_NE(ranking.plans.front().to_string(), refused);

    libsgemm::planning::Ranking named =
        rank(problem); // as if only the first had the splits that are named
    named.as_asked = 1;
    tried.clear();
    libsgemm::first_use::FirstUse(runtime(), compile, table_.choices, 2, {}).settle(problem, named);
    EXPECT_EQ(tried.size(), 1U);
    EXPECT_EQ(named.plans.front().to_string(), refused);
}

TEST_F(BuildSelfTest, TuningPassesOverWhatCannotBeBuilt) {
    const CanonicalProblem problem = make_problem(70, 50, 40);
    const libsgemm::planning::Ranking ranking = rank(problem);
    const std::string refused = ranking.plans.front().to_string();
    const auto compile = [&](const PlanValue& plan) {
        if (plan.to_string() == refused) {
            throw libsgemm::OpenClError("clBuildProgram", CL_OUT_OF_HOST_MEMORY);
        }
        return build(plan);
    };
    libsgemm::first_use::FirstUse tuning(runtime(), compile, {}, 0, {});
    const auto tuned = tuning.tune(problem, ranking, 1e-9);
    ASSERT_TRUE(tuned);
    EXPECT_NE(tuned->plan, refused);
}

/// Which takes minutes where there are many problems.
TEST_F(BuildSelfTest, TimingAtFirstUseDoesNotWaitForTuning) {
    const CanonicalProblem problem = make_problem(70, 50, 40);
    const libsgemm::planning::Ranking ranking = rank(problem);
    std::atomic<bool> is_first = true;
    std::unique_ptr<libsgemm::first_use::FirstUse> timing;
    std::future<void> other; // waited for before that goes
    std::future_status status = std::future_status::deferred;
    const auto compile = [&](const PlanValue& plan) {
        if (is_first.exchange(false)) { // tune() is at work until this returns
            other = std::async(std::launch::async, [&] {
                auto plans = rank(problem);
                timing->settle(problem, plans);
            });
            status = other.wait_for(std::chrono::minutes(2));
        }
        return build(plan);
    };
    timing = std::make_unique<libsgemm::first_use::FirstUse>(
        runtime(), compile, std::vector<libsgemm::tables::Choice>{}, 2,
        libsgemm::tables::ChoiceFile{});
    EXPECT_TRUE(timing->tune(problem, ranking, 1e-9));
    EXPECT_EQ(status, std::future_status::ready);
}

TEST_F(BuildSelfTest, PlansAreTimedTwiceAtLeast) {
    const CanonicalProblem problem = make_problem(70, 50, 40);
    const libsgemm::planning::Ranking ranking = rank(problem);
    const PlanValue& plan = ranking.plans.front();
    const libsgemm::execute::Runtime used = runtime();
    libsgemm::execute::PlanClock clock(used, problem);
    const std::vector<libsgemm::execute::PlanClock::Ready> ready(2, {&plan, build(plan)});
    for (const auto& seconds : clock.time_in_turn(ready, [] { return true; })) {
        EXPECT_EQ(seconds.size(), 2U);
    }
    for (const auto& seconds : clock.time_in_turn(ready, [] { return false; })) {
        EXPECT_GT(seconds.size(), 2U);
    }
}

} // namespace
} // namespace sgemm_test
