// SPDX-License-Identifier: Apache-2.0
// What stands at a path is respected: links stay links, devices and pipes stay what they are,
// permissions stay.
#include "sgemm/error.hpp"
#include "support/atomic_file.hpp"
#include "support/own_file.hpp"
#include "support/temporary_folder.hpp"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>

#ifdef __unix__
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace libsgemm::support {
namespace {

namespace fs = std::filesystem;

class SpecialFile : public ::testing::Test {
protected:
    static std::string failure(const std::string& file) {
        try {
            replace_file(file, "new");
        } catch (const ConfigurationError& error) {
            return error.what();
        }
        return "";
    }
    static std::string reading_failure(const std::string& file, std::uint64_t most) {
        try {
            read_file(file, most);
        } catch (const ConfigurationError& error) {
            return error.what();
        }
        return "";
    }
    void expect_files(std::ptrdiff_t count) const {
        EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), count) << "left-overs";
    }
    std::string pipe() const {
        EXPECT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
        return folder_ / "pipe";
    }

    const sgemm_test::TemporaryFolder folder_;
};

TEST_F(SpecialFile, ALinkStaysAndWhatItLeadsToIsWritten) {
    fs::create_directory(folder_ / "elsewhere");
    replace_file(folder_ / "elsewhere/table.toml", "old");
    fs::create_symlink("elsewhere/table.toml", folder_ / "middle");
    fs::create_symlink(folder_ / "middle", folder_ / "link");
    replace_file(folder_ / "link", "new");
    EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
    EXPECT_TRUE(fs::is_symlink(folder_ / "middle"));
    EXPECT_FALSE(fs::is_symlink(folder_ / "elsewhere/table.toml"));
    EXPECT_EQ(read_file(folder_ / "elsewhere/table.toml"), "new");
    update_file(folder_ / "link", [](const std::string& before) { return before + "er"; });
    EXPECT_EQ(read_file(folder_ / "elsewhere/table.toml"), "newer");
    expect_files(3);
}

TEST_F(SpecialFile, ALinkToNothingYetIsFilled) {
    fs::create_symlink("new/table.toml", folder_ / "link");
    require_writable(folder_ / "link");
    replace_file(folder_ / "link", "text");
    EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
    EXPECT_EQ(read_file(folder_ / "new/table.toml"), "text");
    fs::create_symlink("loop", folder_ / "loop");
    EXPECT_NE(failure(folder_ / "loop").find(folder_ / "loop"), std::string::npos);
    EXPECT_TRUE(fs::is_symlink(folder_ / "loop"));
}

TEST_F(SpecialFile, ADeviceIsWrittenInto) {
    fs::create_symlink("/dev/null", folder_ / "link");
    require_writable(folder_ / "link");
    EXPECT_EQ(failure(folder_ / "link"), "");
    EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
    EXPECT_EQ(failure("/dev/null"), "");
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
    EXPECT_NE(failure("/dev/full").find("/dev/full: cannot be written ("), std::string::npos);
}

TEST_F(SpecialFile, APipeIsWrittenIntoWhereSomeoneReads) {
    const std::string file = pipe();
    EXPECT_NE(failure(file).find(file + ": cannot be written ("), std::string::npos);
    const int reader = open(file.c_str(), O_RDONLY | O_NONBLOCK);
    ASSERT_GE(reader, 0);
    EXPECT_EQ(failure(file), "");
    std::string text(16, '\0');
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, read(reader, text.data(), 16))));
    EXPECT_EQ(text, "new");
    close(reader);
    EXPECT_TRUE(fs::is_fifo(file));
    expect_files(1);
}

TEST_F(SpecialFile, AnOpenFileIsWrittenIntoByItsDescriptor) {
    const std::string file = folder_ / "output";
    const int output = open(file.c_str(), O_WRONLY | O_CREAT, 0600);
    ASSERT_GE(output, 0);
    ASSERT_EQ(write(output, "before ", 7), 7);
    EXPECT_EQ(failure("/dev/fd/" + std::to_string(output)), "");
    close(output);
    EXPECT_EQ(read_file(file), "before new");
}

TEST_F(SpecialFile, AFolderIsInTheWay) {
    EXPECT_NE(failure(folder_.path()), "");
    EXPECT_THROW(require_writable(folder_.path()), ConfigurationError);
    replace_file(folder_ / "file", "whole");
    EXPECT_NE(failure(folder_ / "file/table.toml").find(folder_ / "file"), std::string::npos);
    EXPECT_THROW(require_writable(folder_ / "file/table.toml"), ConfigurationError);
    EXPECT_EQ(read_file(folder_ / "file"), "whole");
}

TEST_F(SpecialFile, PermissionsStay) {
    const std::string file = folder_ / "table.toml";
    replace_file(file, "old");
    for (const auto mode : {fs::perms(0600), fs::perms(0664), fs::perms(0755)}) {
        fs::permissions(file, mode);
        replace_file(file, "new");
        EXPECT_EQ(fs::status(file).permissions(), mode);
    }
}

TEST_F(SpecialFile, OnlyRegularFilesAreRead) {
    for (const std::string& file : {pipe(), std::string("/dev/zero"), folder_.path()}) {
        EXPECT_NE(reading_failure(file, most_file_bytes).find(file + ": cannot be read ("),
                  std::string::npos);
        EXPECT_EQ(read_own_file(file, 1000), std::nullopt);
    }
    EXPECT_THROW(update_file(folder_ / "pipe", [](const std::string& text) { return text; }),
                 ConfigurationError);
}

TEST_F(SpecialFile, TooLongAFileIsNotRead) {
    replace_file(folder_ / "file", std::string(1001, 'x'));
    EXPECT_EQ(reading_failure(folder_ / "file", 1001), "");
    EXPECT_NE(reading_failure(folder_ / "file", 1000).find("1000 bytes"), std::string::npos);
}

TEST_F(SpecialFile, OfTheCacheIsNeitherFollowedNorReplaced) {
    replace_file(folder_ / "precious", "old");
    fs::create_symlink("precious", folder_ / "link");
    for (const std::string& file : {pipe(), folder_ / "link"}) {
        EXPECT_NE(replace_own_file(file, "new"), "");
    }
    EXPECT_TRUE(fs::is_fifo(folder_ / "pipe"));
    EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
    EXPECT_EQ(read_file(folder_ / "precious"), "old");
    expect_files(3);
}

TEST_F(SpecialFile, WhatIsSetAsideIsKeptOnce) {
    replace_file(folder_ / "table.toml", "first");
    EXPECT_EQ(set_aside(folder_ / "table.toml"), folder_ / "table.toml.damaged");
    replace_file(folder_ / "table.toml", "second");
    set_aside(folder_ / "table.toml");
    EXPECT_EQ(read_file(folder_ / "table.toml.damaged"), "second");
    EXPECT_EQ(read_file(folder_ / "table.toml"), std::nullopt);
    EXPECT_THROW(set_aside(folder_ / "table.toml"), ConfigurationError);
    EXPECT_THROW(set_aside(pipe()), ConfigurationError);
    EXPECT_TRUE(fs::is_fifo(folder_ / "pipe"));
}

} // namespace
} // namespace libsgemm::support

#endif
