// SPDX-License-Identifier: Apache-2.0
// Timing at first use: opt-in, once for a class of problems, kept for later Contexts.
#include "device/kernel_fixture.hpp"
#include "support/atomic_file.hpp"
#include "support/case_data.hpp"
#include "support/environment_variable.hpp"
#include "support/log_collector.hpp"
#include "support/temporary_file.hpp"
#include "support/temporary_folder.hpp"
#include "tables/choices.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace sgemm_test {
namespace {

class FirstUse : public DeviceTest {
protected:
    FirstUse() : file_("first_use.toml", "") { std::filesystem::remove(file_.path()); }
    ~FirstUse() override { std::filesystem::remove(file_.path() + ".lock"); }

    libsgemm::ContextOptions options(LogCollector& log) const {
        libsgemm::ContextOptions options = log.options();
        options.first_use.plans = 3;
        options.first_use.file = file_.path();
        return options;
    }
    std::string kept() const {
        std::ostringstream text;
        text << std::ifstream(file_.path()).rdbuf();
        return text.str();
    }

    static std::string type_of(const libsgemm::DeviceTraits& traits) {
        return traits.type == libsgemm::DeviceType::cpu   ? "cpu"
               : traits.type == libsgemm::DeviceType::gpu ? "gpu"
                                                          : "accelerator";
    }

