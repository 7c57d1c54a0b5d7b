// SPDX-License-Identifier: Apache-2.0
// Shapes that are tuned for themselves, with planted kernels: each one gets the best plan that was
// right there, whatever becomes of the others.
#include "plan/exact_choice.hpp"
#include "plan/planner.hpp"
#include "planted_kernels.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_device.hpp"
#include "tune/search/roofline.hpp"
#include "tune/search/tuner.hpp"
#include "tune/worker/canonical.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string>

namespace sgemm_test {
namespace {

using namespace libsgemm::tune;
using libsgemm::judge::make_shape;
using libsgemm::tables::DeviceTable;

class TuneShapesTest : public DeviceTest {
protected:
    /// Of a kernel that wastes forty times the time of the others.
    static DeviceTable slow_table() {
        DeviceTable table;
        table.rows.push_back({"slow", {}, {}});
        table.rows.back().model.efficiency = 10; // a promise that it does not keep
        return table;
    }
    WorkerCommand worker() const {
        return {{"/proc/self/exe", "worker", device().handle().selector}};
    }
    TuningOutcome tune(std::vector<Shape> shapes, std::vector<std::string> kernels,
                       const WorkerCommand& command, const DeviceTable& base = slow_table()) {
        TunerOptions options;
        options.budget_seconds = budget_seconds_;
        options.kernels = std::move(kernels);
        options.shapes = std::move(shapes);
        Journal journal(folder_ / "journal.jsonl");
        Tuner tuner(device().handle(), planted_kernels(), command, journal, base, options,
                    &interrupted_);
        tuner.on_table([this](const DeviceTable& table) { published_ = table; });
        tuner.on_progress([this](const Progress& progress) { progress_.push_back(progress); });
        return tuner.run();
    }
    libsgemm::planning::Ranking rank(const Shape& shape, const DeviceTable& table) const {
        return libsgemm::planning::rank_plans(canonical_of(shape), {},
                                              {device().handle().traits, table, planted_kernels()});
    }
    /// Of the thorough trials: times against the plan before.
    double least_ratio(const Shape& shape) const {
        double least = std::numeric_limits<double>::infinity();
        const Journal journal(folder_ / "journal.jsonl");
        for (const TrialRecord& record : journal.records()) {
            if (record.kind == RecordKind::timing && record.spec.shape == shape &&
                record.round > 0 && record.spec.with_beta && record.result.ok() &&
                record.result.ratio > 0) {
                least = std::min(least, record.result.ratio);
            }
        }
        return least;
    }
    static std::vector<std::string> kernels_of(const DeviceTable& table) {
        std::vector<std::string> kernels;
        for (const auto& choice : table.choices) {
            kernels.push_back(choice.plan.kernel);
        }
        return kernels;
    }

