// SPDX-License-Identifier: Apache-2.0
// Many processes on one cache folder, and writers that are killed at any moment.
#include "compile/disk_cache.hpp"
#include "support/endless_writer.hpp"
#include "support/temporary_folder.hpp"

#include <array>
#include <chrono>
#include <csignal>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace sgemm_test {
namespace {

namespace fs = std::filesystem;
using libsgemm::compile::DiskCache;

constexpr std::size_t keys = 5;

std::string key_of(std::size_t i) {
    return "key " + std::to_string(i % keys);
}

/// Of several lengths per key, each recognisable as whole: one letter, and at its end the length.
std::string binary_of(std::size_t i) {
    std::string binary(2000 + 40'000 * (i % 3), static_cast<char>('a' + i % keys));
    return binary + std::to_string(binary.size());
}

bool is_whole(const std::string& binary, std::size_t i) {
    const std::size_t length = binary.find_first_not_of(static_cast<char>('a' + i % keys));
    return length != std::string::npos && binary.substr(length) == std::to_string(length);
}

class Processes : public ::testing::Test {
protected:
    DiskCache make_cache(std::uint64_t max_bytes) const {
        return {{folder_.path(), max_bytes}, log_};
    }

    /// Runs `work` in a process of its own, which ends with its result.
    template <class Work>
    static pid_t start(Work work) {
        const pid_t process = fork();
        if (process == 0) {
            _exit(work() ? 0 : 1);
        }
        return process;
    }
    static int end_of(pid_t process) {
        int status = 0;
        EXPECT_EQ(waitpid(process, &status, 0), process);
        return status;
    }
    /// Whether every entry in the folder, not only those that load() accepts, is whole.
    void expect_no_torn_file() const {
        for (std::size_t i = 0; i < keys; ++i) {
            const DiskCache cache = make_cache(1 << 20);
            const auto binary = cache.load(key_of(i));
            EXPECT_EQ(binary.has_value(), fs::exists(cache.file_of(key_of(i)))) << key_of(i);
            if (binary) {
                EXPECT_TRUE(is_whole(*binary, i)) << key_of(i);
            }
        }
    }
    std::size_t left_over_temporaries() const {
        std::size_t count = 0;
        for (const auto& entry : fs::directory_iterator(folder_.path())) {
            count += entry.path().string().find(".tmp-") != std::string::npos ? 1U : 0U;
        }
        return count;
    }

    TemporaryFolder folder_;
    libsgemm::support::Log log_{{}, false};
};

TEST_F(Processes, AWriterKilledAtAnyMomentLeavesNoTornEntry) {
    constexpr unsigned seed = 20261121;
    std::mt19937 random(seed);
    std::size_t killed_in_a_write = 0;
    // More rounds where few kills hit a write.
    for (int round = 0; round < 150 || (killed_in_a_write <= 10 && round < 1000); ++round) {
        const std::size_t before = left_over_temporaries();
        const DiskCache cache = make_cache(1 << 20);
        EndlessWriter writer([&](unsigned i) { cache.store(key_of(i), binary_of(i)); });
        ASSERT_TRUE(writer.killed_after(std::chrono::microseconds(random() % 8000)));
        expect_no_torn_file();
        killed_in_a_write += left_over_temporaries() > before ? 1U : 0U;
    }
    // Otherwise the test has not seen what it is about.
    EXPECT_GT(killed_in_a_write, 10U);
}

TEST_F(Processes, ShareAFolderThatIsTooSmall) {
    // Three quarters of what all keep: entries come and go all the time.
    constexpr std::uint64_t max_bytes = 3 * keys * 42'000 / 4;
    std::array<pid_t, 8> processes{};
    for (std::size_t p = 0; p < processes.size(); ++p) {
        processes[p] = start([&, p] {
            const DiskCache cache = make_cache(max_bytes);
            for (std::size_t i = p; i < p + 60; ++i) {
                const auto known = cache.load(key_of(i));
                if (known && !is_whole(*known, i)) {
                    return false;
                }
                cache.store(key_of(i), binary_of(i));
            }
            return true;
        });
        ASSERT_GT(processes[p], 0);
    }
    for (const pid_t process : processes) {
        EXPECT_EQ(end_of(process), 0);
    }
    expect_no_torn_file();
    EXPECT_EQ(left_over_temporaries(), 0U);
    std::uint64_t bytes = 0;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
        bytes += entry.file_size();
    }
    EXPECT_LE(bytes, max_bytes);
    EXPECT_GT(bytes, 0U);
}

} // namespace
} // namespace sgemm_test
