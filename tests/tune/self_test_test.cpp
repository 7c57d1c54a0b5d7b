// SPDX-License-Identifier: Apache-2.0
// The self-test against planted kernels that are wrong, hang, crash or do not build.
#include "plan/planner.hpp"
#include "planted_kernels.hpp"
#include "problem/problem.hpp"
#include "sgemm/error.hpp"
#include "support/environment_variable.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_device.hpp"
#include "tables/disabled_kernels.hpp"
#include "tune/selftest/self_test.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace sgemm_test {
namespace {

using namespace libsgemm::tune;
using libsgemm::tables::DisabledKernel;

class SelfTestTest : public DeviceTest {
protected:
    /// The planted kernels, known to a table as well.
    SelfTestSetup planted() const {
        SelfTestSetup setup;
        setup.device = device().handle().traits;
        setup.kernels = &planted_kernels();
        setup.worker = {{"/proc/self/exe", "worker", device().handle().selector}};
        setup.limits.build = 60; // a kernel that hangs takes it
        setup.limits.run = 30;
        setup.seconds = 600;
        return setup;
    }
    static std::map<std::string, Verdict> verdicts(const SelfTestReport& report) {
        std::map<std::string, Verdict> result;
        for (const SelfTestFinding& finding : report.findings) {
            result[finding.kernel] = finding.verdict;
        }
        return result;
    }
};

TEST_F(SelfTestTest, FindsEveryPlantedKernelAndKeepsItFromThePlanner) {
    const SelfTestSetup setup = planted();
    const SelfTestReport report = run_self_test(setup);
    const auto found = verdicts(report);
    EXPECT_EQ(found.count("01_naive"), 0U);
    EXPECT_EQ(found.count("right"), 0U);
    EXPECT_EQ(found.count("slow"), 0U);
    ASSERT_EQ(found.count("wrong_at_one_remainder"), 1U);
    EXPECT_EQ(found.at("wrong_at_one_remainder"), Verdict::wrong);
    EXPECT_EQ(found.at("hangs"), Verdict::timeout);
    EXPECT_EQ(found.at("does_not_build"), Verdict::build_failed);
    EXPECT_EQ(found.at("ends_the_compiler"), Verdict::build_failed);
    EXPECT_TRUE(report.every_case);
    EXPECT_FALSE(report.all_right());

    const std::string text = self_test_text(report, "FILE");
    EXPECT_NE(text.find("wrong_at_one_remainder: gives WRONG results"), std::string::npos) << text;
    EXPECT_NE(text.find("hangs: does not come to an end"), std::string::npos) << text;
    EXPECT_NE(text.find("does_not_build: does not compile"), std::string::npos) << text;
    EXPECT_NE(text.find("Disabled from now on"), std::string::npos) << text;
    EXPECT_NE(text.find("  right: right"), std::string::npos) << text;

    // Written and read again, the planner leaves out what was found, for that reason.
    const TemporaryFolder folder;
    const std::string file = folder / "device.disabled.toml";
    libsgemm::tables::write_disabled_kernels(file, report.disabled, "a comment");
    libsgemm::tables::DeviceTable table;
    table.disabled = libsgemm::tables::read_disabled_kernels(file, *setup.kernels);
    ASSERT_EQ(table.disabled.size(), report.disabled.size());
    for (const char* name : {"wrong_at_one_remainder", "right"}) {
        libsgemm::tables::TableRow row;
        row.kernel = name;
        row.model.efficiency = 1000; // the best by far, if it were believed
        table.rows.push_back(row);
    }
    libsgemm::Problem problem;
    problem.m = problem.n = problem.k = 64;
    const auto ranking =
        libsgemm::planning::rank_plans(libsgemm::validate::check_problem(problem).canonical, {},
                                       {setup.device, table, *setup.kernels});
    ASSERT_FALSE(ranking.plans.empty());
    EXPECT_EQ(ranking.plans.front().kernel->name, "right");
    const bool says_why =
        std::any_of(ranking.rejected.begin(), ranking.rejected.end(), [](const auto& rejection) {
            return rejection.candidate == "wrong_at_one_remainder" &&
                   rejection.reason.find("disabled: wrong") != std::string::npos;
        });
    EXPECT_TRUE(says_why);
}

TEST_F(SelfTestTest, ABanIsLiftedByACompleteVerificationOnly) {
    SelfTestSetup setup = planted();
    const libsgemm::catalog::KernelCatalog few({setup.kernels->naive(),
                                                *setup.kernels->find("right"),
                                                *setup.kernels->find("wrong_at_one_remainder")});
    setup.kernels = &few;
    setup.table.disabled = {{"right", {}, "it was wrong once"},
                            {"wrong_at_one_remainder", {}, "so it was found"}};
    setup.seconds = 1e-6; // no time at all
    const SelfTestReport hasty = run_self_test(setup);
    EXPECT_EQ(hasty.lifted, 0U);
    EXPECT_EQ(hasty.disabled.size(), 2U);
    EXPECT_FALSE(hasty.every_case);
    EXPECT_NE(self_test_text(hasty, "FILE").find("time was up"), std::string::npos);

    setup.seconds = 600;
    const SelfTestReport thorough = run_self_test(setup);
    EXPECT_EQ(thorough.lifted, 1U);
    ASSERT_EQ(thorough.disabled.size(), 1U);
    EXPECT_EQ(thorough.disabled[0].kernel, "wrong_at_one_remainder");
    EXPECT_TRUE(thorough.disabled[0].parameters.empty()) << "a wrong kernel is disabled altogether";
}

/// The naive kernel and one that is right, but in trouble: of that kind, once or always.
class SelfTestTroubleTest : public SelfTestTest {
protected:
    SelfTestReport run(const std::string& kind, bool once) {
        const EnvironmentVariable trouble("SGEMM_TEST_TROUBLE", kind);
        const EnvironmentVariable mark("SGEMM_TEST_TROUBLE_ONCE",
                                       once ? std::optional(folder_ / kind) : std::nullopt);
        SelfTestSetup setup = planted();
        setup.kernels = &few_;
        setup.seconds = 600;
        return run_self_test(setup);
    }

private:
    TemporaryFolder folder_;
    libsgemm::catalog::KernelCatalog few_{{planted_kernels().naive(), troubled_kernel()}};
};

TEST_F(SelfTestTroubleTest, WhatGoesAwayIsToldAndDisablesNothing) {
    for (const auto& [kind, verdict] : {std::pair{"shortage", Verdict::shortage},
                                        {"build", Verdict::build_failed},
                                        {"launch", Verdict::launch_failed}}) {
        const SelfTestReport report = run(kind, true);
        EXPECT_TRUE(report.all_right()) << kind;
        ASSERT_EQ(report.troubles.size(), 1U) << kind;
        EXPECT_TRUE(report.troubles[0].went_away);
        EXPECT_EQ(report.troubles[0].what.verdict, verdict);
        const std::string text = self_test_text(report, "FILE");
        EXPECT_NE(text.find("right when tried again"), std::string::npos) << text;
        EXPECT_NE(text.find("  troubled: right"), std::string::npos) << text;
    }
}

TEST_F(SelfTestTroubleTest, WhatRepeatsDisablesUnlessItIsAShortage) {
    for (const auto& [kind, verdict] :
         {std::pair{"build", Verdict::build_failed}, {"launch", Verdict::launch_failed}}) {
        const SelfTestReport report = run(kind, false);
        ASSERT_EQ(report.findings.size(), 1U) << kind;
        EXPECT_EQ(report.findings[0].verdict, verdict);
        EXPECT_EQ(report.disabled.size(), 1U);
        EXPECT_TRUE(report.troubles.empty());
    }
    const SelfTestReport report = run("shortage", false);
    EXPECT_TRUE(report.findings.empty());
    EXPECT_TRUE(report.disabled.empty());
    EXPECT_FALSE(report.all_right()) << "nothing is known of it";
    ASSERT_EQ(report.troubles.size(), 1U);
    EXPECT_FALSE(report.troubles[0].went_away);
    const std::string text = self_test_text(report, "FILE");
    EXPECT_NE(text.find("troubled: NOT decided"), std::string::npos) << text;
    EXPECT_EQ(text.find("Disabled"), std::string::npos) << text;
}

TEST(DisabledKernels, AFileSaysWhatItWasToldAndGoesWithTheLastEntry) {
    const TemporaryFolder folder;
    const std::string file = folder / "x.disabled.toml";
    const auto& catalog = libsgemm::catalog::kernel_catalog();
    const std::string kernel(catalog.entries()[1].name);
    libsgemm::tables::write_disabled_kernels(
        file,
        {{kernel, {}, "a \"reason\"\nof two lines \xff\\"},
         {"01_naive", libsgemm::catalog::Parameters({{"local_m", 8}}), "one set"},
         {"01_naive", {}, "an older source", "0000000000"},
         {"gone", {}, "a kernel that there is no more"}},
        "two\nlines");
    const auto read = libsgemm::tables::read_disabled_kernels(file, catalog);
    ASSERT_EQ(read.size(), 2U); // the others are about kernels that are not there
    EXPECT_EQ(read[0].kernel, kernel);
    EXPECT_EQ(read[0].reason, "a \"reason\" of two lines ?\\");
    EXPECT_EQ(read[1].parameters["local_m"], 8);

    libsgemm::tables::DeviceTable table;
    table.disabled = read;
    const libsgemm::catalog::Parameters same({{"local_m", 8}, {"local_n", 4}});
    const libsgemm::catalog::Parameters other({{"local_m", 16}, {"local_n", 4}});
    EXPECT_NE(libsgemm::tables::find_disabled(table, "01_naive", same), nullptr);
    EXPECT_EQ(libsgemm::tables::find_disabled(table, "01_naive", other), nullptr);
    EXPECT_NE(libsgemm::tables::find_disabled(table, kernel, other), nullptr);

    libsgemm::tables::write_disabled_kernels(file, {}, "");
    EXPECT_FALSE(std::filesystem::exists(file));
    EXPECT_TRUE(libsgemm::tables::read_disabled_kernels(file, catalog).empty());
}

} // namespace
} // namespace sgemm_test
