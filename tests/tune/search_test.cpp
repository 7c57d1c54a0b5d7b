// SPDX-License-Identifier: Apache-2.0
// Spaces and strategies, without a device.
#include "catalog/kernel_catalog.hpp"
#include "sgemm/error.hpp"
#include "support/fake_device.hpp"
#include "tune/search/replay.hpp"
#include "tune/search/space.hpp"
#include "tune/search/strategy.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <set>
#include <string>

namespace libsgemm::tune {
namespace {

/// 8 x 8 x 8 x 3 powers of two; the product of the first two is bounded.
Space bowl_space() {
    std::vector<int> powers;
    for (int i = 0; i < 8; ++i) {
        powers.push_back(1 << i);
    }
    const std::vector<Dimension> dimensions{
        {"x", powers}, {"y", powers}, {"z", powers}, {"w", {0, 1, 2}}};
    return {dimensions, [](const Point& p) { return p[0] + p[1] <= 10; }};
}

/// Least at (5, 4, 2, 1); half of the points with w == 2 cannot run.
double bowl_cost(const Point& p) {
    if (p[3] == 2 && p[2] % 2 == 0) {
        return std::numeric_limits<double>::infinity();
    }
    const double x = p[0] - 5.0;
    const double y = p[1] - 4.0;
    const double z = p[2] - 2.0;
    return std::exp(0.1 * (x * x + y * y + 0.5 * z * z) + (p[3] == 1 ? 0 : 0.3));
}

TEST(Space, CountsWhatKeepsTheRules) {
    const Space space = bowl_space();
    EXPECT_DOUBLE_EQ(space.size(), 1536);
    const auto points = space.all_feasible();
    EXPECT_EQ(space.count_feasible().points, static_cast<double>(points.size()));
    EXPECT_TRUE(space.count_feasible().exact);
    EXPECT_EQ(std::set<Point>(points.begin(), points.end()).size(), points.size());
    EXPECT_LT(points.size(), 1536U);
}

TEST(Space, MovesStayWithinTheRules) {
    const Space space = bowl_space();
    Random random(7);
    for (int i = 0; i < 200; ++i) {
        const Point point = space.random_point(random);
        EXPECT_TRUE(space.feasible(point));
        EXPECT_TRUE(space.feasible(space.mutated(point, random)));
        const auto neighbours = space.neighbours(point);
        EXPECT_FALSE(neighbours.empty());
        EXPECT_EQ(std::count(neighbours.begin(), neighbours.end(), point), 0);
        EXPECT_TRUE(
            std::ranges::all_of(neighbours, [&](const Point& p) { return space.feasible(p); }));
    }
}

TEST(Space, KernelsHoldTheirDefaultsAndKnownRows) {
    const DeviceTraits device = sgemm_test::fake_device();
    for (const catalog::KernelEntry& kernel : catalog::kernel_catalog().entries()) {
        const Space space = kernel_space(kernel, device);
        const Point point = nearest_point(space, kernel.defaults());
        if (catalog::obstacles(kernel, kernel.defaults(), device).empty()) {
            EXPECT_EQ(parameters_of(space, point), kernel.defaults()) << kernel.name;
            EXPECT_TRUE(space.feasible(point)) << kernel.name;
        }
    }
}

TEST(Space, FeasibleMeansNoObstacles) {
    const DeviceTraits device = sgemm_test::fake_device();
    Random random(3);
    for (const catalog::KernelEntry& kernel : catalog::kernel_catalog().entries()) {
        const Space space = kernel_space(kernel, device);
        for (int i = 0; i < 300; ++i) {
            Point point;
            for (const Dimension& dimension : space.dimensions()) {
                point.push_back(static_cast<std::uint16_t>(below(random, dimension.values.size())));
            }
            const auto parameters = parameters_of(space, point);
            EXPECT_EQ(space.feasible(point), catalog::obstacles(kernel, parameters, device).empty())
                << kernel.name << ' ' << parameters.to_string();
        }
    }
}

TEST(Space, CpuGroupsMustFitOnAStack) {
    // Overflowed PoCL's stack: 2048 work-items, each with 12 sums and an unrolled step of 64.
    const auto* kernel = catalog::kernel_catalog().find("05_transposed_rectangular");
    catalog::Parameters parameters = kernel->defaults();
    parameters.set("tile_m", 128);
    parameters.set("tile_n", 192);
    parameters.set("tile_k", 64);
    parameters.set("work_per_item_n", 12);
    DeviceTraits device = sgemm_test::fake_device(DeviceType::cpu);
    device.max_work_group_size = 4096;
    for (auto& size : device.max_work_item_sizes) {
        size = 4096;
    }
    device.local_memory_bytes = 1024 * 1024;
    const auto obstacles = catalog::obstacles(*kernel, parameters, device);
    ASSERT_FALSE(obstacles.empty());
    EXPECT_NE(obstacles.front().find("private memory"), std::string::npos) << obstacles.front();
    device.type = DeviceType::gpu;
    device.local_memory_bytes = 1024 * 1024;
    EXPECT_TRUE(catalog::obstacles(*kernel, parameters, device).empty());
}

TEST(Space, RestrictionsNarrowIt) {
    const DeviceTraits device = sgemm_test::fake_device();
    const auto* kernel = catalog::kernel_catalog().find("06_register_tiles_2d");
    const Space space = kernel_space(*kernel, device, {{"tile_m", {32}}, {"other", {1}}});
    for (const Point& point : space.all_feasible()) {
        EXPECT_EQ(parameters_of(space, point)["tile_m"], 32);
    }
}

class EveryStrategy : public ::testing::TestWithParam<std::string> {
protected:
    /// Proposals of a search of so many trials.
    std::vector<Point> course(std::uint64_t seed, std::size_t trials,
                              std::vector<Point> starts = {}) const {
        const auto strategy = find_strategy(GetParam()).make({&space_, seed, std::move(starts)});
        std::vector<Point> points;
        while (points.size() < trials) {
            const auto point = strategy->propose();
            if (!point) {
                break;
            }
            points.push_back(*point);
            strategy->report(*point, bowl_cost(*point));
        }
        return points;
    }
    double best_of(const std::vector<Point>& points) const {
        double best = std::numeric_limits<double>::infinity();
        for (const Point& point : points) {
            best = std::min(best, bowl_cost(point));
        }
        return best;
    }
    Space space_ = bowl_space();
};

TEST_P(EveryStrategy, ProposesFeasiblePointsTheSameForTheSameSeed) {
    const auto points = course(5, 60);
    EXPECT_TRUE(std::ranges::all_of(points, [&](const Point& p) { return space_.feasible(p); }));
    EXPECT_EQ(points, course(5, 60));
    if (GetParam() != "exhaustive") {
        EXPECT_NE(points, course(6, 60));
    }
}

TEST_P(EveryStrategy, FindsAGoodPoint) {
    // Some hundred trials of 1400 points.
    const std::size_t trials = GetParam() == "exhaustive" ? 2000 : 250;
    int good = 0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        good += best_of(course(seed, trials)) < 1.25 ? 1 : 0;
    }
    EXPECT_GE(good, 4);
}

TEST_P(EveryStrategy, TriesItsStartsFirst) {
    if (GetParam() == "exhaustive") {
        GTEST_SKIP() << "goes in order";
    }
    const Point best{5, 4, 2, 1};
    const auto points = course(1, 3, {best});
    ASSERT_FALSE(points.empty());
    EXPECT_EQ(points.front(), best);
}

std::vector<std::string> strategy_names() {
    std::vector<std::string> names;
    for (const StrategyInfo& info : strategies()) {
        names.emplace_back(info.name);
    }
    return names;
}

INSTANTIATE_TEST_SUITE_P(Strategy, EveryStrategy, ::testing::ValuesIn(strategy_names()),
                         [](const auto& test) { return test.param; });

TEST(Strategy, ExhaustiveSeesEveryPointOnce) {
    const Space space = bowl_space();
    const auto strategy = make_exhaustive({&space, 1, {}});
    std::set<Point> seen;
    while (const auto point = strategy->propose()) {
        EXPECT_TRUE(seen.insert(*point).second);
    }
    EXPECT_EQ(seen.size(), space.all_feasible().size());
}

TEST(Strategy, LearningBeatsChance) {
    const Space space = bowl_space();
    constexpr double good = 1.05;
    constexpr int seeds = 9;
    const auto trials_of = [&](const char* name) {
        int total = 0;
        for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
            const auto strategy = find_strategy(name).make({&space, seed, {}});
            for (double cost = 9; cost > good && total < 10'000; ++total) {
                const Point point = *strategy->propose();
                cost = bowl_cost(point);
                strategy->report(point, cost);
            }
        }
        return total;
    };
    // What drawing without replacement takes on average.
    const auto points = space.all_feasible();
    const auto hits =
        std::ranges::count_if(points, [](const Point& point) { return bowl_cost(point) <= good; });
    const auto chance =
        seeds * (static_cast<double>(points.size()) + 1) / (static_cast<double>(hits) + 1);
    EXPECT_LT(3 * trials_of("model"), chance);
    EXPECT_LT(2 * trials_of("hill"), chance);
}

