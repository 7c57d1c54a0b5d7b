// SPDX-License-Identifier: Apache-2.0
// Environment variables are read when a Context is made; messages go to its log callback.
#include "device/passes.hpp"
#include "support/environment_variable.hpp"
#include "support/log_collector.hpp"
#include "support/temporary_file.hpp"
#include "support/temporary_folder.hpp"
#include "tables/disabled_kernels.hpp"

#include <fstream>
#include <memory>

namespace sgemm_test {
namespace {

class Environment : public DeviceTest {
protected:
    /// The last of the catalogue that the device can run.
    std::string last_kernel() const {
        std::string last;
        for (const std::string& kernel : kernel_names_with(is_strict)) {
            if (libsgemm::kernel_obstacles(kernel, device().handle().traits).empty()) {
                last = kernel;
            }
        }
        return last;
    }

    std::string naive_ = kernel_names_with(is_strict).front();
    Case case_ = plain_case(50, 40, 30);
};

TEST_F(Environment, KernelVariableChoosesTheKernel) {
    for (const std::string& kernel : kernel_names_with(is_strict)) {
        if (!libsgemm::kernel_obstacles(kernel, device().handle().traits).empty()) {
            continue;
        }
        const EnvironmentVariable variable("SGEMM_KERNEL", kernel);
        const EnvironmentVariable trace("SGEMM_TRACE", "1");
        LogCollector log;
        const libsgemm::Context wished = device().make_library(log.options());
        EXPECT_EQ(wished.plan(case_.problem).kernel(), kernel);
        CaseData data(device(), case_);
        data.gemm(wished, queue());
        EXPECT_TRUE(log.has(libsgemm::LogLevel::trace, kernel));
        EXPECT_TRUE(data.verify(queue()));
    }
}

TEST_F(Environment, UnknownKernelInTheVariableIsAnError) {
    const EnvironmentVariable variable("SGEMM_KERNEL", "no_such_kernel");
    try {
        device().make_library();
        FAIL() << "no error";
    } catch (const libsgemm::ArgumentError& error) {
        EXPECT_EQ(error.argument(), "SGEMM_KERNEL");
        EXPECT_EQ(error.value(), "no_such_kernel");
    }
}

TEST_F(Environment, KernelVariableIsAWishThatFallsBackWithAWarning) {
    // Without workspace a kernel for whole tiles cannot run this problem; gemm() runs another.
    const Case ragged = case_with_passes(device());
    const EnvironmentVariable variable("SGEMM_KERNEL", ragged.options.kernel);
    LogCollector log;
    libsgemm::ContextOptions options = log.options();
    options.max_workspace_bytes = 0;
    const libsgemm::Context frugal = device().make_library(options);
    CaseData data(device(), ragged);
    data.gemm(frugal, queue());
    EXPECT_TRUE(data.verify(queue()));
    EXPECT_TRUE(log.has(libsgemm::LogLevel::warning, ragged.options.kernel));
}

TEST_F(Environment, KernelVariableDoesNotBreakThePromiseOfStrict) {
    for (const char* scheme : {"emulated_fp16", "emulated_tf32", "emulated_bf16"}) {
        const EnvironmentVariable variable("SGEMM_KERNEL", scheme);
        const EnvironmentVariable precision("SGEMM_PRECISION", std::nullopt);
        LogCollector log;
        const libsgemm::Context wished = device().make_library(log.options());
        EXPECT_EQ(wished.plan(case_.problem).precision(), libsgemm::Precision::strict);
        EXPECT_TRUE(log.has(libsgemm::LogLevel::warning, "Precision::strict does not allow"));
        CaseData data(device(), case_);
        data.gemm(wished, queue());
        EXPECT_TRUE(data.verify(queue()));
        if (libsgemm::kernel_obstacles(scheme, device().handle().traits).empty()) {
            libsgemm::Problem free = case_.problem;
            free.precision = libsgemm::Precision::emulated;
            EXPECT_EQ(wished.plan(free).kernel(), scheme) << "there it is a wish like any other";
        }
    }
}

TEST_F(Environment, KernelOptionWinsOverTheVariable) {
    const EnvironmentVariable variable("SGEMM_KERNEL", kernel_names_with(is_strict).back());
    libsgemm::ContextOptions options;
    options.plan.kernel = naive_;
    EXPECT_EQ(device().make_library(options).plan(case_.problem).kernel(), naive_);
}

TEST_F(Environment, KernelVariableIsReadWhenAContextIsMade) {
    const std::string last = last_kernel();
    const EnvironmentVariable variable("SGEMM_KERNEL", last);
    const libsgemm::Context wished = device().make_library();
    const EnvironmentVariable changed("SGEMM_KERNEL", naive_);
    EXPECT_EQ(wished.plan(case_.problem).kernel(), last);
}

TEST_F(Environment, TraceGoesToTheLogOneLineACall) {
    const EnvironmentVariable variable("SGEMM_TRACE", "1");
    LogCollector log;
    const libsgemm::Context traced = device().make_library(log.options());
    CaseData data(device(), case_);
    data.gemm(traced, queue()).wait();
    EXPECT_TRUE(log.has(libsgemm::LogLevel::trace, traced.plan(case_.problem).kernel()));
}

TEST_F(Environment, TraceTellsWhereThePlanIsFromAndHowLongEachPassTook) {
    const EnvironmentVariable variable("SGEMM_TRACE", "1");
    const auto profiled = device().make_queue(CL_QUEUE_PROFILING_ENABLE);
    const Case with_passes = case_with_passes(device());
    LogCollector log;
    {
        libsgemm::ContextOptions options = log.options();
        options.expert = std::make_shared<libsgemm::ExpertPlanOptions>(with_passes.options);
        const libsgemm::Context traced = device().make_library(options);
        CaseData data(device(), with_passes);
        data.gemm(traced, profiled.get()).wait();
        EXPECT_TRUE(log.has(libsgemm::LogLevel::trace, "; a new plan"));
        EXPECT_TRUE(log.has(libsgemm::LogLevel::trace, " allocated; programs so far: "));
        EXPECT_FALSE(log.has(libsgemm::LogLevel::trace, "call 1 took"));
        data.gemm(traced, profiled.get()).wait(); // by now the first one's times are known
        EXPECT_TRUE(log.has(libsgemm::LogLevel::trace, "call 1 took "));
        EXPECT_TRUE(log.has(libsgemm::LogLevel::trace, "; a remembered plan"));
        EXPECT_TRUE(log.has(libsgemm::LogLevel::trace, " from the pool"));
        EXPECT_FALSE(log.has(libsgemm::LogLevel::trace, "call 2 took"));
        data.gemm(traced, queue()).wait();
        EXPECT_TRUE(log.has(libsgemm::LogLevel::trace, "no times: the queue has no"));
    }
    const libsgemm::Plan plan = plan_case(library(), with_passes);
    ASSERT_GT(plan.passes().size(), 1U);
    for (const std::string& pass : plan.passes()) {
        EXPECT_TRUE(log.has(libsgemm::LogLevel::trace, " " + pass + " "));
    }
    EXPECT_FALSE(log.has(libsgemm::LogLevel::trace, "call 3 took"));
}

TEST_F(Environment, TimesThatAreStillToComeAreToldWithTheLastUse) {
    const EnvironmentVariable variable("SGEMM_TRACE", "1");
    const auto profiled = device().make_queue(CL_QUEUE_PROFILING_ENABLE);
    LogCollector log;
    {
        const libsgemm::Context traced = device().make_library(log.options());
        CaseData data(device(), case_);
        data.gemm(traced, profiled.get()).wait();
        EXPECT_FALSE(log.has(libsgemm::LogLevel::trace, "call 1 took"));
    }
    EXPECT_TRUE(log.has(libsgemm::LogLevel::trace, "call 1 took"));
}

TEST_F(Environment, TraceWithoutALogGoesToStandardError) {
    const std::string kernel = library().plan(case_.problem).kernel();
    const EnvironmentVariable variable("SGEMM_TRACE", "1");
    const libsgemm::Context traced = device().make_library();
    CaseData data(device(), case_);
    ::testing::internal::CaptureStderr();
    data.gemm(traced, queue()).wait();
    EXPECT_NE(::testing::internal::GetCapturedStderr().find(kernel), std::string::npos);
}

TEST_F(Environment, WithoutTraceNothingIsPrinted) {
    const EnvironmentVariable variable("SGEMM_TRACE", std::nullopt);
    ::testing::internal::CaptureStderr();
    ::testing::internal::CaptureStdout();
    const libsgemm::Context quiet = device().make_library();
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
    } catch (const libsgemm::ConfigurationError& error) {
        EXPECT_NE(std::string(error.what()).find("/no/such/table.toml"), std::string::npos);
    }
}

TEST_F(TableFile, SyntaxErrorNamesFileAndLine) {
    const TemporaryFile table("broken.toml", "description = \"x\"\nthis is not toml\n");
    const EnvironmentVariable variable("SGEMM_TABLE", table.path());
    try {
        device().make_library();
        FAIL() << "the table was not read";
    } catch (const libsgemm::ConfigurationError& error) {
        const std::string text = error.what();
        EXPECT_NE(text.find(table.path() + ":2:"), std::string::npos) << text;
    }
}

TEST_F(TableFile, RowsAreWhatThePlannerChoosesFrom) {
    // By the user's own table the last kernel is by far the fastest.
    const std::string kernel = last_kernel();
    const TemporaryFile table("own.toml", "[[kernel]]\nname = \"" + kernel +
                                              "\"\nmodel = { efficiency = 100 }\n"
                                              "[[kernel]]\nname = \"tiled\"\n");
    const EnvironmentVariable variable("SGEMM_TABLE", table.path());
    const libsgemm::Plan plan = device().make_library().plan(plain_case(2000, 2000, 2000).problem);
    EXPECT_EQ(plan.kernel(), kernel) << plan.describe();
    EXPECT_NE(plan.describe().find(table.path()), std::string::npos);
}

TEST_F(TableFile, OptionWinsOverTheVariable) {
    const TemporaryFile table("broken.toml", "this is not toml");
    const EnvironmentVariable variable("SGEMM_TABLE", table.path());
    libsgemm::ContextOptions options;
    options.table_file = "/no/such/table.toml";
    try {
        device().make_library(options);
        FAIL() << "no table was looked for";
    } catch (const libsgemm::ConfigurationError& error) {
        EXPECT_NE(std::string(error.what()).find("/no/such/table.toml"), std::string::npos);
    }
}

/// What `sgemm-info --self-test` leaves behind counts for every Context on the machine.
TEST_F(TableFile, KernelsThatTheSelfTestDisabledAreNotUsed) {
    const std::string chosen = "tiled"; // and another one if it is not to be used
    const TemporaryFile table("two.toml",
                              "[[kernel]]\nname = \"tiled\"\nmodel = { efficiency = 100 }\n"
                              "[[kernel]]\nname = \"01_naive\"\n");
    const EnvironmentVariable variable("SGEMM_TABLE", table.path());
    ASSERT_EQ(device().make_library().plan(case_.problem).kernel(), chosen);
    const TemporaryFolder home;
    const EnvironmentVariable data_home("XDG_DATA_HOME", home.path());
    const std::string file = libsgemm::tables::disabled_kernels_path(device().handle().traits);
    ASSERT_EQ(file.rfind(home.path(), 0), 0U);
    libsgemm::tables::write_disabled_kernels(file, {{chosen, {}, "found to be wrong"}}, "a test's");

    const libsgemm::Context careful = device().make_library();
    const libsgemm::Plan plan = careful.plan(case_.problem);
    EXPECT_NE(plan.kernel(), chosen);
    EXPECT_NE(plan.describe().find("disabled: found to be wrong"), std::string::npos);
    CaseData data(device(), case_);
    data.gemm(careful, queue());
    EXPECT_TRUE(data.verify(queue()));
    libsgemm::PlanOptions forced;
    forced.kernel = chosen;
    EXPECT_THROW(careful.plan(case_.problem, forced), libsgemm::UnsupportedError);

    // One that cannot be understood breaks no program.
    std::ofstream(file) << "no TOML at all [";
    LogCollector log;
    const libsgemm::Context again = device().make_library(log.options());
    EXPECT_EQ(again.plan(case_.problem).kernel(), chosen);
    EXPECT_TRUE(log.has(libsgemm::LogLevel::warning, "in use again"));
}

} // namespace
} // namespace sgemm_test
