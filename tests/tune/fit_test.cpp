// SPDX-License-Identifier: Apache-2.0
// The fit, the choice among models and the regret: values, no device.
#include "support/fake_device.hpp"
#include "tune/fit/choose_models.hpp"
#include "tune/fit/coefficients.hpp"
#include "tune/fit/expected_loss.hpp"
#include "tune/fit/fit.hpp"
#include "tune/fit/measure.hpp"
#include "tune/fit/measurement_run.hpp"
#include "tune/fit/observations.hpp"
#include "tune/fit/regret.hpp"
#include "tune/fit/shapes.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>
#include <variant>

namespace libsgemm::tune {
namespace {

using sgemm_test::fake_device;

constexpr const char* table_text = R"(# A comment that stays.
[machine]
launch_us = 3
bandwidth_gbs = 200
flops_per_cycle_per_unit = 128

[[kernel]]
name = "tiled"
parameters = { tile_m = 64, tile_n = 64, tile_k = 16, work_per_item_m = 4, work_per_item_n = 4 }
model = { efficiency = 0.3, groups_per_unit = 2 } # goes

[[kernel]]
name = "tiled"
parameters = { tile_m = 32, tile_n = 32, tile_k = 16, work_per_item_m = 4, work_per_item_n = 4 }

[[kernel]]
name = "direct"
model = { efficiency = 0.2 }
)";

/// A measurement run on a device whose times follow the model of another table exactly.
class FitTest : public ::testing::Test {
protected:
    FitTest() : start_(tables::parse_table(table_text, "start.toml")), truth_(start_) {
        truth_.rows[0].model.efficiency = 0.62;
        truth_.rows[0].model.k_major_a = 0.8;
        truth_.rows[0].model.group_seconds = 3e-6;
        truth_.rows[1].model.efficiency = 0.45;
        truth_.rows[1].model.groups_per_unit = 4;
        truth_.rows[1].model.lone_group_speedup = 2;
        truth_.rows[1].model.latency_exposure = 0.5;
        truth_.rows[1].model.start_seconds = 4e-6;
        truth_.rows[2].model.efficiency = 0.11;
        truth_.machine.bandwidth = 3e11;
        ShapeDraw draw;
        draw.count = 140;
        draw.size = 2048;
        for (const DrawnShape& shape : draw_shapes(draw)) {
            ShapeTimes result{shape_name(shape.shape), shape.suite, shape.held_out, 0, {}, {}};
            for (const auto& plan : rank_shape(shape.shape, truth_, device_).plans) {
                const double us = 1e6 * plan.predicted_seconds;
                result.plans.push_back({plan.key(), plan.strategy, us, us, us, 0.01, 9});
            }
            run_.shapes.push_back(std::move(result));
        }
    }

    RegretSummary regret(const tables::DeviceTable& table) const {
        return summarise(regrets(run_, table, device_, ShapeSet::held_out)).back();
    }

