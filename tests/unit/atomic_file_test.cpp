// SPDX-License-Identifier: Apache-2.0
// Files that are replaced as a whole: readers see one text or the other, and nothing is left over.
#include "sgemm/error.hpp"
#include "support/atomic_file.hpp"
#include "support/own_file.hpp"
#include "support/temporary_folder.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#ifdef __unix__
#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>
#endif

namespace libsgemm::support {
namespace {

namespace fs = std::filesystem;
using sgemm_test::TemporaryFolder;

auto count_files(const std::string& folder) {
    return std::distance(fs::directory_iterator(folder), {});
}

TEST(AtomicFile, IsReplacedAsAWhole) {
    const TemporaryFolder folder;
    const std::string file = folder / "new/table.toml";
    replace_file(file, "first");
    replace_file(file, "second");
    EXPECT_EQ(read_file(file), "second");
    EXPECT_EQ(count_files(folder / "new"), 1);
}

/// Long enough that writes of several threads would overlap.
std::string text_of(int thread) {
    return std::string(std::size_t{1} << 18U, static_cast<char>('a' + thread));
}

TEST(AtomicFile, ThreadsOfAProcessDoNotMixTheirTexts) {
    const TemporaryFolder folder;
    const std::string file = folder / "table.toml";
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&file, text = text_of(thread)] {
            for (int i = 0; i < 20; ++i) {
                replace_file(file, text);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    const std::string text = read_file(file).value_or("");
    ASSERT_FALSE(text.empty());
    EXPECT_EQ(text, text_of(text[0] - 'a'));
    EXPECT_EQ(count_files(folder.path()), 1);
}

TEST(AtomicFile, ThatCannotBeReplacedLeavesNothing) {
    const TemporaryFolder folder;
    const std::string file = folder / "table.toml";
    fs::create_directories(file + "/not_empty"); // a name that no file can take
    EXPECT_THROW(replace_file(file, "text"), ConfigurationError);
    EXPECT_EQ(count_files(folder.path()), 1);
    EXPECT_FALSE(replace_own_file(file, "text").empty());
    EXPECT_EQ(count_files(folder.path()), 1);
}

#ifdef __unix__

/// No file may grow beyond `bytes`, as if the disk were full there.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
        getrlimit(RLIMIT_FSIZE, &before_);
        rlimit limit = before_;
        limit.rlim_cur = bytes;
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileSizeLimit() {
        setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;

private:
    rlimit before_{};
    void (*handler_)(int);
};

TEST(AtomicFile, ThatDoesNotFitLeavesWhatWas) {
    const TemporaryFolder folder;
    const std::string file = folder / "table.toml";
    replace_file(file, "old");
    {
        const FileSizeLimit limit(100);
        EXPECT_THROW(replace_file(file, std::string(1000, 'x')), ConfigurationError);
        EXPECT_FALSE(replace_own_file(file, std::string(1000, 'x')).empty());
    }
    EXPECT_EQ(read_file(file), "old");
    EXPECT_EQ(count_files(folder.path()), 1);
}

TEST(AtomicFile, OthersMayReadItButNotAnOwnOne) {
    const TemporaryFolder folder;
    const mode_t before = umask(022);
    replace_file(folder / "table.toml", "text");
    EXPECT_EQ(replace_own_file(folder / "program", "text"), "");
    umask(before);
    const auto others = [&](const char* name) {
        return fs::status(folder / name).permissions() & fs::perms::others_read;
    };
    EXPECT_EQ(others("table.toml"), fs::perms::others_read);
    EXPECT_EQ(others("program"), fs::perms::none);
}

#endif

} // namespace
} // namespace libsgemm::support
