// SPDX-License-Identifier: Apache-2.0
#include "compile/cache_entry.hpp"
#include "compile/cache_eviction.hpp"
#include "compile/disk_cache.hpp"
#include "sgemm/error.hpp"
#include "support/environment_variable.hpp"
#include "support/log_collector.hpp"
#include "support/temporary_folder.hpp"

#include <atomic>
#include <fstream>
#include <gtest/gtest.h>
#include <optional>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace sgemm_test {
namespace {

namespace fs = std::filesystem;
using libsgemm::compile::cache_settings;
using libsgemm::compile::CacheSettings;
using libsgemm::compile::DiskCache;

constexpr std::uint64_t mebibyte = 1 << 20;

void write(const std::string& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary) << bytes;
}

std::string read(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

void age(const std::string& file, std::chrono::minutes minutes) {
    fs::last_write_time(file, fs::file_time_type::clock::now() - minutes);
}

std::size_t files_in(const std::string& folder) {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

class Disk : public ::testing::Test {
protected:
    DiskCache make_cache(std::uint64_t max_bytes = mebibyte) const {
        return {{folder_ / "made/by/the/cache", max_bytes}, log_};
    }

    TemporaryFolder folder_;
    LogCollector messages_;
    libsgemm::support::Log log_{messages_.options().log, true};
};

TEST_F(Disk, KeepsWhatIsStored) {
    const DiskCache cache = make_cache();
    EXPECT_FALSE(cache.load("key"));
    cache.store("key", "binary");
    cache.store("other key", "other binary");
    EXPECT_EQ(cache.load("key"), "binary");
    EXPECT_EQ(make_cache().load("other key"), "other binary");
    cache.store("key", "a newer binary");
    EXPECT_EQ(cache.load("key"), "a newer binary");
    EXPECT_EQ(files_in(folder_ / "made/by/the/cache"), 2U);
}

TEST_F(Disk, IsForThisUserAlone) {
    const DiskCache cache = make_cache();
    cache.store("key", "binary");
    EXPECT_EQ(fs::status(cache.file_of("key")).permissions() & fs::perms(077), fs::perms::none);
    EXPECT_EQ(fs::status(folder_ / "made/by/the/cache").permissions(), fs::perms::owner_all);
}

TEST_F(Disk, FoldersAboveItAreForThisUserAloneTooAndOthersStayAsTheyAre) {
    fs::create_directory(folder_ / "there");
    fs::permissions(folder_ / "there", fs::perms(0755));
    const DiskCache cache({folder_ / "there/made/cache", mebibyte}, log_);
    cache.store("key", "binary");
    EXPECT_EQ(cache.load("key"), "binary");
    EXPECT_EQ(fs::status(folder_ / "there").permissions(), fs::perms(0755));
    EXPECT_EQ(fs::status(folder_ / "there/made").permissions(), fs::perms::owner_all);
    EXPECT_EQ(fs::status(folder_ / "there/made/cache").permissions(), fs::perms::owner_all);
}

/// What is checked is what is used: a path may lead elsewhere by then.
TEST_F(Disk, UseOfAnEntryNeverShowsAtWhatALinkInItsPlaceLeadsTo) {
    const DiskCache cache = make_cache();
    cache.store("key", std::string(100'000, 'x'));
    const std::string file = cache.file_of("key");
    const std::string victim = folder_ / "victim";
    write(victim, "another file of the user's");
    age(victim, std::chrono::minutes(60));
    const auto before = fs::last_write_time(victim);
    fs::create_symlink(victim, folder_ / "link");
    fs::create_hard_link(file, folder_ / "entry");

    std::atomic<bool> ends = false;
    std::thread swaps([&] { // one rename each: the path is never without a file
        while (!ends) {
            fs::rename(folder_ / "link", file);
            fs::create_symlink(victim, folder_ / "link");
            fs::create_hard_link(folder_ / "entry", folder_ / "again");
            fs::rename(folder_ / "again", file);
        }
    });
    const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    std::size_t loaded = 0;
    std::size_t refused = 0; // both are seen unless one thread alone runs all the time
    while (loaded + refused < 3000 ||
           ((loaded == 0 || refused == 0) && std::chrono::steady_clock::now() < latest)) {
        ++(cache.load("key") ? loaded : refused);
    }
    ends = true;
    swaps.join();
    EXPECT_GT(loaded, 0U);
    EXPECT_EQ(fs::last_write_time(victim), before);
}

/// Truncated at every byte, and with every bit that is another: absent, and made again.
TEST_F(Disk, DamageAnywhereIsAbsentAndReplaced) {
    const DiskCache cache = make_cache();
    cache.store("key", "binary");
    const std::string file = cache.file_of("key");
    const std::string good = read(file);
    std::vector<std::string> bad;
    for (std::size_t i = 0; i < good.size(); ++i) {
        bad.push_back(good.substr(0, i));
        bad.push_back(good);
        bad.back()[i] = static_cast<char>(bad.back()[i] ^ (1 << (i % 8)));
    }
    for (const std::string& bytes : bad) {
        write(file, bytes);
        ASSERT_FALSE(cache.load("key")) << bytes;
    }
    cache.store("key", "binary");
    EXPECT_EQ(read(file), good);
    EXPECT_EQ(cache.load("key"), "binary");
}

TEST_F(Disk, DisabledKeepsNothing) {
    const DiskCache cache({}, log_);
    cache.store("key", "binary");
    EXPECT_FALSE(cache.load("key"));
    EXPECT_FALSE(cache.is_enabled());
}

TEST_F(Disk, DamagedEntriesAreAbsentAndReplaced) {
    const DiskCache cache = make_cache();
    cache.store("key", "binary");
    const std::string file = cache.file_of("key");
    const std::string good = read(file);
    const std::string foreign = libsgemm::compile::format_entry("another key", "binary");
    for (const std::string& bad :
         {std::string(), good.substr(0, good.size() - 1), good + "x", foreign}) {
        write(file, bad);
        EXPECT_FALSE(cache.load("key"));
        cache.store("key", "binary");
        EXPECT_EQ(cache.load("key"), "binary");
    }
}

TEST_F(Disk, WhatIsNoFileOfOursIsAbsent) {
    const DiskCache cache = make_cache();
    cache.store("key", "binary");
    const std::string file = cache.file_of("key");
    fs::rename(file, folder_ / "moved");
    fs::create_symlink(folder_ / "moved", file);
    EXPECT_FALSE(cache.load("key")) << "a link";
    fs::remove(file);
    fs::create_directory(file);
    EXPECT_FALSE(cache.load("key")) << "a folder";
    fs::remove(file);
    ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
    EXPECT_FALSE(cache.load("key")) << "a pipe without a writer";
    fs::remove(file);
    fs::rename(folder_ / "moved", file);
    EXPECT_EQ(cache.load("key"), "binary");
    if (geteuid() == 0) { // only root can give files away; then even root must not take them
        ASSERT_EQ(chown(file.c_str(), 12345, 12345), 0);
        EXPECT_TRUE(cache.load("key") == std::nullopt) << "another user's";
    } else {
        fs::permissions(file, fs::perms::none);
        EXPECT_FALSE(cache.load("key")) << "unreadable";
    }
}

TEST_F(Disk, AFolderThatCannotBeMadeIsOneWarning) {
    write(folder_ / "made", "a file where a folder should be");
    const DiskCache cache = make_cache();
    cache.store("key", "binary");
    EXPECT_FALSE(cache.load("key"));
    EXPECT_TRUE(messages_.has(libsgemm::LogLevel::warning, folder_ / "made/by/the/cache"));
}

TEST_F(Disk, TheLeastRecentlyUsedEntriesGoFirst) {
    const std::string binary(300'000, 'x');
    const DiskCache cache = make_cache(mebibyte); // holds three
    int minutes = 60;
    for (const char* key : {"a", "b", "c"}) {
        cache.store(key, binary);
        age(cache.file_of(key), std::chrono::minutes(--minutes));
    }
    ASSERT_TRUE(cache.load("a")); // used again: now "b" is the oldest
    cache.store("d", binary);
    EXPECT_TRUE(cache.load("a"));
    EXPECT_FALSE(cache.load("b"));
    EXPECT_TRUE(cache.load("c"));
    EXPECT_TRUE(cache.load("d"));
}

TEST_F(Disk, WhatExceedsTheLimitAloneIsNotKept) {
    const DiskCache cache = make_cache(1000);
    cache.store("small", "binary");
    cache.store("large", std::string(1000, 'x'));
    EXPECT_TRUE(cache.load("small"));
    EXPECT_FALSE(cache.load("large"));
}

TEST_F(Disk, EvictionRemovesOldTemporariesAndNothingOfOthers) {
    const DiskCache cache = make_cache(1000);
    cache.store("key", "binary");
    const std::string folder = folder_ / "made/by/the/cache";
    const std::string left_over = cache.file_of("a") + ".tmp-abcdef";
    const std::string being_written = cache.file_of("b") + ".tmp-abcdef";
    const std::string foreign = folder + "/notes.txt";
    const std::string foreign_entry = folder + "/mine.clbin";
    const std::string foreign_temporary = folder + "/mine.clbin.tmp-abcdef";
    for (const std::string& file :
         {left_over, being_written, foreign, foreign_entry, foreign_temporary}) {
        write(file, std::string(5000, 'x'));
    }
    age(left_over, std::chrono::minutes(61));
    for (const std::string& file : {foreign, foreign_entry, foreign_temporary}) {
        age(file, std::chrono::minutes(61));
    }
    libsgemm::compile::evict(folder, 1000);
    EXPECT_FALSE(fs::exists(left_over));
    EXPECT_TRUE(fs::exists(being_written));
    EXPECT_TRUE(fs::exists(foreign));
    EXPECT_TRUE(cache.load("key"));
    libsgemm::compile::evict(folder, 0);
    EXPECT_FALSE(cache.load("key"));
    EXPECT_TRUE(fs::exists(foreign_entry));
    EXPECT_TRUE(fs::exists(foreign_temporary));
    libsgemm::compile::evict(folder_ / "no such folder", 0);
}

class Settings : public ::testing::Test {
protected:
    EnvironmentVariable cache_{"SGEMM_CACHE", std::nullopt};
    EnvironmentVariable folder_{"SGEMM_CACHE_DIR", std::nullopt};
    EnvironmentVariable size_{"SGEMM_CACHE_MIB", std::nullopt};
    EnvironmentVariable xdg_{"XDG_CACHE_HOME", "/xdg"};
    EnvironmentVariable home_{"HOME", "/home/user"};
};

TEST_F(Settings, FolderIsTheFirstThatIsNamed) {
    libsgemm::DiskCacheOptions options;
    EXPECT_EQ(cache_settings(options).folder, "/xdg/sgemm");
    for (const std::optional<std::string> unusable : {"", "relative"}) {
        const EnvironmentVariable xdg("XDG_CACHE_HOME", unusable);
        EXPECT_EQ(cache_settings(options).folder, "/home/user/.cache/sgemm");
        const EnvironmentVariable home("HOME", unusable);
        EXPECT_EQ(cache_settings(options).folder, "");
    }
    const EnvironmentVariable named("SGEMM_CACHE_DIR", "/named");
    EXPECT_EQ(cache_settings(options).folder, "/named");
    options.folder = "/option";
    EXPECT_EQ(cache_settings(options).folder, "/option");
}

TEST_F(Settings, TheOptionOrElseTheVariableTurnsItOff) {
    libsgemm::DiskCacheOptions options;
    options.folder = "/option";
    for (const char* word : {"0", "off", "OFF", "no", "false"}) {
        const EnvironmentVariable off("SGEMM_CACHE", word);
        EXPECT_EQ(cache_settings(options).folder, "") << word;
    }
    for (const char* word : {"", "1", "on", "Yes", "true"}) {
        const EnvironmentVariable on("SGEMM_CACHE", word);
        EXPECT_EQ(cache_settings(options).folder, "/option") << word;
    }
    options.enabled = false;
    EXPECT_EQ(cache_settings(options).folder, "");
    for (const char* word : {"0", "offf"}) { // what is set explicitly wins
        const EnvironmentVariable off("SGEMM_CACHE", word);
        options.enabled = true;
        EXPECT_EQ(cache_settings(options).folder, "/option") << word;
    }
}

TEST_F(Settings, LimitIsTheOptionOrTheVariableOrTheDefault) {
    libsgemm::DiskCacheOptions options;
    EXPECT_EQ(cache_settings(options).max_bytes, 256 * mebibyte);
    const EnvironmentVariable size("SGEMM_CACHE_MIB", "3");
    EXPECT_EQ(cache_settings(options).max_bytes, 3 * mebibyte);
    options.max_bytes = 1;
    EXPECT_EQ(cache_settings(options).max_bytes, 1U);
}

TEST_F(Settings, MistakesAreErrorsThatNameTheVariable) {
    for (const char* text : {"0", "-1", "1x", "x", "1.5", "99999999999999999999"}) {
        const EnvironmentVariable size("SGEMM_CACHE_MIB", text);
        try {
            cache_settings({});
            ADD_FAILURE() << "no error for " << text;
        } catch (const libsgemm::ArgumentError& error) {
            EXPECT_EQ(error.argument(), "SGEMM_CACHE_MIB");
            EXPECT_EQ(error.value(), text);
        }
    }
    for (const char* text : {"offf", "2", "-", "none", "0 "}) {
        const EnvironmentVariable cache("SGEMM_CACHE", text);
        try {
            cache_settings({});
            ADD_FAILURE() << "no error for " << text;
        } catch (const libsgemm::ArgumentError& error) {
            EXPECT_EQ(error.argument(), "SGEMM_CACHE");
            EXPECT_EQ(error.value(), text);
        }
    }
    const EnvironmentVariable folder("SGEMM_CACHE_DIR", "relative/folder");
    EXPECT_THROW(cache_settings({}), libsgemm::ArgumentError);
    libsgemm::DiskCacheOptions options;
    options.folder = "relative";
    EXPECT_THROW(cache_settings(options), libsgemm::ArgumentError);
}

} // namespace
} // namespace sgemm_test
