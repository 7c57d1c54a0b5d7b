// SPDX-License-Identifier: Apache-2.0
// What a program with a locale of its own leaves on the disk serves programs with any other.
#include "device/kernel_fixture.hpp"
#include "support/case_data.hpp"
#include "support/environment_variable.hpp"
#include "support/hostile_locale.hpp"
#include "support/log_collector.hpp"
#include "support/temporary_folder.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

namespace sgemm_test {
namespace {

class LocaleOfAProgram : public DeviceTest {
protected:
    libsgemm::ContextOptions options(LogCollector& log) const {
        libsgemm::ContextOptions options = log.options();
        options.first_use.plans = 2;
        options.first_use.file = table_;
        options.disk_cache.folder = folder_ / "cache";
        return options;
    }
    void multiply(const libsgemm::Context& library) {
        CaseData data(device(), case_);
        data.gemm(library, queue()).wait();
        EXPECT_TRUE(data.verify(queue()));
    }
    /// What a new Context did for a product.
    libsgemm::ContextStatistics run(LogCollector& log) {
        const libsgemm::Context library = device().make_library(options(log));
        multiply(library);
        return library.statistics();
    }
    static void expect_timed(const LogCollector& log) {
        EXPECT_TRUE(log.has(libsgemm::LogLevel::info, "timed "));
    }
    /// What was kept is understood, so there is nothing to find anew.
    void expect_read(const LogCollector& log) const {
        EXPECT_FALSE(log.has(libsgemm::LogLevel::warning, table_));
        EXPECT_FALSE(log.has(libsgemm::LogLevel::info, "timed "));
        EXPECT_FALSE(std::filesystem::exists(table_ + ".damaged"));
    }
    std::string kept() const {
        std::ifstream stream(table_, std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), {}};
    }

    TemporaryFolder folder_;
    std::string table_ = folder_ / "table.toml";
    Case case_ = plain_case(1024, 33, 17);

private:
    const EnvironmentVariable cache_{"SGEMM_CACHE", std::nullopt};
    const EnvironmentVariable trace_{"SGEMM_TRACE", "1"};
};

TEST_F(LocaleOfAProgram, LeavesATableAndProgramsThatOthersRead) {
    LogCollector hostile_log;
    {
        const HostileLocale hostile;
        EXPECT_GT(run(hostile_log).programs_built, 0U);
        expect_timed(hostile_log);
    }
    const std::string text = kept();
    EXPECT_FALSE(text.empty());
    EXPECT_FALSE(std::regex_search(text, std::regex("[0-9][.,][0-9]"))) << text; // all are whole

    LogCollector log;
    const auto later = run(log);
    EXPECT_EQ(later.programs_built, 0U);
    EXPECT_GT(later.programs_loaded, 0U);
    expect_read(log);
}

TEST_F(LocaleOfAProgram, DoesNotKeepItFromReadingWhatOthersLeft) {
    LogCollector log;
    EXPECT_GT(run(log).programs_built, 0U);
    expect_timed(log);

    const HostileLocale hostile;
    LogCollector hostile_log;
    const auto later = run(hostile_log);
    EXPECT_EQ(later.programs_built, 0U);
    EXPECT_GT(later.programs_loaded, 0U);
    expect_read(hostile_log);
}

} // namespace
} // namespace sgemm_test
