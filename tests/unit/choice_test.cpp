// SPDX-License-Identifier: Apache-2.0
// What timing found out stands in a table and comes before what prediction says.
#include "plan/check_options.hpp"
#include "plan/describe.hpp"
#include "plan/exact_choice.hpp"
#include "sgemm/error.hpp"
#include "support/atomic_file.hpp"
#include "unit/planner_fixture.hpp"

#include <algorithm>

namespace libsgemm::planning {
namespace {

class ChoiceTest : public sgemm_test::PlannerTest {
protected:
    tables::Choice any_for(const Problem& problem) const {
        return {problem_class(canonical(problem)), {"any", {}, {.edges = EdgeStrategy::guarded}}};
    }
};

TEST_F(ChoiceTest, ProblemsThatAreAlikeShareAClass) {
    const std::string base = problem_class(canonical(native(1000, 1000, 1000)));
    EXPECT_EQ(problem_class(canonical(native(1040, 960, 1100))), base);
    EXPECT_NE(problem_class(canonical(native(2000, 1000, 1000))), base);
    EXPECT_NE(problem_class(canonical(native(1001, 1000, 1000))), base) << "narrower loads";
    EXPECT_NE(problem_class(canonical(native(1024, 1024, 1024))), base) << "whole tiles";
    Problem transposed = native(1000, 1000, 1000);
    transposed.transpose_a = Transpose::yes;
    EXPECT_NE(problem_class(canonical(transposed)), base);
    Problem batched = native(1000, 1000, 1000);
    batched.batch_count = 8;
    EXPECT_NE(problem_class(canonical(batched)), base);
}

TEST_F(ChoiceTest, ComesFirstWhereTheOptionsAreOpen) {
    const Problem problem = native(512, 512, 512);
    EXPECT_EQ(best(problem).kernel->name, "whole");
    table_.choices.push_back(any_for(problem));
    const Ranking ranking = rank(problem);
    EXPECT_EQ(ranking.plans.front().kernel->name, "any");
    EXPECT_EQ(ranking.plans.size(), 2U) << "the others are still there to fall back on";
    EXPECT_NE(describe_ranking(ranking).find("the first one by timing"), std::string::npos);
    ExpertPlanOptions forced;
    forced.kernel = "whole";
    EXPECT_EQ(best(problem, forced).kernel->name, "whole");
    EXPECT_EQ(best(native(2048, 512, 512)).kernel->name, "whole") << "another class";
}

/// Whoever asks for other pre-passes does not take what was found with the usual ones, nor the
/// reverse.
TEST_F(ChoiceTest, IsOfOneStyleOfPrePasses) {
    ExpertPlanOptions apart;
    EXPECT_TRUE(is_open(apart));
    apart.pre_passes = PrePassStyle::separate;
    EXPECT_FALSE(is_open(apart));
    const Problem problem = native(500, 500, 500); // a kernel for whole tiles has it padded
    Ranking usual = rank(problem);
    Ranking other = rank(problem, apart);
    const auto key_of_padded = [](const Ranking& ranking) {
        const auto padded = std::ranges::find(ranking.plans, "padding", &PlanValue::strategy);
        return padded == ranking.plans.end() ? catalog::PlanKey() : padded->key();
    };
    EXPECT_EQ(key_of_padded(usual).kernel, "whole");
    EXPECT_FALSE(put_first(usual, key_of_padded(other)));
    EXPECT_FALSE(put_first(other, key_of_padded(usual)));
    EXPECT_TRUE(put_first(other, key_of_padded(other)));
    table_.choices.push_back({problem_class(canonical(problem)), key_of_padded(usual)});
    EXPECT_TRUE(rank(problem).first_by_timing);
    EXPECT_FALSE(rank(problem, apart).first_by_timing);
}

TEST_F(ChoiceTest, APlanThatIsNotOfferedAnyMoreIsPassedOver) {
    const Problem problem = native(512, 512, 512);
    table_.choices.push_back({problem_class(canonical(problem)), {"a kernel of old"}});
    EXPECT_EQ(best(problem).kernel->name, "whole");
}

/// What the tuner found for one problem is for this one, with these leading dimensions and as
/// aligned as it was.
class ExactChoiceTest : public ChoiceTest {
protected:
    /// The table's rows have other parameters: models and rows may change, the choice stays.
    tables::Choice deep_for(const Problem& problem) const {
        tables::Choice choice;
        choice.problem = exact_problem(canonical(problem));
        choice.plan = {"whole", catalog::Parameters({{"tile_k", 16}}), {}};
        choice.seconds = 1e-3;
        return choice;
    }
};

TEST_F(ExactChoiceTest, ComesFirstAtItsProblemAlone) {
    const Problem problem = native(512, 512, 512);
    const std::size_t plans = rank(problem).plans.size();
    table_.choices = {any_for(problem), deep_for(problem)};
    const Ranking ranking = rank(problem);
    EXPECT_EQ(ranking.plans.front().parameters["tile_k"], 16);
    EXPECT_DOUBLE_EQ(ranking.plans.front().predicted_seconds, 1e-3) << "as measured";
    EXPECT_TRUE(ranking.first_by_choice);
    EXPECT_EQ(ranking.plans.size(), plans + 1) << "the others are still there to fall back on";
    EXPECT_EQ(ranking.as_asked, plans + 1);
    EXPECT_EQ(best(native(512, 512, 520)).kernel->name, "any") << "the class's";
    Problem spaced = problem;
    spaced.lda = 516;
    EXPECT_FALSE(rank(spaced).first_by_choice);
    ExpertPlanOptions forced;
    forced.kernel = "any";
    EXPECT_EQ(best(problem, forced).kernel->name, "any");
}

TEST_F(ExactChoiceTest, IsOfOneAlignment) {
    const Problem problem = native(512, 512, 512);
    table_.choices = {deep_for(problem)};
    auto shifted = canonical(problem);
    shifted.a.offset_alignment = 2;
    EXPECT_FALSE(rank_plans(shifted, {}, context()).first_by_choice);
    shifted.a.offset_alignment = 16; // wider loads there are none
    EXPECT_TRUE(rank_plans(shifted, {}, context()).first_by_choice);
}

TEST_F(ExactChoiceTest, KeptForPlainProblemsAlone) {
    auto problem = canonical(native(64, 64, 64));
    EXPECT_TRUE(exact_problem(problem));
    problem.batch = 2;
    EXPECT_FALSE(exact_problem(problem));
    problem.batch = 1;
    problem.c_is_write_only = true;
    EXPECT_FALSE(exact_problem(problem));
    problem.c_is_write_only = false;
    problem.precision = Precision::emulated;
    EXPECT_FALSE(exact_problem(problem));
}

TEST_F(ExactChoiceTest, GivesWayWhereItCannotRun) {
    const Problem problem = native(512, 512, 512);
    const std::string before = best(problem).to_string();
    tables::Choice choice = deep_for(problem);
    const auto expect_passed_over = [&] {
        const Ranking ranking = rank(problem);
        EXPECT_FALSE(ranking.first_by_choice);
        EXPECT_EQ(ranking.plans.front().to_string(), before);
    };
    table_.choices = {choice};
    table_.disabled = {{"whole", choice.plan.parameters, "wrong on this machine"}};
    expect_passed_over();
    table_.disabled.clear();
    table_.choices[0].plan.parameters.set("tile_k", 15); // breaks a rule
    expect_passed_over();
    table_.choices[0].plan.kernel = "a kernel of old";
    expect_passed_over();
    table_.choices[0].plan = {"whole", {}, {.split_k = 4}}; // not this kernel
    expect_passed_over();
}

TEST_F(ChoiceTest, AFileThatCannotBeReplacedStaysAndIsNamed) {
    try {
        support::replace_file("/dev/null/table.toml", "text");
        FAIL() << "no error";
    } catch (const ConfigurationError& error) {
        EXPECT_NE(std::string(error.what()).find("/dev/null/table.toml"), std::string::npos);
    }
}

TEST_F(ChoiceTest, RowsOfAnotherClockKeepTheirCycles) {
    const auto fixed_time = [](std::int64_t clock) {
        DeviceTraits device = sgemm_test::fake_device();
        device.vendor_key = "nvidia";
        device.clock_mhz = clock;
        double sum = 0;
        for (const tables::TableRow& row : tables::built_in_table(device).rows) {
            sum += row.model.group_seconds;
        }
        return sum;
    };
    EXPECT_GT(fixed_time(1000), 0);
    EXPECT_NEAR(fixed_time(1000) / fixed_time(2000), 2, 1e-9);
}

} // namespace
} // namespace libsgemm::planning