    DeviceTraits device_ = fake_device();
    tables::DeviceTable start_;
    tables::DeviceTable truth_;
    MeasurementRun run_;
};

/// Two shapes; row 0 has a plan of each, row 1 of the first alone.
TEST(ExpectedLoss, CountsWhatIsPredictedToComeFirst) {
    const auto plan = [](std::size_t shape, double ratio) {
        Observation one;
        one.shape = shape;
        one.ratio = ratio;
        return one;
    };
    const PlansByRow plans{{plan(0, std::exp(0.5)), plan(1, 1)}, {plan(0, 1)}};
    ExpectedLoss loss(plans);
    loss.predict(0, {0, 0});
    loss.predict(1, {5});
    EXPECT_NEAR(loss.of_all_shapes(), 0.5, 1e-9) << "the slower one is chosen";
    EXPECT_NEAR(loss.of_shapes_with(1), 0.5, 1e-9);
    loss.predict(1, {0});
    EXPECT_NEAR(loss.of_all_shapes(), 0.25, 1e-9) << "either may be";
    loss.predict(1, {-5});
    EXPECT_NEAR(loss.of_all_shapes(), 0, 1e-9);
    EXPECT_EQ(loss.predicted(0).size(), 2U);
}

TEST_F(FitTest, TheTruthHasNoRegret) {
    const RegretSummary all = regret(truth_);
    EXPECT_EQ(all.shapes, 70U);
    EXPECT_EQ(all.covered, 70U);
    EXPECT_NEAR(all.worst, 1, 1e-9);
}

TEST_F(FitTest, FindsWhatTheTimesWereMadeFrom) {
    const Fit fit = fit_table(run_, start_, device_);
    EXPECT_EQ(fit.unknown_plans, 0U);
    EXPECT_NEAR(fit.table.rows[0].model.efficiency, 0.62, 0.06);
    EXPECT_NEAR(fit.table.rows[0].model.k_major_a, 0.8, 0.05);
    EXPECT_NEAR(fit.table.rows[2].model.efficiency, 0.11, 0.02);
    EXPECT_LT(fit.rows[0].median_error, 0.05);
    const RegretSummary before = regret(start_);
    const RegretSummary after = regret(fit.table);
    EXPECT_LT(after.geomean, 1.02) << "before: " << before.geomean;
    EXPECT_LT(after.p95, 1.1) << "before: " << before.p95;
    EXPECT_LT(after.geomean, before.geomean);
}

/// Begun with bandwidths that small a fit ends where memory limits everything.
TEST_F(FitTest, BandwidthsMayBeFarFromTheTables) {
    start_.machine.bandwidth = truth_.machine.bandwidth / 8;
    start_.machine.transpose_bandwidth = truth_.machine.transpose_bandwidth / 8;
    FitOptions options;
    const double known = regret(fit_table(run_, start_, device_, options).table).geomean;
    options.bandwidth_doubt = 10;
    const Fit fit = fit_table(run_, start_, device_, options);
    EXPECT_LT(std::abs(std::log(fit.table.machine.bandwidth / truth_.machine.bandwidth)), 0.7);
    EXPECT_LT(regret(fit.table).geomean, 1.02) << "as if they were known: " << known;
    EXPECT_LT(regret(fit.table).geomean, known);
}

/// Whatever it is that makes small products slow there, the number of work-groups is not what it
/// grows with.
TEST_F(FitTest, WorkGroupsOfACpuBeginInAMicrosecond) {
    EXPECT_GT(fit_table(run_, start_, device_).table.rows[0].model.group_seconds, 1.5e-6);
    device_.type = libsgemm::DeviceType::cpu;
    for (const tables::TableRow& row : fit_table(run_, start_, device_).table.rows) {
        EXPECT_LE(row.model.group_seconds, 1e-6 * most_group_us_of_cpu * (1 + 1e-9));
    }
}

TEST_F(FitTest, PeeledPlansAreKnownAndLeftOut) {
    std::size_t plans = 0;
    std::size_t peeled = 0;
    for (const ShapeTimes& shape : run_.shapes) {
        plans += shape.plans.size();
        peeled += static_cast<std::size_t>(
            std::ranges::count(shape.plans, "peeled", &PlanTime::strategy));
    }
    EXPECT_GT(peeled, 0U);
    const Observations known = observe(run_, start_, device_);
    EXPECT_EQ(known.unknown, 0U);
    EXPECT_EQ(known.plans.size(), plans - peeled);
}

TEST_F(FitTest, RowsOfSchemesKeepTheirModels) {
    const std::string scheme = "\n[[kernel]]\nname = \"emulated_fp16\"\n"
                               "model = { efficiency = 2, k_major_a = 1 }\n";
    const Fit fit = fit_table(run_, tables::parse_table(table_text + scheme, "start"), device_);
    EXPECT_DOUBLE_EQ(fit.table.rows.back().model.efficiency, 2);
    EXPECT_DOUBLE_EQ(fit.table.rows.back().model.k_major_a, 1);
}

/// The first shapes, measured on a machine that is busy.
void measure_badly(MeasurementRun& run, std::size_t shapes, double spread) {
    run.shapes.resize(shapes);
    std::mt19937 random(5); // NOLINT(cert-msc32-c,cert-msc51-cpp): equal from run to run
    std::normal_distribution<double> noise(0, spread);
    for (ShapeTimes& shape : run.shapes) {
        for (PlanTime& plan : shape.plans) {
            plan.us *= std::exp(noise(random));
        }
    }
}

/// Root of the mean square of the logarithms of the coefficients that the truth states.
double distance(const tables::DeviceTable& table, const tables::DeviceTable& truth) {
    const tables::KernelModel unset;
    double squares = 0;
    int count = 0;
    for (std::size_t row = 0; row < truth.rows.size(); ++row) {
        for (const auto& c : fitted(tables::kernel_coefficients())) {
            const double value = c.get(truth.rows[row].model);
            if (value != c.get(unset)) {
                squares += std::pow(std::log(c.get(table.rows[row].model) / value), 2);
                ++count;
            }
        }
    }
    return std::sqrt(squares / count);
}

/// What a table knows from elsewhere is not forgotten because a few times of one kind of shapes say
/// little of it.
TEST_F(FitTest, GivenModelsAreHardlyMovedByFewTimes) {
    std::erase_if(run_.shapes,
                  [](const ShapeTimes& shape) { return !shape.shape.starts_with("NN"); });
    measure_badly(run_, 30, 0.2);
    FitOptions options;
    const Fit typical = fit_table(run_, truth_, device_, options);
    EXPECT_LE(typical.table.rows[0].model.k_major_a, 0.4) << "no A was k-major";
    options.prior = Prior::given;
    const Fit given = fit_table(run_, truth_, device_, options);
    EXPECT_NEAR(given.table.rows[0].model.k_major_a, 0.8, 0.1);
    EXPECT_LT(distance(given.table, truth_), 0.4 * distance(typical.table, truth_));
}

/// "Not stated" is not "known to be nothing".
TEST_F(FitTest, WhatAGivenTableLeavesOpenIsTypical) {
    FitOptions options;
    options.prior = Prior::given;
    options.least_plans = 1;
    run_.shapes.resize(2);
    const Fit fit = fit_table(run_, start_, device_, options);
    EXPECT_GT(fit.table.rows[1].model.cached_bytes, 1e6);
    EXPECT_GT(fit.table.rows[1].model.start_seconds, 1e-7);
}

using ChooseModelsTest = FitTest;

TEST_F(ChooseModelsTest, FewBadTimesDoNotReplaceGoodModels) {
    MeasurementRun busy = run_;
    measure_badly(busy, 60, 0.3);
    EXPECT_EQ(choose_models(busy, truth_, device_), ModelSource::given);
    const auto refitted = models_from(ModelSource::refitted, busy, truth_, device_);
    EXPECT_GT(regret(refitted).geomean, 1.005) << "which would have done harm";
}

TEST_F(ChooseModelsTest, GuessesAreReplaced) {
    // Half of them: they are fitted a dozen times.
    run_.shapes.resize(run_.shapes.size() / 2);
    const ModelSource source = choose_models(run_, start_, device_);
    EXPECT_NE(source, ModelSource::given);
    const auto mean = [](const std::vector<ShapeRegret>& all) {
        return summarise(all).back().geomean;
    };
    const auto regrets = cross_validated_regrets(source, run_, start_, device_);
    EXPECT_EQ(regrets.size(), run_.shapes.size());
    EXPECT_LT(mean(regrets), 1.05);
    EXPECT_LT(mean(regrets),
              0.9 * mean(cross_validated_regrets(ModelSource::given, run_, start_, device_)));
}

TEST_F(ChooseModelsTest, NothingMeasuredLeavesWhatIsGiven) {
    for (const std::size_t shapes : {0U, 1U, 6U}) {
        MeasurementRun few = run_;
        few.shapes.resize(shapes);
        EXPECT_EQ(choose_models(few, start_, device_), ModelSource::given) << shapes;
    }
}

/// Regrets of shapes NN/1x1x1, NN/2x2x2 ...
std::vector<ShapeRegret> regrets_of(const std::vector<double>& values) {
    std::vector<ShapeRegret> regrets;
    for (std::size_t i = 1; i <= values.size(); ++i) {
        const std::string extent = std::to_string(i);
        ShapeRegret regret;
        regret.shape = "NN/" + extent + "x" + extent + "x" + extent;
        regret.regret = values[i - 1];
        regrets.push_back(regret);
    }
    return regrets;
}

TEST(SureGain, IsTheMeanWhereAllGainAlike) {
    EXPECT_NEAR(sure_gain(regrets_of(std::vector<double>(10, 1.2)),
                          regrets_of(std::vector<double>(10, 1.0))),
                std::log(1.2), 1e-12);
}

TEST(SureGain, IsNoneWhereItMayBeChance) {
    std::vector<double> after(10, 1.1);
    after[3] = 1.0;
    after[7] = 1.08;
    EXPECT_LE(sure_gain(regrets_of(std::vector<double>(10, 1.1)), regrets_of(after)), 0);
    EXPECT_EQ(
        sure_gain(regrets_of(std::vector<double>(7, 9.0)), regrets_of(std::vector<double>(7, 1.0))),
        0)
        << "too few";
}

TEST(SureGain, CountsWhatBothHaveMeasured) {
    auto before = regrets_of(std::vector<double>(12, 1.2));
    auto after = regrets_of(std::vector<double>(12, 1.0));
    after[0].regret = 50;
    after[0].covered = false;
    before[1].regret = 50;
    before[1].covered = false;
    before.erase(before.begin() + 2);
    EXPECT_NEAR(sure_gain(before, after), std::log(1.2), 1e-12);
}

TEST(SureGain, TakesEqualExtentsTogether) {
    auto before = regrets_of(std::vector<double>(7, 1.2));
    auto after = regrets_of(std::vector<double>(7, 1.0));
    for (const char* op : {"NT", "TN", "TT"}) {
        before.push_back(before.front());
        before.back().shape = std::string(op) + "/1x1x1/ld8,8,8";
        after.push_back(before.back());
    }
    EXPECT_EQ(sure_gain(before, after), 0) << "seven extents are too few";
}

TEST_F(FitTest, HeldOutShapesAreNotFitted) {
    const Fit fit = fit_table(run_, start_, device_);
    for (ShapeTimes& shape : run_.shapes) {
        for (PlanTime& plan : shape.plans) {
            plan.us *= shape.held_out ? 100 : 1;
        }
    }
    const Fit again = fit_table(run_, start_, device_);
    for (std::size_t row = 0; row < fit.table.rows.size(); ++row) {
        EXPECT_DOUBLE_EQ(fit.table.rows[row].model.efficiency,
                         again.table.rows[row].model.efficiency);
    }
}

TEST_F(FitTest, ModelsChangeInTheTextAndNothingElse) {
    const Fit fit = fit_table(run_, start_, device_);
    const std::string text = with_models(table_text, fit.table);
    EXPECT_EQ(text.find("# A comment that stays.\n"), 0U);
    EXPECT_NE(text.find("flops_per_cycle_per_unit = 128\n"), std::string::npos);
    EXPECT_EQ(text.find("# goes"), std::string::npos);
    const tables::DeviceTable written = tables::parse_table(text, "written.toml");
    ASSERT_EQ(written.rows.size(), 3U);
    EXPECT_NEAR(written.machine.bandwidth / fit.table.machine.bandwidth, 1, 0.01);
    for (std::size_t row = 0; row < 3; ++row) {
        EXPECT_EQ(written.rows[row].parameters, start_.rows[row].parameters);
        EXPECT_NEAR(written.rows[row].model.efficiency / fit.table.rows[row].model.efficiency, 1,
                    0.01);
    }
    EXPECT_NEAR(regret(written).geomean, regret(fit.table).geomean, 0.01);
}

TEST_F(FitTest, PlansThatTheTableDoesNotOfferAreCounted) {
    run_.shapes[0].plans.push_back({{"lost kernel"}, "in place", 1, 1, 1, 0, 5});
    EXPECT_EQ(fit_table(run_, start_, device_).unknown_plans, 1U);
}

TEST_F(FitTest, SelectionHoldsTheBestAndSomeOfTheRest) {
    MeasureOptions options;
    options.most_plans = 3;
    options.random_plans = 2;
    const auto ranking = rank_shape(judge::parse_shape_name("TN/1000x900x800"), start_, device_);
    const auto selected = select_plans(ranking, options, 1);
    ASSERT_GE(selected.size(), 3U);
    ASSERT_LE(selected.size(), 5U);
    EXPECT_EQ(selected[0].key(), ranking.plans[0].key());
}

} // namespace
} // namespace libsgemm::tune
