// SPDX-License-Identifier: Apache-2.0
// Programs from the disk: a second Context compiles nothing, computes the same bits, and no state
// of the folder keeps it from working.
#include "compile/cache_entry.hpp"
#include "device/passes.hpp"
#include "support/environment_variable.hpp"
#include "support/log_collector.hpp"
#include "support/temporary_folder.hpp"

#include <cstring>
#include <fstream>

namespace sgemm_test {
namespace {

namespace fs = std::filesystem;

class ProgramsOnDisk : public DeviceTest {
protected:
    libsgemm::ContextOptions options() {
        libsgemm::ContextOptions result = log_.options();
        result.disk_cache.folder = folder_.path();
        return result;
    }
    /// A library without compiled programs, as in a new process.
    libsgemm::Context cold() { return device().make_library(options()); }

    /// What a cold library did for the case, whose result is checked.
    libsgemm::ContextStatistics run(const Case& c) {
        const libsgemm::Context library = cold();
        CaseData data(device(), c);
        if (c.options.kernel.empty()) {
            data.gemm(library, queue()).wait();
        } else {
            data.enqueue(plan_case(library, c), queue()).wait();
        }
        EXPECT_TRUE(data.verify(queue())) << c;
        return library.statistics();
    }
    std::vector<fs::path> entries() const {
        std::vector<fs::path> files;
        for (const auto& entry : fs::directory_iterator(folder_.path())) {
            files.push_back(entry.path());
        }
        return files;
    }
    void expect_built(const libsgemm::ContextStatistics& statistics) {
        EXPECT_GT(statistics.programs_built, 0U);
        EXPECT_EQ(statistics.programs_loaded, 0U);
    }
    void expect_loaded(const libsgemm::ContextStatistics& statistics) {
        EXPECT_EQ(statistics.programs_built, 0U);
        EXPECT_GT(statistics.programs_loaded, 0U);
    }

    TemporaryFolder folder_;
    LogCollector log_;
    Case case_ = plain_case(65, 43, 21);

private:
    const EnvironmentVariable on_{"SGEMM_CACHE", std::nullopt};
};

TEST_F(ProgramsOnDisk, TheSecondProcessCompilesNothing) {
    const auto first = run(case_);
    expect_built(first);
    EXPECT_EQ(entries().size(), first.programs_built);
    const auto second = run(case_);
    expect_loaded(second);
    EXPECT_EQ(second.programs_loaded, first.programs_built);
    EXPECT_TRUE(log_.has(libsgemm::LogLevel::info, "loaded "));
}

TEST_F(ProgramsOnDisk, WithPassesToo) {
    const Case c = case_with_passes(device());
    expect_built(run(c));
    expect_loaded(run(c));
}

TEST_F(ProgramsOnDisk, EveryKernelComputesTheSameBitsFromTheDisk) {
    const libsgemm::DeviceTraits& traits = device().handle().traits;
    for (const auto& kernel : libsgemm::catalog::kernel_catalog().entries()) {
        if (!libsgemm::kernel_obstacles(std::string(kernel.name), traits).empty()) {
            continue;
        }
        const libsgemm::catalog::Parameters parameters = small_parameters(kernel, traits);
        Case c = case_;
        c.problem.k = kernel.tile(parameters).some_k(c.problem.k);
        c.options = forced(kernel, parameters);
        std::vector<std::vector<float>> results;
        for (int i = 0; i < 2; ++i) {
            CaseData data(device(), c);
            data.enqueue(plan_case(cold(), c), queue()).wait();
            EXPECT_TRUE(data.verify(queue())) << c;
            results.push_back(data.result(queue()));
        }
        ASSERT_EQ(results[0].size(), results[1].size());
        EXPECT_EQ(
            std::memcmp(results[0].data(), results[1].data(), results[0].size() * sizeof(float)), 0)
            << kernel.name;
    }
}

TEST_F(ProgramsOnDisk, DamagedEntriesAreRebuiltAndReplaced) {
    expect_built(run(case_));
    const auto damages = {
        +[](const fs::path& file) { fs::resize_file(file, 0); },
        +[](const fs::path& file) { fs::resize_file(file, fs::file_size(file) / 2); },
        +[](const fs::path& file) {
            std::fstream stream(file, std::ios::in | std::ios::out);
            stream.seekp(static_cast<std::streamoff>(fs::file_size(file) / 2));
            stream.write("damage", 6);
        }};
    for (const auto& damage : damages) {
        for (const fs::path& file : entries()) {
            damage(file);
        }
        expect_built(run(case_));
        expect_loaded(run(case_));
    }
}

/// Undamaged as far as the cache can tell.
TEST_F(ProgramsOnDisk, BinariesThatTheDriverRefusesAreRebuilt) {
    expect_built(run(case_));
    for (const fs::path& file : entries()) {
        std::ifstream stream(file, std::ios::binary);
        std::string line;
        for (int i = 0; i < 3; ++i) {
            std::getline(stream, line); // the last one is the key's length
        }
        std::string key(std::stoul(line), '\0');
        stream.read(key.data(), static_cast<std::streamsize>(key.size()));
        std::ofstream(file, std::ios::binary)
            << libsgemm::compile::format_entry(key, "not a binary");
    }
    expect_built(run(case_));
    expect_loaded(run(case_));
}

TEST_F(ProgramsOnDisk, EntriesThatChangedPlacesAreRebuilt) {
    expect_built(run(case_with_passes(device()))); // several programs
    const auto files = entries();
    ASSERT_GE(files.size(), 2U);
    for (std::size_t i = 1; i < files.size(); ++i) {
        fs::copy_file(files[0], files[i], fs::copy_options::overwrite_existing);
    }
    const auto statistics = run(case_with_passes(device()));
    EXPECT_EQ(statistics.programs_loaded, 1U);
    EXPECT_EQ(statistics.programs_built, files.size() - 1);
}

TEST_F(ProgramsOnDisk, AFolderThatCannotBeWrittenIsAWarning) {
    libsgemm::ContextOptions unwritable = options();
    unwritable.disk_cache.folder = "/proc/no/such/folder";
    const libsgemm::Context library = device().make_library(unwritable);
    CaseData data(device(), case_);
    data.gemm(library, queue()).wait();
    EXPECT_TRUE(data.verify(queue()));
    EXPECT_TRUE(log_.has(libsgemm::LogLevel::warning, "/proc/no/such/folder"));
}

TEST_F(ProgramsOnDisk, SwitchedOffNothingIsReadOrWritten) {
    const EnvironmentVariable off("SGEMM_CACHE", "0");
    expect_built(run(case_));
    expect_built(run(case_));
    EXPECT_TRUE(entries().empty());
}

TEST_F(ProgramsOnDisk, TheLimitHolds) {
    run(case_with_passes(device()));
    std::uint64_t bytes = 0;
    std::uint64_t largest = 0;
    for (const fs::path& file : entries()) {
        bytes += fs::file_size(file);
        largest = std::max<std::uint64_t>(largest, fs::file_size(file));
        fs::remove(file);
    }
    ASSERT_GT(bytes, largest);
    libsgemm::ContextOptions small = options();
    small.disk_cache.max_bytes = bytes - 1;
    const Case c = case_with_passes(device());
    CaseData data(device(), c);
    data.enqueue(plan_case(device().make_library(small), c), queue()).wait();
    EXPECT_TRUE(data.verify(queue()));
    std::uint64_t kept = 0;
    for (const fs::path& file : entries()) {
        kept += fs::file_size(file);
    }
    EXPECT_GT(kept, 0U);
    EXPECT_LT(kept, bytes);
}

} // namespace
} // namespace sgemm_test