    TemporaryFile file_;
    const EnvironmentVariable no_table_{"SGEMM_TABLE",
                                        std::nullopt}; // it would come before the file
    Case case_ = plain_case(70, 50, 40);
};

TEST_F(FirstUse, TimesOnceAndKeepsTheAnswer) {
    LogCollector log;
    const libsgemm::Context timed = device().make_library(options(log));
    CaseData data(device(), case_);
    data.gemm(timed, queue());
    EXPECT_TRUE(data.verify(queue()));
    EXPECT_TRUE(log.has(libsgemm::LogLevel::info, "timed "));
    const std::string text = kept();
    EXPECT_NE(text.find("[[choice]]"), std::string::npos) << text;
    EXPECT_EQ(text.find("[machine]"), std::string::npos) << "what a noisy reading may steer";

    LogCollector later_log;
    const libsgemm::Context later = device().make_library(options(later_log));
    data.gemm(later, queue());
    EXPECT_TRUE(data.verify(queue()));
    EXPECT_FALSE(later_log.has(libsgemm::LogLevel::info, "timed ")) << "it was known";
    EXPECT_EQ(kept(), text);
}

TEST_F(FirstUse, NobodyAskedNothingIsTimed) {
    const EnvironmentVariable variable("SGEMM_FIRST_USE", "0");
    LogCollector log;
    const libsgemm::Context plain = device().make_library(log.options());
    CaseData data(device(), case_);
    data.gemm(plain, queue());
    EXPECT_TRUE(data.verify(queue()));
    EXPECT_FALSE(log.has(libsgemm::LogLevel::info, "timed "));
}

TEST_F(FirstUse, AFileThatCannotBeWrittenIsAWarning) {
    LogCollector log;
    libsgemm::ContextOptions unwritable = options(log);
    unwritable.first_use.file = "/dev/null/sgemm.toml";
    const libsgemm::Context timed = device().make_library(unwritable);
    CaseData data(device(), case_);
    data.gemm(timed, queue());
    EXPECT_TRUE(data.verify(queue()));
    EXPECT_TRUE(log.has(libsgemm::LogLevel::warning, "/dev/null/sgemm.toml"));
}

TEST_F(FirstUse, AForcedKernelIsNotTimed) {
    LogCollector log;
    libsgemm::ContextOptions forced = options(log);
    forced.plan.kernel = kernel_names().front();
    const libsgemm::Context library = device().make_library(forced);
    EXPECT_EQ(library.plan(case_.problem).kernel(), kernel_names().front());
    EXPECT_FALSE(log.has(libsgemm::LogLevel::info, "timed "));
}

/// What one program names is no other program's affair.
TEST_F(FirstUse, ATableThatAProgramNamedIsKeptFromOthers) {
    const TemporaryFolder home;
    const EnvironmentVariable data("XDG_DATA_HOME", home.path());
    const std::string built_in = device().make_library().plan(case_.problem).describe();
    const libsgemm::DeviceTraits& traits = device().handle().traits;
    const TemporaryFile table("own.toml", "[match]\ntype = \"" + type_of(traits) +
                                              "\"\n[machine]\nbandwidth_gbs = 10\n"
                                              "[[kernel]]\nname = \"packed\"\n");
    {
        const EnvironmentVariable named("SGEMM_TABLE", table.path());
        const EnvironmentVariable timing("SGEMM_FIRST_USE", "2");
        LogCollector log;
        const libsgemm::Context timed = device().make_library(log.options());
        CaseData data_of_case(device(), case_);
        data_of_case.gemm(timed, queue());
        EXPECT_TRUE(data_of_case.verify(queue()));
        EXPECT_TRUE(log.has(libsgemm::LogLevel::info, "timed "));
        EXPECT_FALSE(log.has(libsgemm::LogLevel::warning, ""));
    }
    EXPECT_TRUE(std::filesystem::is_empty(home.path())) << "nothing is kept for others";
    EXPECT_EQ(device().make_library().plan(case_.problem).describe(), built_in);
}

/// Choices of the usual table count for all programs of the user, and change nothing else.
TEST_F(FirstUse, ChoicesOfTheUsualTableAreForAllPrograms) {
    const TemporaryFolder home;
    const EnvironmentVariable data("XDG_DATA_HOME", home.path());
    const Case other = plain_case(1000, 1000, 1000);
    const std::string built_in = device().make_library().plan(other.problem).describe();
    {
        const EnvironmentVariable timing("SGEMM_FIRST_USE", "2");
        const libsgemm::Context timed = device().make_library();
        CaseData data_of_case(device(), case_);
        data_of_case.gemm(timed, queue());
    }
    EXPECT_TRUE(std::filesystem::exists(libsgemm::tables::choices_path(device().handle().traits)));
    EXPECT_FALSE(
        std::filesystem::exists(libsgemm::tables::user_table_path(device().handle().traits)));
    const libsgemm::Context plain = device().make_library();
    libsgemm::PlanOptions as_called;
    as_called.offset_alignment = 16;
    EXPECT_NE(plain.plan(case_.problem, as_called).describe().find("the first one by timing"),
              std::string::npos);
    EXPECT_EQ(plain.plan(other.problem).describe(), built_in);
}

TEST_F(FirstUse, ADamagedFileOfChoicesIsMadeAgainWithAWarning) {
    const TemporaryFolder home;
    const EnvironmentVariable data("XDG_DATA_HOME", home.path());
    const std::string file = libsgemm::tables::choices_path(device().handle().traits);
    libsgemm::support::replace_file(file, "[[choice]]\nproblems = \"NN\", plan = 0,56\n");
    LogCollector log;
    const libsgemm::Context plain = device().make_library(log.options());
    CaseData data_of_case(device(), case_);
    data_of_case.gemm(plain, queue());
    EXPECT_TRUE(data_of_case.verify(queue()));
    EXPECT_TRUE(log.has(libsgemm::LogLevel::warning, file + ".damaged"));
    LogCollector later;
    const libsgemm::Context again = device().make_library(later.options());
    EXPECT_FALSE(later.has(libsgemm::LogLevel::warning, ""));
}

TEST_F(FirstUse, AVariableThatIsNoNumberIsAnError) {
    const EnvironmentVariable variable("SGEMM_FIRST_USE", "many");
    EXPECT_THROW(device().make_library(), libsgemm::ArgumentError);
}

/// Problems that a program has tuned.
class Tuning : public FirstUse {
protected:
    /// A table by which the slowest kernel is the fastest.
    libsgemm::ContextOptions misled(LogCollector& log) const {
        libsgemm::ContextOptions misled = log.options();
        misled.table_file = table_.path();
        misled.first_use.file = file_.path();
        return misled;
    }
    static std::string kernel_for(const libsgemm::Context& library,
                                  const libsgemm::Problem& problem) {
        libsgemm::PlanOptions as_called;
        as_called.offset_alignment = 16;
        return library.plan(problem, as_called).kernel();
    }

