// SPDX-License-Identifier: Apache-2.0
// Environment variables are read when a Context is made; messages go to its log callback.
#include "device/kernel_fixture.hpp"
#include "support/case_data.hpp"
#include "support/environment_variable.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <mutex>

#include <unistd.h>

namespace sgemm_test {
namespace {

struct Message {
    sgemm::LogLevel level;
    std::string text;
};

/// Collects a Context's messages.
class Log {
public:
    sgemm::ContextOptions options() {
        sgemm::ContextOptions result;
        result.log = [this](sgemm::LogLevel level, const std::string& text) {
            const std::scoped_lock lock(mutex_);
            messages_.push_back({level, text});
        };
        return result;
    }
    bool has(sgemm::LogLevel level, const std::string& part) const {
        const std::scoped_lock lock(mutex_);
        return std::any_of(messages_.begin(), messages_.end(), [&](const Message& message) {
            return message.level == level && message.text.find(part) != std::string::npos;
        });
    }

private:
    mutable std::mutex mutex_;
    std::vector<Message> messages_;
};

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
        EXPECT_EQ(device().make_library().plan(case_.problem).kernel(), kernel);
    }
}

TEST_F(Environment, KernelOptionWinsOverTheVariable) {
    const EnvironmentVariable variable("SGEMM_KERNEL", kernel_names().back());
    sgemm::ContextOptions options;
    options.plan.kernel = naive_;
    EXPECT_EQ(device().make_library(options).plan(case_.problem).kernel(), naive_);
}

TEST_F(Environment, KernelVariableIsReadOnce) {
    const EnvironmentVariable variable("SGEMM_KERNEL", naive_);
    const sgemm::Context forced = device().make_library();
    const EnvironmentVariable changed("SGEMM_KERNEL", kernel_names().back());
    EXPECT_EQ(forced.plan(case_.problem).kernel(), naive_);
}

TEST_F(Environment, TraceGoesToTheLogOneLineACall) {
    const EnvironmentVariable variable("SGEMM_TRACE", "1");
    Log log;
    const sgemm::Context traced = device().make_library(log.options());
    CaseData data(device(), case_);
    data.gemm(traced, queue()).wait();
    EXPECT_TRUE(log.has(sgemm::LogLevel::trace, traced.plan(case_.problem).kernel()));
}

TEST_F(Environment, TraceWithoutALogGoesToStandardError) {
    const EnvironmentVariable variable("SGEMM_TRACE", "1");
    const sgemm::Context traced = device().make_library();
    CaseData data(device(), case_);
    ::testing::internal::CaptureStderr();
    data.gemm(traced, queue()).wait();
    EXPECT_NE(::testing::internal::GetCapturedStderr().find(traced.plan(case_.problem).kernel()),
              std::string::npos);
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

class TableFile : public Environment {
protected:
    ~TableFile() override { std::filesystem::remove(path_); }
    std::string write(const std::string& text) const {
        std::ofstream(path_) << text;
        return path_.string();
    }

private:
    std::filesystem::path path_ = std::filesystem::temp_directory_path() /
                                  ("sgemm_table_" + std::to_string(::getpid()) + ".toml");
};

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
    const std::string path = write("schema = 1\nthis is not toml\n");
    const EnvironmentVariable variable("SGEMM_TABLE", path);
    try {
        device().make_library();
        FAIL() << "the table was not read";
    } catch (const sgemm::ConfigurationError& error) {
        const std::string text = error.what();
        EXPECT_NE(text.find(path), std::string::npos) << text;
        EXPECT_NE(text.find('2'), std::string::npos) << text;
    }
}

TEST_F(TableFile, OptionWinsOverTheVariable) {
    const EnvironmentVariable variable("SGEMM_TABLE", write("not toml either"));
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
