// SPDX-License-Identifier: Apache-2.0
#include "support/test_device.hpp"
#include "tune/worker/trial_runner.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace sgemm_test {
namespace {

using namespace libsgemm::tune;
using libsgemm::EdgeStrategy;
using libsgemm::judge::make_shape;

class TrialRunnerTest : public DeviceTest {
protected:
    static Configuration small_tiled() {
        const auto* kernel = libsgemm::catalog::kernel_catalog().find("tiled");
        Configuration configuration{"tiled", kernel->defaults(), {}};
        for (const auto& [name, value] : {std::pair{"tile_m", 16},
                                          {"tile_n", 16},
                                          {"work_per_item_m", 4},
                                          {"work_per_item_n", 4},
                                          {"prefetch", 0}}) {
            configuration.parameters.set(name, value);
        }
        return configuration;
    }
    static Configuration naive() {
        const auto& kernel = libsgemm::catalog::kernel_catalog().naive();
        return {std::string(kernel.name), kernel.defaults(), {.edges = EdgeStrategy::guarded}};
    }
    static Effort short_effort() {
        Effort effort;
        effort.seconds = 0.05;
        effort.least_samples = 3;
        effort.most_samples = 5;
        return effort;
    }
};

TEST_F(TrialRunnerTest, MeasuresACandidateInTurnWithAReference) {
    TrialRunner runner(device().handle());
    std::vector<Stage> stages;
    const TrialResult result =
        runner.run({small_tiled(), make_shape("NT", 64, 64, 64), naive(), short_effort()},
                   [&](Stage stage) { stages.push_back(stage); });
    ASSERT_TRUE(result.ok()) << result.message;
    EXPECT_EQ(stages.front(), Stage::building);
    EXPECT_EQ(stages.back(), Stage::running);
    EXPECT_EQ(std::count(stages.begin(), stages.end(), Stage::building), 2); // one the reference's
    EXPECT_GE(result.samples.size(), 2U);
    EXPECT_GT(result.median, 0);
    EXPECT_GT(result.reference_median, 0);
    EXPECT_GT(result.ratio, 0);
    EXPECT_GT(result.wall_median, 0);
    EXPECT_GT(result.compile_seconds, 0);
    EXPECT_LE(result.max_error, 1);
    ASSERT_EQ(result.steps.size(), 1U);
    EXPECT_TRUE(result.steps[0].is_main);
    EXPECT_FALSE(result.a_k_major);
    EXPECT_FALSE(result.b_k_major);
}

TEST_F(TrialRunnerTest, TimesEveryPass) {
    TrialRunner runner(device().handle());
    Configuration padded = small_tiled();
    const TrialResult with_passes =
        runner.run({padded, make_shape("TN", 70, 50, 65), std::nullopt, short_effort()});
    ASSERT_TRUE(with_passes.ok()) << with_passes.message;
    EXPECT_EQ(with_passes.steps.size(), 4U); // A, B, the product, C
    EXPECT_TRUE(with_passes.a_k_major ||
                with_passes.steps[0].kernel.find("transpose") != std::string::npos);

    Configuration split = small_tiled();
    split.variant.edges = EdgeStrategy::guarded;
    split.variant.narrow_a = split.variant.narrow_b = true;
    split.variant.split_k = 2;
    const TrialResult result =
        runner.run({split, make_shape("TN", 70, 50, 65), std::nullopt, short_effort()});
    ASSERT_TRUE(result.ok()) << result.message;
    ASSERT_EQ(result.steps.size(), 2U);
    EXPECT_TRUE(result.a_k_major);
    EXPECT_TRUE(result.b_k_major);
}

TEST_F(TrialRunnerTest, SaysWhatExcludesAConfiguration) {
    TrialRunner runner(device().handle());
    Configuration bad = small_tiled();
    bad.parameters.set("work_per_item_m", 3);
    const TrialResult rule =
        runner.run({bad, make_shape("NN", 64, 64, 64), std::nullopt, short_effort()});
    EXPECT_EQ(rule.verdict, Verdict::constraint);
    EXPECT_NE(rule.message.find("work_per_item_m"), std::string::npos);

    Configuration shifted = small_tiled();
    shifted.variant.edges = EdgeStrategy::pointer_shift;
    const TrialResult small =
        runner.run({shifted, make_shape("NN", 8, 8, 8), std::nullopt, short_effort()});
    EXPECT_EQ(small.verdict, Verdict::constraint);

    Configuration unknown = small_tiled();
    unknown.kernel = "no_such_kernel";
    EXPECT_EQ(
        runner.run({unknown, make_shape("NN", 8, 8, 8), std::nullopt, short_effort()}).verdict,
        Verdict::constraint);
}

TEST_F(TrialRunnerTest, ChecksWithScalarsAndGaps) {
    TrialRunner runner(device().handle());
    Configuration guarded = small_tiled();
    guarded.variant.edges = EdgeStrategy::guarded;
    guarded.variant.narrow_a = guarded.variant.narrow_b = true;
    const auto shape =
        libsgemm::judge::with_leading_dimensions(make_shape("TT", 37, 21, 19), 23, 25, 41);
    const TrialResult result = runner.check(guarded, shape, {1.25F, -0.5F});
    EXPECT_TRUE(result.ok()) << result.message;
    EXPECT_GT(result.max_error, 0);
    EXPECT_TRUE(result.samples.empty());
}

TEST_F(TrialRunnerTest, LargeResultsAreCheckedByRowsAndColumns) {
    TrialRunner runner(device().handle());
    Configuration guarded = small_tiled();
    guarded.variant.edges = EdgeStrategy::guarded;
    // 400 * 400 * 40 products are more than are formed on the host.
    const TrialResult result = runner.check(guarded, make_shape("NN", 400, 400, 40), {});
    EXPECT_TRUE(result.ok()) << result.message;
    EXPECT_GT(result.max_error, 0);
}

TEST_F(TrialRunnerTest, ChoicesThatAKernelDoesNotHaveAreConstraints) {
    TrialRunner runner(device().handle());
    Configuration split = naive();
    split.variant.split_k = 2;
    const auto shape = make_shape("NN", 32, 32, 32);
    EXPECT_EQ(runner.check(split, shape, {}).verdict, Verdict::constraint);
    Configuration shifted = naive();
    shifted.variant.edges = EdgeStrategy::pointer_shift;
    EXPECT_EQ(runner.check(shifted, shape, {}).verdict, Verdict::constraint);
}

} // namespace
} // namespace sgemm_test
