// SPDX-License-Identifier: Apache-2.0
// Peeled plans: where C is cut, when they are offered, and what they consist of.
#include "plan/describe.hpp"
#include "plan/peel.hpp"
#include "unit/planner_fixture.hpp"

#include <algorithm>
#include <numeric>

namespace libsgemm::planning {
namespace {

using Kind = Argument::Kind;

class PeelPlan : public sgemm_test::PlannerTest {
protected:
    PeelPlan() { table_.rows.back().model.efficiency = 0.2; }

    /// With leading dimensions that the kernel for whole tiles (32 x 16 x 8) reads in place.
    static Problem spread(std::int64_t m, std::int64_t n, std::int64_t k) {
        Problem problem = native(m, n, k);
        problem.lda = (m + 15) / 16 * 16;
        problem.ldb = (n + 15) / 16 * 16;
        return problem;
    }
    static ExpertPlanOptions peel(Peeling wanted, const std::string& kernel = "") {
        ExpertPlanOptions options;
        options.kernel = kernel;
        options.peeling = wanted;
        return options;
    }
    static std::size_t peeled(const Ranking& ranking) {
        return static_cast<std::size_t>(std::ranges::count_if(
            ranking.plans, [](const PlanValue& plan) { return plan.variant.peeled; }));
    }
    static std::vector<std::string> kernels(const PlanValue& plan) {
        std::vector<std::string> names;
        for (const Step& step : plan.steps) {
            names.push_back(step.build.name);
        }
        return names;
    }
    static std::int64_t offset(const Step& step, Kind kind) {
        return std::ranges::find(step.arguments, kind, &Argument::kind)->value;
    }
};

using Names = std::vector<std::string>;

TEST_F(PeelPlan, CutsBehindTheLastWholeTile) {
    catalog::TileShape tile;
    tile.m = 64;
    tile.n = 32;
    const auto cut = [&](std::int64_t m, std::int64_t n, int least_tiles) {
        return cut_at(canonical(native(m, n, 1)), tile, least_tiles);
    };
    EXPECT_EQ(cut(129, 67, 8), (Cut{128, 64}));
    EXPECT_EQ(cut(136, 68, 8), (Cut{128, 64})); // an eighth of a tile, and more
    EXPECT_EQ(cut(137, 69, 8), (Cut{137, 69}));
    EXPECT_EQ(cut(137, 69, 1), (Cut{128, 64}));
    EXPECT_EQ(cut(64, 1, 1), (Cut{64, 1})); // no whole tile, or nothing else
    EXPECT_EQ(cut(63, 33, 1), (Cut{63, 32}));
}

TEST_F(PeelPlan, BlocksCoverEachElementOnce) {
    const auto problem = canonical(native(130, 67, 5));
    for (const Cut& cut : {Cut{128, 64}, Cut{130, 64}, Cut{128, 67}, Cut{130, 67}}) {
        std::vector<int> covered(130 * 67);
        std::vector<Block> blocks = strips_of(cut, problem);
        EXPECT_EQ(cuts(cut, problem), !blocks.empty());
        blocks.push_back({0, 0, cut.m, cut.n});
        for (const Block& block : blocks) {
            for (std::int64_t j = block.n0; j < block.n0 + block.n; ++j) {
                for (std::int64_t i = block.m0; i < block.m0 + block.m; ++i) {
                    ++covered[static_cast<std::size_t>(j * 130 + i)];
                }
            }
        }
        EXPECT_EQ(std::ranges::count(covered, 1), 130 * 67);
    }
}

TEST_F(PeelPlan, BlocksKnowTheAlignmentThatIsLeft) {
    Problem problem = native(130, 66, 5);
    problem.lda = 132;
    problem.transpose_b = Transpose::no;
    problem.ldb = 12;
    problem.ldc = 131;
    const auto below = problem_of({128, 0, 2, 66}, canonical(problem));
    EXPECT_EQ(below.a.offset_alignment, 64);
    EXPECT_EQ(below.b.offset_alignment, 64);
    const auto beside = problem_of({0, 65, 128, 1}, canonical(problem));
    EXPECT_EQ(beside.a.offset_alignment, 64);
    EXPECT_EQ(beside.b.offset_alignment, 4); // 65 columns of 12
    EXPECT_EQ(beside.c.offset_alignment, 1); // of 131
    EXPECT_EQ(beside.a.ld, 132);
    EXPECT_EQ(beside.m, 128);
    EXPECT_EQ(beside.n, 1);
    EXPECT_EQ(beside.k, 5);
}

TEST_F(PeelPlan, IsOfferedWhereLittleIsLeftOver) {
    const PlanValue plan = best(spread(2050, 1025, 2048));
    EXPECT_TRUE(plan.variant.peeled);
    EXPECT_EQ(plan.strategy, "peeled");
    EXPECT_EQ(plan.kernel->name, "whole");
    EXPECT_EQ(kernels(plan), (Names{"whole", "any", "any"}));
    EXPECT_EQ(plan.bound_terms, best(spread(2048, 1024, 2048)).bound_terms);
    EXPECT_EQ(plan.workspace_bytes, 0U);
    const std::string text = describe_steps(plan);
    EXPECT_NE(text.find("multiply 2x1025x2048, last rows by any;"), std::string::npos) << text;
    EXPECT_NE(text.find("multiply 2048x1x2048, last columns by any;"), std::string::npos) << text;
}

TEST_F(PeelPlan, CutsOneWayWhereTheOtherIsWholeOrFarOff) {
    EXPECT_EQ(kernels(best(spread(2049, 1024, 2048))), (Names{"whole", "any"}));
    EXPECT_EQ(kernels(best(spread(2048, 1025, 2048))), (Names{"whole", "any"}));
    // The columns would need copies then, which take the rows as well.
    EXPECT_EQ(peeled(rank(spread(2049, 1031, 2048))), 0U);
}

TEST_F(PeelPlan, IsPredictedAsTheSumOfItsBlocks) {
    const Problem whole = spread(2050, 1025, 2048);
    const auto block = [&](std::int64_t m, std::int64_t n, const std::string& kernel) {
        Problem part = whole;
        part.m = m;
        part.n = n;
        part.ldc = whole.m;
        return best(part, peel(Peeling::never, kernel)).predicted_seconds;
    };
    const PlanValue plan = best(whole);
    const double steps =
        std::accumulate(plan.steps.begin(), plan.steps.end(), 0.0,
                        [](double sum, const Step& step) { return sum + step.predicted_seconds; });
    EXPECT_DOUBLE_EQ(plan.predicted_seconds, steps);
    EXPECT_DOUBLE_EQ(plan.predicted_seconds,
                     block(2048, 1024, "whole") + block(2, 1025, "any") + block(2048, 1, "any"));
}

TEST_F(PeelPlan, IsNotOfferedWhereItCannotPay) {
    EXPECT_EQ(peeled(rank(spread(2048, 1024, 2048))), 0U) << "whole tiles";
    EXPECT_EQ(peeled(rank(spread(2053, 1027, 2048))), 0U) << "more than an eighth";
    EXPECT_EQ(peeled(rank(spread(65, 33, 8))), 0U) << "small";
    table_.rows.erase(table_.rows.begin());
    EXPECT_EQ(peeled(rank(spread(2049, 1025, 2048))), 0U) << "a kernel for any size";
}

TEST_F(PeelPlan, IsNotOfferedBesideOtherWishesUnlessAskedFor) {
    const Problem problem = spread(2050, 1025, 2048);
    EXPECT_GT(peeled(rank(problem)), 0U);
    EXPECT_EQ(peeled(rank(problem, peel(Peeling::never))), 0U);
    EXPECT_EQ(peeled(rank(problem, peel(Peeling::automatic, "whole"))), 0U);
    ExpertPlanOptions padded;
    padded.edges = EdgeStrategy::padding;
    EXPECT_EQ(peeled(rank(problem, padded)), 0U);
    Problem split = problem;
    split.precision = Precision::fp16x2;
    EXPECT_EQ(peeled(rank(split)), 0U);
    EXPECT_EQ(peeled(rank(split, peel(Peeling::always))), 0U);
    split.precision = Precision::emulated; // may be strict
    EXPECT_EQ(peeled(rank(split)), peeled(rank(problem)));
}

TEST_F(PeelPlan, AskedForItIsAllThereIsWhereSomethingIsLeftOver) {
    const Ranking some = rank(spread(65, 39, 9), peel(Peeling::always, "whole"));
    EXPECT_EQ(peeled(some), some.plans.size());
    EXPECT_EQ(some.plans.front().kernel->name, "whole");
    const Ranking none = rank(spread(64, 32, 9), peel(Peeling::always, "whole"));
    EXPECT_EQ(peeled(none), 0U);
    EXPECT_EQ(peeled(rank(spread(31, 15, 9), peel(Peeling::always, "whole"))), 0U)
        << "no whole tile";
    EXPECT_EQ(peeled(rank(spread(9, 9, 9), peel(Peeling::always, "any"))), 1U);
    const Ranking all = rank(spread(65, 39, 9), peel(Peeling::always));
    EXPECT_EQ(peeled(all), all.plans.size());
}

TEST_F(PeelPlan, StripsBeginWhereTheMainBlockEnds) {
    Problem problem = native(65, 33, 9); // A is m-major, B n-major
    const PlanValue plan = best(problem, peel(Peeling::always, "any"));
    ASSERT_EQ(plan.steps.size(), 3U);
    const Step& rows = plan.steps[1];
    EXPECT_EQ(offset(rows, Kind::offset_a), 64);
    EXPECT_EQ(offset(rows, Kind::offset_b), 0);
    EXPECT_EQ(offset(rows, Kind::offset_c), 64);
    const Step& columns = plan.steps[2];
    EXPECT_EQ(offset(columns, Kind::offset_a), 0);
    EXPECT_EQ(offset(columns, Kind::offset_b), 32);
    EXPECT_EQ(offset(columns, Kind::offset_c), 32 * 65);
    problem.transpose_a = Transpose::yes;
    problem.transpose_b = Transpose::no;
    const PlanValue transposed = best(problem, peel(Peeling::always, "any"));
    EXPECT_EQ(offset(transposed.steps[1], Kind::offset_a), 64 * 9);
    EXPECT_EQ(offset(transposed.steps[2], Kind::offset_b), 32 * 9);
}

/// They share the workspace, and the last step's event is the call's.
TEST_F(PeelPlan, BlocksFollowEachOther) {
    Problem problem = native(65, 33, 9); // copies of A and B, which whole tiles need
    const PlanValue plan = best(problem, peel(Peeling::always, "whole"));
    problem.m = 64;
    problem.n = 32;
    problem.lda = 65;
    problem.ldb = 33;
    problem.ldc = 65;
    const PlanValue main = best(problem, peel(Peeling::never, "whole"));
    EXPECT_GT(main.steps.size(), 1U);
    ASSERT_EQ(plan.steps.size(), main.steps.size() + 2);
    EXPECT_EQ(plan.workspace_bytes, main.workspace_bytes);
    for (std::size_t i = main.steps.size(); i < plan.steps.size(); ++i) {
        EXPECT_EQ(plan.steps[i].after, std::vector<int>{static_cast<int>(i) - 1});
    }
}

} // namespace
} // namespace libsgemm::planning