TEST(Strategy, UnknownNamesAreToldWhatThereIs) {
    try {
        find_strategy("luck");
        FAIL() << "found";
    } catch (const ArgumentError& error) {
        EXPECT_NE(std::string(error.what()).find("hill, exhaustive"), std::string::npos);
    }
}

TEST(Replay, ScoresEveryStrategyOnARecord) {
    const auto* kernel = catalog::kernel_catalog().find("06_register_tiles_2d");
    const DeviceTraits device = sgemm_test::fake_device();
    const Space space =
        kernel_space(*kernel, device,
                     {{"tile_k", {16}}, {"work_per_item_m", {4, 8}}, {"work_per_item_n", {4, 8}}});
    std::vector<TrialRecord> records;
    for (const Point& point : space.all_feasible()) {
        TrialRecord record;
        record.spec.configuration = {std::string(kernel->name), parameters_of(space, point), {}};
        record.spec.shape = judge::make_shape("NN", 256, 256, 256);
        record.result.ratio = 1.0 + 0.01 * point[0] + 0.02 * point[1] + 0.001 * point[3];
        record.result.median = record.result.ratio;
        records.push_back(record);
    }
    const RecordedSpace recorded = recorded_space(records, catalog::kernel_catalog());
    EXPECT_EQ(recorded.costs.size(), records.size());
    const auto scores = replay(recorded, device, 5);
    ASSERT_EQ(scores.size(), strategies().size());
    for (const ReplayScore& score : scores) {
        EXPECT_GE(score.median_trials, 1) << score.strategy;
        EXPECT_LE(score.share, 1) << score.strategy;
        EXPECT_GT(score.at_budget, 0.5) << score.strategy;
        EXPECT_LE(score.at_budget, 1) << score.strategy;
    }
    EXPECT_THROW(recorded_space(std::span(records).first(3), catalog::kernel_catalog()),
                 ConfigurationError);
}

} // namespace
} // namespace libsgemm::tune
