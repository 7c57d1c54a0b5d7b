// SPDX-License-Identifier: Apache-2.0
// What timing found out stands in a table and comes before what prediction says.
#include "catalog/kernel_catalog.hpp"
#include "plan/candidate.hpp"
#include "plan/check_options.hpp"
#include "plan/describe.hpp"
#include "plan/exact_choice.hpp"
#include "plan/family/families.hpp"
#include "sgemm/error.hpp"
#include "support/atomic_file.hpp"
#include "unit/planner_fixture.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <random>
#include <string>
#include <variant>

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

TEST_F(ExactChoiceTest, MayLeaveParametersOut) {
    const Problem problem = native(512, 512, 512);
    const Ranking offered = rank(problem);
    tables::Choice choice = deep_for(problem);
    choice.plan = offered.plans.front().key();
    ASSERT_EQ(choice.plan.kernel, "whole");
    choice.plan.parameters = {};
    table_.choices = {choice};
    const Ranking ranking = rank(problem);
    EXPECT_TRUE(ranking.first_by_choice);
    EXPECT_EQ(ranking.plans.size(), offered.plans.size()) << "the table's own plan, not one more";
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
    Variant guarded;
    guarded.edges = EdgeStrategy::guarded;
    const auto expect_refused = [&](const char* kernel, const Variant& variant) {
        table_.choices[0].plan = {kernel, {}, variant};
        expect_passed_over();
    };
    expect_refused("whole", {.split_k = 4}); // not this kernel
    expect_refused("whole", {.parts = {0, 1, 1}});
    expect_refused("whole", {.fused_reduction = true});
    expect_refused("whole", {.pack_a = true});
    expect_refused("whole", guarded); // it checks no bounds
    expect_refused("any", {});        // it does, always
    guarded.parts = {1, 1, 0};
    expect_refused("any", guarded);
    table_.choices[0].plan = {"any", {}, {.edges = EdgeStrategy::guarded}};
    EXPECT_TRUE(rank(problem).first_by_choice);
}

/// Whatever a file says: what is built is what the kernel takes.
class AnyVariantTest : public ::testing::Test {
protected:
    template <std::size_t Count>
    int one_of(const std::array<int, Count>& values) {
        return values.at(random_() % Count);
    }
    bool rarely() { return random_() % 5 == 0; }
    Variant any_variant() {
        static constexpr std::array edges{EdgeStrategy::automatic,     EdgeStrategy::none,
                                          EdgeStrategy::padding,       EdgeStrategy::guarded,
                                          EdgeStrategy::pointer_shift, EdgeStrategy::extension};
        static constexpr std::array parts{1, 1, 1, 1, 0, 2, 3, 64};
        Variant variant;
        variant.edges = edges.at(random_() % edges.size());
        variant.split_k = one_of(std::array{1, 1, 0, 2, 3, 1024});
        if (rarely()) {
            variant.pre_passes = PrePassStyle::separate;
        }
        if (rarely()) {
            variant.parts = {one_of(parts), one_of(parts), one_of(parts)};
        } else if (rarely()) {
            variant.parts = {0, 0, 0};
        }
        for (const catalog::VariantFlag& flag : catalog::variant_flags) {
            variant.*flag.value = rarely();
        }
        return variant;
    }
    validate::CanonicalProblem any_problem() {
        static constexpr std::array extents{1, 2, 3, 7, 16, 17, 64, 100, 128, 257, 1000, 3000};
        Problem problem;
        problem.m = one_of(extents);
        problem.n = one_of(extents);
        problem.k = one_of(extents);
        problem.transpose_a = random_() % 2 == 0 ? Transpose::yes : Transpose::no;
        problem.transpose_b = random_() % 2 == 0 ? Transpose::yes : Transpose::no;
        auto canonical = validate::check_problem(problem).canonical;
        for (auto* operand : {&canonical.a, &canonical.b, &canonical.c}) {
            operand->offset_alignment = one_of(std::array{1, 2, 4, 64});
        }
        return canonical;
    }
    static void expect_sound(const PlanValue& plan, const validate::CanonicalProblem& problem) {
        const catalog::KernelEntry& kernel = *plan.kernel;
        const Variant& variant = plan.variant;
        EXPECT_TRUE(catalog::takes(kernel, variant.edges));
        EXPECT_GE(variant.split_k, 1);
        EXPECT_TRUE(variant.split_k == 1 || kernel.split_k != catalog::SplitK::none);
        EXPECT_FALSE(variant.fused_reduction && variant.split_k == 1);
        const catalog::TileShape tile = kernel.tile(plan.parameters);
        for (const Step& step : plan.steps) {
            for (std::size_t i = 0; i < step.range.global.size(); ++i) {
                EXPECT_GT(step.range.global.at(i), 0U);
                EXPECT_EQ(step.range.global.at(i) % step.range.local.at(i), 0U);
            }
            if (step.kind != PassKind::main_kernel) {
                continue;
            }
            const bool sums = std::ranges::any_of(step.build.defines, [](const auto& define) {
                return define.first == "SUM_IN_LAUNCH" && define.second == "1";
            });
            const auto counters =
                std::ranges::count(step.arguments, Argument::Kind::counters, &Argument::kind);
            EXPECT_EQ(counters, sums ? 1 : 0);
            EXPECT_EQ(plan.counts, sums);
            if (kernel.edges == catalog::Edges::whole_tiles) {
                EXPECT_EQ(step.arguments.at(0).value % tile.m, 0);
                EXPECT_EQ(step.arguments.at(1).value % tile.n, 0);
                EXPECT_EQ(step.arguments.at(2).value % tile.k, 0);
            }
        }
        if (catalog::is_of<catalog::Packed>(kernel) &&
            std::get<catalog::Packed>(kernel.family).a_by_choice && !variant.pack_a) {
            EXPECT_TRUE(catalog::accepts(kernel.a, problem.a.major));
        }
    }

