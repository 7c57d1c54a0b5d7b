// SPDX-License-Identifier: Apache-2.0
// Whole runs with planted kernels: what is wrong never wins, what was measured is not measured
// again.
#include "planted_kernels.hpp"
#include "sgemm/error.hpp"
#include "support/test_device.hpp"
#include "tune/search/speedup_svg.hpp"
#include "tune/search/tuner.hpp"

#include <algorithm>
#include <filesystem>
#include <string>

namespace sgemm_test {
namespace {

using namespace libsgemm::tune;
namespace fs = std::filesystem;

class TunerTest : public DeviceTest {
protected:
    TunerTest() { fs::remove_all(folder_); }
    ~TunerTest() override { fs::remove_all(folder_); }

    static TunerOptions options_for(std::vector<std::string> kernels) {
        TunerOptions options;
        options.budget_seconds = 600; // it ends when all is measured
        options.kernels = std::move(kernels);
        options.classes = {{"small", {libsgemm::judge::make_shape("NN", 48, 40, 64)}}};
        options.command = "the test";
        options.verifiers = 2;
        return options;
    }
    /// Only a kernel that wastes time: anything is faster.
    static libsgemm::tables::DeviceTable slow_table() {
        libsgemm::tables::DeviceTable table;
        table.rows.push_back({"slow", {}, {}});
        table.rows.back().model.efficiency = 10; // a promise that it does not keep
        return table;
    }
    TuningOutcome tune(Journal& journal, const TunerOptions& options,
                       const std::atomic<bool>* interrupted = nullptr) {
        Tuner tuner(device().handle(), planted_kernels(),
                    {{"/proc/self/exe", "worker", device().handle().selector}}, journal,
                    slow_table(), options, interrupted);
        tuner.on_table([this](const auto&) { ++tables_; });
        return tuner.run();
    }
    static bool holds(const libsgemm::tables::DeviceTable& table, const std::string& kernel) {
        return std::ranges::any_of(table.rows,
                                   [&](const auto& row) { return row.kernel == kernel; });
    }
    static bool holds(const TuningOutcome& outcome, const std::string& kernel) {
        return holds(outcome.table, kernel);
    }

    fs::path folder_ =
        fs::path(::testing::TempDir()) /
        (std::string("tuner_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::path file_ = folder_ / "journal.jsonl";
    int tables_ = 0;
};

TEST_F(TunerTest, WrongKernelsDoNotWinAndAccidentsCostOneTrialEach) {
    Journal journal(file_);
    const TuningOutcome outcome =
        tune(journal, options_for({"wrong_at_one_remainder", "ends_the_compiler", "does_not_build",
                                   "asks_for_too_much_local_memory", "right"}));
    EXPECT_TRUE(holds(outcome, "right"));
    EXPECT_TRUE(holds(outcome.spare, "right"));
    for (const char* bad : {"wrong_at_one_remainder", "ends_the_compiler", "does_not_build",
                            "asks_for_too_much_local_memory"}) {
        EXPECT_FALSE(holds(outcome, bad)) << bad;
        EXPECT_FALSE(holds(outcome.spare, bad)) << bad;
        EXPECT_EQ(std::ranges::count_if(journal.records(),
                                        [&](const TrialRecord& record) {
                                            return record.spec.configuration.kernel == bad &&
                                                   !record.result.ok();
                                        }),
                  1)
            << bad;
    }
    EXPECT_FALSE(outcome.interrupted);
    EXPECT_GE(tables_, 5);
    ASSERT_EQ(outcome.classes.size(), 1U);
    EXPECT_GT(outcome.classes[0].speedup, 1);
    EXPECT_GT(outcome.classes[0].gflops, 0);
}

TEST_F(TunerTest, NothingIsMeasuredTwice) {
    std::size_t first = 0;
    {
        Journal journal(file_);
        const TuningOutcome outcome = tune(journal, options_for({"right", "does_not_build"}));
        first = journal.records().size();
        EXPECT_GT(first, 2U);
        EXPECT_TRUE(holds(outcome, "right"));
    }
    Journal journal(file_);
    const TuningOutcome again = tune(journal, options_for({"right", "does_not_build"}));
    EXPECT_EQ(journal.records().size(), first);
    EXPECT_TRUE(again.verdicts.empty());
    EXPECT_GE(again.remembered, first);
    EXPECT_TRUE(holds(again, "right")) << "the journal alone must give the table";
}

TEST_F(TunerTest, AnInterruptedRunLeavesATable) {
    Journal journal(file_);
    const std::atomic<bool> interrupted{true};
    const TuningOutcome outcome = tune(journal, options_for({"right"}), &interrupted);
    EXPECT_TRUE(outcome.interrupted);
    EXPECT_EQ(tables_, 1);
    EXPECT_TRUE(holds(outcome, "slow")); // as before
}

TEST_F(TunerTest, UnknownKernelsAreNamed) {
    Journal journal(file_);
    EXPECT_THROW(tune(journal, options_for({"no_such_kernel"})), libsgemm::ArgumentError);
}

TEST(SpeedupPicture, HasABarForEachShapeAndTheMeanInItsTitle) {
    const std::string svg = speedup_svg(
        {{"NN/1x2x3", 0.5, 50}, {"TN/64x64x64", 1, 300}, {"NT/8x8x8", 16, 800}}, "a < b & c");
    EXPECT_EQ(svg.rfind("<svg", 0), 0U);
    EXPECT_NE(svg.find("</svg>"), std::string::npos);
    EXPECT_NE(svg.find("Tuned, a &lt; b &amp; c is 2.00 times as fast"), std::string::npos);
    EXPECT_NE(svg.find("NT/8x8x8"), std::string::npos);
    EXPECT_NE(svg.find("cut: 16.00 (50.0 \u2192 800 GFLOPS)"), std::string::npos);
    EXPECT_EQ(svg.find("nan"), std::string::npos);
}

} // namespace
} // namespace sgemm_test