    const TemporaryFile table_{"misled.toml",
                               "[match]\ntype = \"" + type_of(device().handle().traits) +
                                   "\"\n[[kernel]]\nname = \"01_naive\"\n"
                                   "model = { efficiency = 50 }\n[[kernel]]\nname = \"tiled\"\n"
                                   "[[kernel]]\nname = \"packed\"\n"};
    const libsgemm::Problem problem_ = plain_case(320, 320, 320).problem;
    const libsgemm::Problem other_ = plain_case(320, 320, 319).problem;
};

TEST_F(Tuning, CallsTakeWhatWasTheFastestForExactlyThem) {
    LogCollector log;
    const libsgemm::Context library = device().make_library(misled(log));
    Case c = plain_case(320, 320, 320);
    CaseData data(device(), c);
    data.gemm(library, queue()); // its plan is remembered
    ASSERT_TRUE(data.verify(queue()));
    ASSERT_EQ(kernel_for(library, problem_), "01_naive");

    std::vector<libsgemm::TunedProblem> tuned;
    constexpr double until_all_is_timed = 600;
    EXPECT_EQ(library.tune({problem_}, until_all_is_timed,
                           [&](const libsgemm::TunedProblem& one) {
                               tuned.push_back(one);
                               return true;
                           }),
              1U);
    ASSERT_EQ(tuned.size(), 1U);
    EXPECT_EQ(tuned[0].done, 1U);
    EXPECT_EQ(tuned[0].count, 1U);
    EXPECT_LT(tuned[0].seconds, tuned[0].seconds_before);
    EXPECT_EQ(tuned[0].plan.find("01_naive"), std::string::npos) << tuned[0].plan;
    EXPECT_NE(kernel_for(library, problem_), "01_naive");
    EXPECT_EQ(kernel_for(library, other_), "01_naive");
    const std::uint64_t plans = library.statistics().plans_made;
    CaseData again(device(), c);
    again.gemm(library, queue());
    EXPECT_TRUE(again.verify(queue()));
    EXPECT_EQ(library.statistics().plans_made, plans + 1) << "the old plan is forgotten";

    LogCollector later_log;
    const libsgemm::Context later = device().make_library(misled(later_log));
    EXPECT_NE(kernel_for(later, problem_), "01_naive") << "it is kept: " << kept();
    EXPECT_EQ(kernel_for(later, other_), "01_naive");
    EXPECT_FALSE(later_log.has(libsgemm::LogLevel::warning, ""));
}

TEST_F(Tuning, EndsWhereItsListenerSaysSo) {
    LogCollector log;
    const libsgemm::Context library = device().make_library(misled(log));
    EXPECT_EQ(library.tune({other_, problem_}, 600, [](const auto&) { return false; }), 1U);
    EXPECT_NE(kernel_for(library, other_), "01_naive");
    EXPECT_EQ(kernel_for(library, problem_), "01_naive");
    EXPECT_EQ(library.tune({}, 1), 0U);
}

TEST_F(Tuning, TriesOneOfEachFamilyWhateverTimeThereIs) {
    LogCollector log;
    const libsgemm::Context library = device().make_library(misled(log));
    EXPECT_EQ(library.tune({problem_}, 1e-9), 1U);
    EXPECT_NE(kernel_for(library, problem_), "01_naive");
}

/// A sub-device, or a CPU with fewer threads, keeps its choices in the same file.
TEST_F(Tuning, WhatWasFoundOnAnotherDeviceDoesNotCount) {
    LogCollector log;
    ASSERT_EQ(device().make_library(misled(log)).tune({problem_}, 1e-9), 1U);
    std::string text = kept();
    const std::string key = libsgemm::tables::device_key(device().handle().traits);
    const std::size_t at = text.find(key);
    ASSERT_NE(at, std::string::npos) << text;
    EXPECT_NE(kernel_for(device().make_library(misled(log)), problem_), "01_naive");
    libsgemm::support::replace_file(file_.path(), text.replace(at, key.size(), "another"));
    EXPECT_EQ(kernel_for(device().make_library(misled(log)), problem_), "01_naive");
}

TEST_F(Tuning, ChoicesOfKernelsThatHaveChangedGoWithoutAWarning) {
    libsgemm::tables::Choice choice{"NN of old", {"01_naive"}};
    choice.source = "0000000000000000";
    libsgemm::support::replace_file(file_.path(), libsgemm::tables::choice_text(choice));
    LogCollector log;
    const libsgemm::Context library = device().make_library(misled(log));
    EXPECT_TRUE(log.has(libsgemm::LogLevel::info, file_.path() + ": 01_naive has changed"));
    EXPECT_FALSE(log.has(libsgemm::LogLevel::warning, ""));
    EXPECT_EQ(library.tune({problem_}, 1e-9), 1U);
    EXPECT_EQ(kept().find(choice.source), std::string::npos) << kept();
}

TEST_F(Tuning, RefusesWhatItCannotTune) {
    LogCollector log;
    const libsgemm::Context library = device().make_library(misled(log));
    EXPECT_THROW(library.tune({problem_}, 0), libsgemm::ArgumentError);
    try {
        library.tune({problem_}, -1e-9);
        ADD_FAILURE() << "no time";
    } catch (const libsgemm::ArgumentError& error) {
        EXPECT_NE(std::string(error.what()).find("-1e-09"), std::string::npos) << error.what();
    }
    libsgemm::Problem batch = problem_;
    batch.batch_count = 2;
    EXPECT_THROW(library.tune({problem_, batch}, 600), libsgemm::ArgumentError);
    libsgemm::Problem empty = problem_;
    empty.m = 0;
    EXPECT_THROW(library.tune({empty}, 600), libsgemm::ArgumentError);
    libsgemm::ContextOptions forced = misled(log);
    forced.plan.kernel = "01_naive";
    EXPECT_THROW(device().make_library(forced).tune({problem_}, 600), libsgemm::ArgumentError);
    EXPECT_EQ(kernel_for(library, problem_), "01_naive") << "nothing was tuned";
}

} // namespace
} // namespace sgemm_test
