// SPDX-License-Identifier: Apache-2.0
// What a fit learns from: shapes that are drawn, measurement runs in files, facts of a device; and
// its arithmetic. No device.
#include "support/fake_device.hpp"
#include "support/temporary_file.hpp"
#include "tune/fit/least_squares.hpp"
#include "tune/fit/measure.hpp"
#include "tune/fit/measurement_run.hpp"
#include "tune/fit/shapes.hpp"
#include "tune/fit/traits_facts.hpp"

#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

namespace libsgemm::tune {
namespace {

using sgemm_test::fake_device;
using sgemm_test::TemporaryFile;

// --- shapes --------------------------------------------------------------------------------------

/// Suites of few shapes, such as those of real networks, run out before others do.
TEST(Shapes, NoMoreAreDrawnThanThereAre) {
    ShapeDraw draw;
    draw.count = 20'000;
    draw.size = 64;
    const auto shapes = draw_shapes(draw);
    std::set<std::string> names;
    for (const DrawnShape& shape : shapes) {
        names.insert(shape_name(shape.shape));
    }
    EXPECT_EQ(names.size(), shapes.size());
    EXPECT_GT(shapes.size(), 1000U);
    EXPECT_LE(shapes.size(), 20'000U);
}

TEST(Shapes, EqualSeedsDrawEqualShapesOfEverySuite) {
    ShapeDraw draw;
    draw.count = 140;
    const auto shapes = draw_shapes(draw);
    const auto again = draw_shapes(draw);
    ASSERT_EQ(shapes.size(), 140U);
    std::map<std::string, int> suites;
    std::set<std::string> names;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        EXPECT_EQ(shape_name(shapes[i].shape), shape_name(again[i].shape));
        names.insert(shape_name(shapes[i].shape));
        suites[shapes[i].suite] += shapes[i].held_out ? 1 : 0;
    }
    EXPECT_EQ(names.size(), shapes.size()) << "none twice: what is held out is never fitted";
    EXPECT_EQ(suites.size(), 7U);
    for (const auto& [suite, held_out] : suites) {
        EXPECT_EQ(held_out, 10) << suite;
    }
}

// --- measurement runs ----------------------------------------------------------------------------

ShapeTimes times(const std::string& shape, std::map<std::string, double> plans) {
    ShapeTimes result{shape, "square", false, 9, {}, {"broken: why"}};
    for (const auto& [plan, us] : plans) {
        result.plans.push_back({{plan}, "in place", us, us, us, 0.01, 5});
    }
    return result;
}

TEST(MeasurementRunFile, IsReadAsWrittenAndGoesOnAfterABrokenLine) {
    const TemporaryFile file("measurement-run.jsonl", "");
    {
        MeasurementRunWriter writer(file.path());
        writer.write(Facts{{"device", "Fake"}});
        writer.write(times("NN/1x1x1", {{"a", 1.5}}));
    }
    std::ofstream(file.path(), std::ios::app) << R"({"type":"shape","sha)"; // kill -9
    EXPECT_EQ(read_measurement_run(file.path()).shapes.size(), 1U);
    MeasurementRunWriter(file.path()).write(times("NN/2x2x2", {{"b", 2.5}}));
    const MeasurementRun run = read_measurement_run(file.path());
    ASSERT_EQ(run.shapes.size(), 2U);
    EXPECT_EQ(run.facts.at("device"), "Fake");
    EXPECT_EQ(run.shapes[1].shape, "NN/2x2x2");
    EXPECT_DOUBLE_EQ(run.shapes[1].plans.at(0).us, 2.5);
    EXPECT_EQ(run.shapes[1].failed.at(0), "broken: why");
}

/// The device was twice as fast, or half as fast, when a shape was measured again: what only one of
/// the two lines has is still to be compared with the other's.
TEST(MeasurementRunFile, AShapeThatIsMeasuredAgainIsOneShape) {
    for (const double speed : {2.0, 1.0, 0.5}) {
        const TemporaryFile file("again.jsonl", "");
        MeasurementRunWriter writer(file.path());
        writer.write(Facts{{"device", "Fake"}});
        writer.write(times("NN/1x1x1", {{"a", 10}, {"b", 20}, {"c", 40}}));
        writer.write(times("NN/2x2x2", {{"a", 1}}));
        writer.write(times("NN/1x1x1", {{"a", 10 / speed}, {"b", 20 / speed}, {"d", 30 / speed}}));
        const MeasurementRun run = read_measurement_run(file.path());
        ASSERT_EQ(run.shapes.size(), 2U);
        std::map<std::string, double> us;
        for (const PlanTime& plan : run.shapes[0].plans) {
            us[plan.to_string()] = plan.us;
        }
        ASSERT_EQ(us.size(), 4U);
        EXPECT_DOUBLE_EQ(us["a"], 10 / std::max(1.0, speed));
        EXPECT_DOUBLE_EQ(us["b"], 2 * us["a"]);
        EXPECT_DOUBLE_EQ(us["c"], 4 * us["a"]);
        EXPECT_DOUBLE_EQ(us["d"], 3 * us["a"]);
    }
}

/// What was measured before still counts: plans that have a text in place of a key, of kernels that
/// got parameters since.
TEST(MeasurementRunFile, PlansOfEarlierVersionsHaveKeys) {
    const std::string packed = "packed (columns=6 depth=512 panels_m=1 prefetch=32 ";
    const std::map<std::string, std::string> named{
        {packed + "vector_width=16 vectors=4), k in 2 slices, A packed, B turned",
         packed + "unroll_k=1 vector_width=16 vectors=4), split-K 2, A packed, B transposed"},
        {"tiled, pointer shift, k in 3 slices, summed in the launch, narrow loads of AB, "
         "parts 1x2x3, re-laid B, last rows and columns apart",
         ", pointer shift, split-K 3, fused reduction, narrow loads of AB, parts 1x2x3, repacked "
         "B"},
        {"persistent, extended tiles, last tiles dealt out, re-laid A",
         ", extended tiles, stream-K, repacked A"},
        {"gone (size=3), guarded", "gone (size=3), guarded"},
        {"packed (columns=six)", "packed (columns=six)"},
        {"packed, in haste", "packed, in haste"},
        {"plain", "plain"}};
    std::string lines = "{\"type\":\"campaign\",\"facts\":{\"device\":\"Fake\"}}\n"
                        R"({"type":"shape","shape":"NN/1x1x1","suite":"own","held_out":false,)"
                        R"("candidates":9,"failed":[],"plans":[)";
    for (const auto& [plan, now] : named) {
        lines +=
            R"({"plan":")" + plan +
            R"(","strategy":"in place","predicted_us":1,"us":1,"wall_us":1,"spread":0,"runs":5},)";
    }
    lines.back() = ']';
    const TemporaryFile file("earlier.jsonl", lines + "}\n");
    const MeasurementRun run = read_measurement_run(file.path());
    EXPECT_EQ(run.facts.at("device"), "Fake");
    ASSERT_EQ(run.shapes.at(0).plans.size(), named.size());
    auto expected = named.begin();
    for (const PlanTime& plan : run.shapes[0].plans) {
        EXPECT_TRUE(plan.to_string().ends_with(expected->second)) << plan.to_string();
        ++expected;
    }

    MeasurementRunWriter(file.path()).write(run.shapes[0]);
    const MeasurementRun again = read_measurement_run(file.path());
    ASSERT_EQ(again.shapes.size(), 1U);
    EXPECT_EQ(again.shapes[0].plans.size(), named.size()) << "the same plans";
}

