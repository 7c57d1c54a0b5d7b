// SPDX-License-Identifier: Apache-2.0
// Environment variables are read when a Context is made; messages go to its log callback.
#include "device/passes.hpp"
#include "support/environment_variable.hpp"
#include "support/log_collector.hpp"
#include "support/temporary_file.hpp"

namespace sgemm_test {
namespace {

class Environment : public DeviceTest {
protected:
    std::string naive_ = kernel_names().front();
    Case case_ = plain_case(50, 40, 30);
};

TEST_F(Environment, KernelVariableChoosesTheKernel) {
    for (const std::string& kernel : kernel_names()) {
        if (!sgemm::kernel_obstacles(kernel, device().handle().traits).empty()) {
            continue;
        }
        const EnvironmentVariable variable("SGEMM_KERNEL", kernel);
        const EnvironmentVariable trace("SGEMM_TRACE", "1");
        LogCollector log;
        const sgemm::Context wished = device().make_library(log.options());
        EXPECT_EQ(wished.plan(case_.problem).kernel(), kernel);
        CaseData data(device(), case_);
        data.gemm(wished, queue());
        EXPECT_TRUE(log.has(sgemm::LogLevel::trace, kernel));
        EXPECT_TRUE(data.verify(queue()));
    }
}

TEST_F(Environment, UnknownKernelInTheVariableIsAnError) {
    const EnvironmentVariable variable("SGEMM_KERNEL", "no_such_kernel");
    try {
        device().make_library();
        FAIL() << "no error";
    } catch (const sgemm::ArgumentError& error) {
        EXPECT_EQ(error.argument(), "SGEMM_KERNEL");
        EXPECT_EQ(error.value(), "no_such_kernel");
    }
}

TEST_F(Environment, KernelVariableIsAWishThatFallsBackWithAWarning) {
    // Without workspace a kernel for whole tiles cannot run this problem; gemm() runs another.
    const Case ragged = case_with_passes(device());
    const EnvironmentVariable variable("SGEMM_KERNEL", ragged.options.kernel);
    LogCollector log;
    sgemm::ContextOptions options = log.options();
    options.max_workspace_bytes = 0;
    const sgemm::Context frugal = device().make_library(options);
    CaseData data(device(), ragged);
    data.gemm(frugal, queue());
    EXPECT_TRUE(data.verify(queue()));
    EXPECT_TRUE(log.has(sgemm::LogLevel::warning, ragged.options.kernel));
}

TEST_F(Environment, KernelOptionWinsOverTheVariable) {
    const EnvironmentVariable variable("SGEMM_KERNEL", kernel_names().back());
    sgemm::ContextOptions options;
    options.plan.kernel = naive_;
    EXPECT_EQ(device().make_library(options).plan(case_.problem).kernel(), naive_);
}

TEST_F(Environment, KernelVariableIsReadWhenAContextIsMade) {
    const std::string last = kernel_names().back();
    const EnvironmentVariable variable("SGEMM_KERNEL", last);
    const sgemm::Context wished = device().make_library();
    const EnvironmentVariable changed("SGEMM_KERNEL", naive_);
    EXPECT_EQ(wished.plan(case_.problem).kernel(), last);
}

TEST_F(Environment, TraceGoesToTheLogOneLineACall) {
    const EnvironmentVariable variable("SGEMM_TRACE", "1");
    LogCollector log;
    const sgemm::Context traced = device().make_library(log.options());
    CaseData data(device(), case_);
    data.gemm(traced, queue()).wait();
    EXPECT_TRUE(log.has(sgemm::LogLevel::trace, traced.plan(case_.problem).kernel()));
}

TEST_F(Environment, TraceWithoutALogGoesToStandardError) {
    const std::string kernel = library().plan(case_.problem).kernel();
    const EnvironmentVariable variable("SGEMM_TRACE", "1");
    const sgemm::Context traced = device().make_library();
    CaseData data(device(), case_);
    ::testing::internal::CaptureStderr();
    data.gemm(traced, queue()).wait();
    EXPECT_NE(::testing::internal::GetCapturedStderr().find(kernel), std::string::npos);
}

TEST_F(Environment, WithoutTraceNothingIsPrinted) {
    const EnvironmentVariable variable("SGEMM_TRACE", std::nullopt);
    ::testing::internal::CaptureStderr();
    ::testing::internal::CaptureStdout();
    const sgemm::Context quiet = device().make_library();
    CaseData data(device(), case_);
    data.gemm(quiet, queue()).wait();
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
}

class TableFile : public Environment {};

TEST_F(TableFile, MissingFileIsAConfigurationErrorThatNamesIt) {
    const EnvironmentVariable variable("SGEMM_TABLE", "/no/such/table.toml");
    try {
        device().make_library();
        FAIL() << "the table was not looked for";
    } catch (const sgemm::ConfigurationError& error) {
        EXPECT_NE(std::string(error.what()).find("/no/such/table.toml"), std::string::npos);
    }
}

TEST_F(TableFile, SyntaxErrorNamesFileAndLine) {
    const TemporaryFile table("broken.toml", "description = \"x\"\nthis is not toml\n");
    const EnvironmentVariable variable("SGEMM_TABLE", table.path());
    try {
        device().make_library();
        FAIL() << "the table was not read";
    } catch (const sgemm::ConfigurationError& error) {
        const std::string text = error.what();
        EXPECT_NE(text.find(table.path() + ":2:"), std::string::npos) << text;
    }
}

TEST_F(TableFile, RowsAreWhatThePlannerChoosesFrom) {
    // By the user's own table the last kernel is by far the fastest.
    const std::string kernel = kernel_names().back();
    const TemporaryFile table("own.toml", "[[kernel]]\nname = \"" + kernel +
                                              "\"\nmodel = { efficiency = 100 }\n");
    const EnvironmentVariable variable("SGEMM_TABLE", table.path());
    const sgemm::Plan plan = device().make_library().plan(plain_case(2000, 2000, 2000).problem);
    EXPECT_EQ(plan.kernel(), kernel) << plan.describe();
    EXPECT_NE(plan.describe().find(table.path()), std::string::npos);
}

TEST_F(TableFile, OptionWinsOverTheVariable) {
    const TemporaryFile table("broken.toml", "this is not toml");
    const EnvironmentVariable variable("SGEMM_TABLE", table.path());
    sgemm::ContextOptions options;
    options.table_file = "/no/such/table.toml";
    try {
        device().make_library(options);
        FAIL() << "no table was looked for";
    } catch (const sgemm::ConfigurationError& error) {
        EXPECT_NE(std::string(error.what()).find("/no/such/table.toml"), std::string::npos);
    }
}

} // namespace
} // namespace sgemm_test