    // Rows for which one of the kernels is wrong.
    const Shape one_ = make_shape("NN", 23, 40, 64);
    const Shape other_ = make_shape("NT", 39, 20, 64);
    double budget_seconds_ = 600; // it ends when all is measured
    std::atomic<bool> interrupted_{false};
    DeviceTable published_;
    std::vector<Progress> progress_;
    TemporaryFolder folder_;
};

using Kernels = std::vector<std::string>;

TEST_F(TuneShapesTest, EachGetsTheBestPlanThatIsRightThere) {
    const TuningOutcome outcome =
        tune({one_, other_},
             {"wrong_at_one_remainder", "ends_the_compiler", "does_not_build",
              "asks_for_too_much_local_memory", "right"},
             worker());
    EXPECT_EQ(kernels_of(outcome.table), (Kernels{"right", "right"}));
    EXPECT_EQ(kernels_of(published_), (Kernels{"right", "right"}));
    const auto& choice = outcome.table.choices.front();
    EXPECT_EQ(choice.source, planted_kernels().source_hash("right"));
    EXPECT_GT(choice.seconds, 0);
    EXPECT_NE(choice.runner_up.find("slow"), std::string::npos) << choice.runner_up;
    EXPECT_GT(choice.runner_up_seconds, choice.seconds);
    ASSERT_EQ(outcome.table.rows.size(), 1U) << "rows and models are as before";

    ASSERT_EQ(outcome.shapes.size(), 2U) << "for the picture";
    EXPECT_GT(outcome.shapes[0].speedup, 1);
    ASSERT_EQ(outcome.tuned.size(), 2U);
    for (const TunedShape& shape : outcome.tuned) {
        EXPECT_TRUE(shape.changed);
        EXPECT_NE(shape.winner.find("right"), std::string::npos) << shape.winner;
        EXPECT_LT(shape.after, shape.before);
        const double least = least_ratio(shape.shape) * shape.before;
        EXPECT_DOUBLE_EQ(shape.best, std::min(least, shape.after)) << "of all that was measured";
        EXPECT_GT(shape.share, 0);
    }
    // A call takes it, and only a call with this problem.
    EXPECT_EQ(rank(one_, outcome.table).plans.front().kernel->name, "right");
    EXPECT_TRUE(rank(other_, outcome.table).first_by_choice);
    EXPECT_EQ(rank(make_shape("NN", 24, 40, 64), outcome.table).plans.front().kernel->name, "slow");

    // Everything was tried, at both shapes: who failed at one of them is tried at the other.
    for (const char* bad : {"wrong_at_one_remainder", "ends_the_compiler", "does_not_build",
                            "asks_for_too_much_local_memory"}) {
        ASSERT_TRUE(outcome.failures.contains(bad)) << bad;
        EXPECT_EQ(outcome.failures.at(bad).count, 2U) << bad;
        EXPECT_FALSE(outcome.failures.at(bad).last.empty()) << bad;
        EXPECT_FALSE(outcome.runs.contains(bad)) << bad;
    }
    ASSERT_FALSE(progress_.empty());
    EXPECT_GT(progress_.back().gflops, 0);
    EXPECT_GT(progress_.back().share, 0);
    EXPECT_EQ(outcome.trouble, "");
}

TEST_F(TuneShapesTest, AHangCostsItsTrials) {
    const TuningOutcome outcome = tune({one_}, {"hangs", "right"}, worker());
    EXPECT_EQ(kernels_of(outcome.table), Kernels{"right"});
    ASSERT_TRUE(outcome.failures.contains("hangs"));
    EXPECT_NE(outcome.failures.at("hangs").last.find("timeout"), std::string::npos)
        << outcome.failures.at("hangs").last;
}

TEST_F(TuneShapesTest, OtherShapesKeepTheirChoices) {
    const DeviceTable first = tune({one_}, {"right"}, worker()).table;
    ASSERT_EQ(first.choices.size(), 1U);
    const DeviceTable both = tune({other_}, {"right"}, worker(), first).table;
    ASSERT_EQ(both.choices.size(), 2U);
    EXPECT_EQ(both.choices[0].problem, first.choices[0].problem);
    const DeviceTable again = tune({one_}, {"right"}, worker(), both).table;
    EXPECT_EQ(again.choices.size(), 2U) << "of one problem there is one";
}

/// As where a device has gone: the worker ends, and no other one finds the device.
TEST_F(TuneShapesTest, WithoutAWorkerWhatWasMeasuredCounts) {
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    const std::string mark = folder_ / "mark";
    const TuningOutcome outcome =
        tune({one_}, {"right", "ends_the_process"},
             {{"/bin/sh", "-c",
               "[ -e '" + mark + "' ] && exit 1; : > '" + mark + "'; exec '" + self + "' worker '" +
                   device().handle().selector + "'"}});
    EXPECT_NE(outcome.trouble.find("does not start"), std::string::npos) << outcome.trouble;
    EXPECT_EQ(kernels_of(outcome.table), Kernels{"right"});
    EXPECT_EQ(kernels_of(published_), Kernels{"right"});
}

TEST_F(TuneShapesTest, AnInterruptAtOnceLeavesTheTableOfBefore) {
    interrupted_ = true;
    const TuningOutcome outcome = tune({one_}, {"right"}, worker());
    EXPECT_TRUE(outcome.interrupted);
    EXPECT_TRUE(outcome.choices.empty());
    EXPECT_TRUE(outcome.table.choices.empty());
    EXPECT_EQ(outcome.table.rows.size(), 1U);
    EXPECT_TRUE(published_.rows.empty()) << "nothing is there to be written";
}

TEST_F(TuneShapesTest, RowsOfTheLibraryStayItsOwn) {
    DeviceTable built_in = slow_table();
    built_in.embedded = "generic.toml";
    built_in.match.name = "some device";
    const DeviceTable table = tune({one_}, {"right"}, worker(), built_in).table;
    EXPECT_EQ(kernels_of(table), Kernels{"right"});
    EXPECT_EQ(table.rows_from, "generic.toml");
    EXPECT_EQ(table.base_rows, 1U);
    EXPECT_FALSE(table.has_machine);
    // The user's own rows are not the library's.
    DeviceTable own = slow_table();
    own.rows_from = "generic.toml";
    const DeviceTable again = tune({one_}, {"right"}, worker(), own).table;
    EXPECT_EQ(again.rows_from, "generic.toml");
    EXPECT_EQ(again.base_rows, 0U);
    EXPECT_TRUE(again.has_machine);
}

TEST_F(TuneShapesTest, WhatProgramsFoundIsNotCopiedIntoTheTable) {
    DeviceTable base = tune({one_}, {"right"}, worker()).table;
    ASSERT_EQ(base.choices.size(), 1U);
    base.choices.front().is_of_file = true;
    const TuningOutcome outcome = tune({other_}, {"right"}, worker(), base);
    ASSERT_EQ(outcome.table.choices.size(), 1U);
    EXPECT_EQ(outcome.table.choices.front().problem, outcome.choices.front().problem);
}

TEST_F(TuneShapesTest, TwiceTheBudgetEndsTheComparisons) {
    budget_seconds_ = 1e-9; // too little for any shape
    const TuningOutcome outcome = tune({one_, other_}, {"right"}, worker());
    EXPECT_EQ(outcome.choices.size(), 2U) << "each is tried all the same";
    for (const TunedShape& shape : outcome.tuned) {
        EXPECT_EQ(shape.after, 0);
    }
    const auto least = [&](const std::vector<Shape>& shapes) {
        return least_tuning_seconds(shapes, slow_table(), device().handle().traits,
                                    planted_kernels());
    };
    EXPECT_GT(least({one_}), budget_seconds_);
    EXPECT_DOUBLE_EQ(least({one_, other_}), least({one_}) + least({other_}));
}

TEST(Roofline, IsArithmeticOrMemory) {
    DeviceTable table;
    libsgemm::tables::MachineModel& machine = table.machine;
    machine.flops_per_cycle_per_unit = 10;
    machine.bandwidth = 1e9;
    machine.bandwidth_units = 0;
    libsgemm::DeviceTraits device;
    device.clock_mhz = 1000;
    device.compute_units = 2;
    EXPECT_DOUBLE_EQ(least_seconds(make_shape("NN", 1000, 1000, 1000), table, device), 2e9 / 20e9);
    EXPECT_DOUBLE_EQ(least_seconds(make_shape("NN", 1000, 1, 1000), table, device),
                     4 * (1000 * 1000 + 1000 + 1000) / 1e9);
    table.rows.push_back({"tiled", {}, {}});
    table.rows.back().model.efficiency = 2; // more than units and clock give
    EXPECT_DOUBLE_EQ(least_seconds(make_shape("NN", 1000, 1000, 1000), table, device), 1e9 / 20e9);
}

} // namespace
} // namespace sgemm_test