TEST(MeasurementRunFile, WrongLinesAreNamed) {
    const TemporaryFile file("wrong.jsonl", "{\"type\":\"campaign\",\"facts\":{}}\nnonsense\n\n");
    try {
        read_measurement_run(file.path());
        FAIL() << "no error";
    } catch (const std::runtime_error& error) {
        EXPECT_NE(std::string(error.what()).find(file.path() + ":2"), std::string::npos)
            << error.what();
    }
    EXPECT_TRUE(read_measurement_run("/dev/null/measurement-run.jsonl").shapes.empty());
    EXPECT_THROW(MeasurementRunWriter("/dev/null/measurement-run.jsonl"), std::runtime_error);
}

TEST(MeasurementRunFile, MergingKeepsTheLeastDisturbedRun) {
    MeasurementRun run{{}, {times("NN/1x1x1", {{"a", 2}, {"b", 1}})}};
    merge(
        run,
        {{}, {times("NN/1x1x1", {{"a", 1.5}, {"b", 3}, {"c", 4}}), times("NN/2x2x2", {{"a", 7}})}});
    ASSERT_EQ(run.shapes.size(), 2U);
    std::map<std::string, double> merged;
    for (const PlanTime& plan : run.shapes[0].plans) {
        merged[plan.to_string()] = plan.us;
    }
    ASSERT_EQ(merged.size(), 3U);
    EXPECT_EQ(merged["a"], 1.5);
    EXPECT_EQ(merged["b"], 1);
    EXPECT_DOUBLE_EQ(merged["c"], 4 * (2 / 1.5 + 1.0 / 3) / 2) << "as much faster as the others";
}

TEST(TraitsFacts, GoThereAndBack) {
    DeviceTraits traits = fake_device();
    traits.has_nvidia_ptx = true;
    traits.subgroup_size = 32;
    traits.microarchitecture = "znver4";
    const DeviceTraits again = traits_from(to_facts(traits));
    EXPECT_EQ(to_facts(again), to_facts(traits));
    EXPECT_EQ(again.type, DeviceType::gpu);
    EXPECT_TRUE(again.has_nvidia_ptx);
    EXPECT_EQ(again.microarchitecture, "znver4");
    for (const DeviceType type : {DeviceType::cpu, DeviceType::accelerator, DeviceType::other}) {
        EXPECT_EQ(traits_from(to_facts(fake_device(type))).type, type);
    }
    EXPECT_THROW(traits_from({{"compute_units", "many"}}), std::runtime_error);
    EXPECT_THROW(traits_from({{"compute_units", "99999999999999999999"}}), std::runtime_error);
}

// --- least squares -------------------------------------------------------------------------------

TEST(LeastSquares, FindsAnExponentialThroughOutliers) {
    const auto residuals = [](const std::vector<double>& x, std::vector<double>& out) {
        out.clear();
        for (int i = 0; i < 20; ++i) {
            const double outlier = i == 7 ? 5 : 0;
            out.push_back((x[0] * std::exp(x[1] * i) - 2 * std::exp(-0.1 * i) - outlier) / 0.1);
        }
    };
    const LeastSquares fitted = minimise({{1, 0, 10, 1, 100}, {0, -1, 1, 0, 100}}, residuals, 200);
    EXPECT_NEAR(fitted.point[0], 2, 0.02);
    EXPECT_NEAR(fitted.point[1], -0.1, 0.002);
}

TEST(LeastSquares, KeepsBoundsAndExpectations) {
    const auto residuals = [](const std::vector<double>& x, std::vector<double>& out) {
        out = {0.1 * (x[0] - 5)};
    };
    EXPECT_DOUBLE_EQ(minimise({{1, 0, 3, 5, 100}}, residuals).point[0], 3) << "the bound";
    EXPECT_NEAR(minimise({{1, 0, 9, 1, 0.01}}, residuals).point[0], 1, 0.01) << "the expectation";
}

} // namespace
} // namespace libsgemm::tune
