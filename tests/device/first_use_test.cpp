// SPDX-License-Identifier: Apache-2.0
// Timing at first use: opt-in, once for a class of problems, kept for later Contexts.
#include "device/kernel_fixture.hpp"
#include "support/case_data.hpp"
#include "support/environment_variable.hpp"
#include "support/log_collector.hpp"
#include "support/temporary_file.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace sgemm_test {
namespace {

class FirstUse : public DeviceTest {
protected:
    FirstUse() : file_("first_use.toml", "") { std::filesystem::remove(file_.path()); }
    ~FirstUse() override { std::filesystem::remove(file_.path() + ".lock"); }

    sgemm::ContextOptions options(LogCollector& log) const {
        sgemm::ContextOptions options = log.options();
        options.first_use.plans = 3;
        options.first_use.file = file_.path();
        return options;
    }
    std::string kept() const {
        std::ostringstream text;
        text << std::ifstream(file_.path()).rdbuf();
        return text.str();
    }

    TemporaryFile file_;
    const EnvironmentVariable no_table_{"SGEMM_TABLE",
                                        std::nullopt}; // it would come before the file
    Case case_ = plain_case(70, 50, 40);
};

TEST_F(FirstUse, TimesOnceAndKeepsTheAnswer) {
    LogCollector log;
    const sgemm::Context timed = device().make_library(options(log));
    CaseData data(device(), case_);
    data.gemm(timed, queue());
    EXPECT_TRUE(data.verify(queue()));
    EXPECT_TRUE(log.has(sgemm::LogLevel::info, "timed "));
    const std::string text = kept();
    EXPECT_NE(text.find("[[choice]]"), std::string::npos) << text;
    EXPECT_EQ(text.find("call_us"), std::string::npos) << "launches were timed one by one";
    EXPECT_EQ(text.find("bandwidth_units"), std::string::npos) << "bandwidths, with all units";

    LogCollector later_log;
    const sgemm::Context later = device().make_library(options(later_log));
    data.gemm(later, queue());
    EXPECT_TRUE(data.verify(queue()));
    EXPECT_FALSE(later_log.has(sgemm::LogLevel::info, "timed ")) << "it was known";
    EXPECT_EQ(kept(), text);
}

TEST_F(FirstUse, NobodyAskedNothingIsTimed) {
    const EnvironmentVariable variable("SGEMM_FIRST_USE", "0");
    LogCollector log;
    const sgemm::Context plain = device().make_library(log.options());
    CaseData data(device(), case_);
    data.gemm(plain, queue());
    EXPECT_TRUE(data.verify(queue()));
    EXPECT_FALSE(log.has(sgemm::LogLevel::info, "timed "));
}

TEST_F(FirstUse, AFileThatCannotBeWrittenIsAWarning) {
    LogCollector log;
    sgemm::ContextOptions unwritable = options(log);
    unwritable.first_use.file = "/dev/null/sgemm.toml";
    const sgemm::Context timed = device().make_library(unwritable);
    CaseData data(device(), case_);
    data.gemm(timed, queue());
    EXPECT_TRUE(data.verify(queue()));
    EXPECT_TRUE(log.has(sgemm::LogLevel::warning, "/dev/null/sgemm.toml"));
}

TEST_F(FirstUse, AForcedKernelIsNotTimed) {
    LogCollector log;
    sgemm::ContextOptions forced = options(log);
    forced.plan.kernel = kernel_names().front();
    const sgemm::Context library = device().make_library(forced);
    EXPECT_EQ(library.plan(case_.problem).kernel(), kernel_names().front());
    EXPECT_FALSE(log.has(sgemm::LogLevel::info, "timed "));
}

TEST_F(FirstUse, AVariableThatIsNoNumberIsAnError) {
    const EnvironmentVariable variable("SGEMM_FIRST_USE", "many");
    EXPECT_THROW(device().make_library(), sgemm::ArgumentError);
}

} // namespace
} // namespace sgemm_test
