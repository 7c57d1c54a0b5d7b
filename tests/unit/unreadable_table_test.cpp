// SPDX-License-Identifier: Apache-2.0
// A table that is there and cannot be read is told of; one that is not there is no news.
#include "sgemm/error.hpp"
#include "support/atomic_file.hpp"
#include "support/environment_variable.hpp"
#include "support/fake_device.hpp"
#include "support/temporary_folder.hpp"
#include "tables/choices.hpp"
#include "tables/device_table.hpp"
#include "tables/disabled_kernels.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <string>

namespace libsgemm::tables {
namespace {

namespace fs = std::filesystem;

class UnreadableTable : public ::testing::Test {
protected:
    /// Puts something there that no one can read, root neither.
    static void make_unreadable(const std::string& file) {
        fs::create_directories(fs::path(file).parent_path());
        fs::create_symlink(file, file);
    }
    std::string complaint() const {
        std::string text;
        load_table("", device_, catalog::kernel_catalog(), text);
        return text;
    }

    DeviceTraits device_ = sgemm_test::fake_device();
    const sgemm_test::TemporaryFolder folder_;
    const sgemm_test::EnvironmentVariable data_{"XDG_DATA_HOME", folder_.path()};
};

TEST_F(UnreadableTable, IsToldApartFromNone) {
    EXPECT_EQ(support::read_file(folder_ / "none"), std::nullopt);
    EXPECT_EQ(support::read_file("/dev/null/none"), std::nullopt);
    support::replace_file(folder_ / "empty", "");
    EXPECT_EQ(support::read_file(folder_ / "empty"), "");
    const std::string long_text(100000, 'x');
    support::replace_file(folder_ / "long", long_text);
    EXPECT_EQ(support::read_file(folder_ / "long"), long_text);
    make_unreadable(folder_ / "loop");
    for (const std::string& file : {folder_.path(), folder_ / "loop"}) {
        try {
            support::read_file(file);
            ADD_FAILURE() << "no error";
        } catch (const ConfigurationError& error) {
            EXPECT_NE(std::string(error.what()).find(file + ": cannot be read ("),
                      std::string::npos)
                << error.what();
        }
    }
}

TEST_F(UnreadableTable, OfTheUserIsAComplaint) {
    EXPECT_EQ(complaint(), "");
    make_unreadable(user_table_path(device_));
    EXPECT_NE(complaint().find(user_table_path(device_) + ": cannot be read ("), std::string::npos)
        << complaint();
    EXPECT_NE(complaint().find("the built-in table is used instead"), std::string::npos);
}

TEST_F(UnreadableTable, OfDisabledKernelsIsAComplaint) {
    make_unreadable(disabled_kernels_path(device_));
    EXPECT_NE(complaint().find(disabled_kernels_path(device_) + ": cannot be read ("),
              std::string::npos)
        << complaint();
}

TEST_F(UnreadableTable, OfChoicesIsNotReplacedByANewOne) {
    const ChoiceFile file{choices_path(device_), false, "key"};
    make_unreadable(file.path);
    std::string text;
    EXPECT_TRUE(read_choices(file, text).empty());
    EXPECT_NE(text.find(file.path + ": cannot be read ("), std::string::npos) << text;
    EXPECT_THROW(save_choice(file, {"problems", "plan"}, text), ConfigurationError);
    EXPECT_TRUE(fs::is_symlink(file.path));
}

TEST_F(UnreadableTable, ThatIsNamedIsAnError) {
    EXPECT_THROW(load_table(folder_ / "none", device_), ConfigurationError);
    EXPECT_THROW(load_table(folder_.path(), device_), ConfigurationError);
}

} // namespace
} // namespace libsgemm::tables