    std::mt19937 random_{1}; // NOLINT(cert-msc32-c,cert-msc51-cpp): the same each time
};

TEST_F(AnyVariantTest, IsRefusedOrSound) {
    constexpr int variants_per_kernel = 400;
    std::size_t built = 0;
    for (const DeviceTraits& device :
         {sgemm_test::fake_h200(), sgemm_test::fake_cpu_with_512_bits("amd")}) {
        const tables::DeviceTable table = tables::built_in_table(device);
        const PlanningContext context{device, table, catalog::kernel_catalog()};
        for (const catalog::KernelEntry& kernel : catalog::kernel_catalog().entries()) {
            for (int i = 0; i < variants_per_kernel; ++i) {
                const auto problem = any_problem();
                const catalog::PlanKey key{std::string(kernel.name), {}, any_variant()};
                const BuildResult result = build_named(key, problem, context);
                if (const auto* plan = std::get_if<PlanValue>(&result)) {
                    SCOPED_TRACE(plan->to_string());
                    expect_sound(*plan, problem);
                    ++built;
                }
            }
        }
    }
    EXPECT_GT(built, 100U);
}

/// What the planner lists and what the tuner measures beside that is not refused.
TEST_F(AnyVariantTest, IsTakenWhereTheFamilyBuildsIt) {
    constexpr int problems = 40;
    std::size_t built = 0;
    for (const DeviceTraits& device :
         {sgemm_test::fake_h200(), sgemm_test::fake_cpu_with_512_bits("amd")}) {
        const tables::DeviceTable table = tables::built_in_table(device);
        const PlanningContext context{device, table, catalog::kernel_catalog()};
        for (int i = 0; i < problems; ++i) {
            const auto problem = any_problem();
            const auto expect_built = [&](const catalog::PlanKey& key, const std::string& text) {
                const BuildResult again = build_named(key, problem, context);
                const auto* obstacle = std::get_if<Obstacle>(&again);
                EXPECT_EQ(obstacle, nullptr) << text << ": " << obstacle->reason;
                ++built;
            };
            for (const PlanValue& plan : rank_plans(problem, {}, context).plans) {
                if (!plan.variant.peeled) {
                    expect_built(plan.key(), plan.to_string());
                }
            }
            for (const catalog::KernelEntry& kernel : catalog::kernel_catalog().entries()) {
                Candidate candidate;
                candidate.kernel = &kernel;
                candidate.parameters = kernel.defaults();
                if (!catalog::obstacles(kernel, candidate.parameters, device).empty()) {
                    continue;
                }
                for (const Variant& variant : planner_of(kernel).tuned_variants(
                         kernel, candidate.parameters, problem, device)) {
                    candidate.variant = variant;
                    if (std::holds_alternative<PlanValue>(
                            build_plan({problem, candidate, {}, context}))) {
                        expect_built({std::string(kernel.name), candidate.parameters, variant},
                                     candidate.to_string());
                    }
                }
            }
        }
    }
    EXPECT_GT(built, 100U);
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
