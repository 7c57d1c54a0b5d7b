// SPDX-License-Identifier: Apache-2.0
// Folders of the user's, by the XDG base directory specification.
#include "support/environment_variable.hpp"
#include "support/fake_device.hpp"
#include "support/user_folder.hpp"
#include "tables/device_table.hpp"

#include <gtest/gtest.h>
#include <optional>

namespace libsgemm::support {
namespace {

using sgemm_test::EnvironmentVariable;

std::string data_folder() {
    return user_folder("XDG_DATA_HOME", ".local/share");
}

TEST(UserFolder, IsTheVariablesOrBelowHome) {
    const EnvironmentVariable home("HOME", "/home/someone");
    {
        const EnvironmentVariable named("XDG_DATA_HOME", "/data");
        EXPECT_EQ(data_folder(), "/data");
    }
    const EnvironmentVariable unset("XDG_DATA_HOME", std::nullopt);
    EXPECT_EQ(data_folder(), "/home/someone/.local/share");
    const EnvironmentVariable homeless("HOME", std::nullopt);
    EXPECT_EQ(data_folder(), "");
}

TEST(UserFolder, APathThatIsNotAbsoluteIsIgnored) {
    const EnvironmentVariable home("HOME", "/home/someone");
    for (const char* relative : {"", "data", "./data", "~/data"}) {
        const EnvironmentVariable named("XDG_DATA_HOME", relative);
        EXPECT_EQ(data_folder(), "/home/someone/.local/share") << relative;
        EXPECT_EQ(tables::user_table_path(sgemm_test::fake_device()),
                  "/home/someone/.local/share/sgemm/tables/fake-device-9000.toml");
    }
    const EnvironmentVariable relative_home("HOME", "someone");
    const EnvironmentVariable unset("XDG_DATA_HOME", std::nullopt);
    EXPECT_EQ(data_folder(), "");
}

} // namespace
} // namespace libsgemm::support
