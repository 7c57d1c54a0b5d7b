// SPDX-License-Identifier: Apache-2.0
// Whatever a driver calls its device, and whatever a compiler says, written tables can be read
// again.
#include "support/atomic_file.hpp"
#include "support/fake_device.hpp"
#include "support/temporary_folder.hpp"
#include "tables/choices.hpp"
#include "tables/device_table.hpp"
#include "tables/disabled_kernels.hpp"
#include "tables/toml_text.hpp"

#include <gtest/gtest.h>
#include <random>
#include <string>

namespace libsgemm::tables {
namespace {

/// The text that a table's reader makes of a string.
std::string read_again(const std::string& text) {
    return parse_table("description = " + toml_string(text) + "\n", "test").description;
}

TEST(TomlText, StringsAreReadAsTheyWere) {
    for (const std::string text :
         {"", "plain", "\"quoted\" \\ 'once' \\\"", "two\nlines\r\n\tand more", "\x01\x1f\x7f",
          "G\xc3\xb6\xc3\x9f\x65 \xe2\x84\xa2 \xf0\x9f\x9a\x80", "#no = comment"}) {
        EXPECT_EQ(read_again(text), text);
    }
    EXPECT_EQ(read_again(std::string("a\0b", 3)), std::string("a\0b", 3));
}

TEST(TomlText, WhatIsNoUtf8BecomesQuestionMarks) {
    EXPECT_EQ(read_again("a\xff"), "a?");
    EXPECT_EQ(read_again("\xc3"), "?");                    // cut off
    EXPECT_EQ(read_again("\xc3\x28"), "?(");               // no continuation
    EXPECT_EQ(read_again("\xc0\xaf"), "??");               // longer than it need be
    EXPECT_EQ(read_again("\xed\xa0\x80"), "???");          // half of a pair of UTF-16
    EXPECT_EQ(read_again("\xf4\x90\x80\x80 x"), "???? x"); // beyond the last character
}

TEST(TomlText, AnyBytesCanBeReadAgain) {
    std::mt19937_64 engine(1);
    for (int i = 0; i < 20000; ++i) {
        std::string text(engine() % 12, '\0');
        for (char& c : text) {
            c = static_cast<char>(engine());
        }
        const std::string once = read_again(text);
        ASSERT_EQ(read_again(once), once);
        ASSERT_EQ(parse_table(toml_comment(text) + "description = \"x\"\n", "test").description,
                  "x");
    }
}

TEST(TomlText, ADeviceOfAnyNameKeepsItsFiles) {
    DeviceTraits device = sgemm_test::fake_device();
    device.name = "Odd\n[match]\nname = \"\\ \xc3\xa9\xff";
    const sgemm_test::TemporaryFolder folder;
    const std::string disabled = folder / "x.disabled.toml";
    write_disabled_kernels(disabled, {{"01_naive", {}, "wrong"}}, "device: " + device.name);
    EXPECT_EQ(read_disabled_kernels(disabled, catalog::kernel_catalog()).size(), 1U);

    const ChoiceFile own{folder / "x.choices.toml", true, "key"};
    std::string complaint;
    for (const char* kernel : {"a \\kernel", "an \"other\""}) {
        save_choice(own, {"a \"class\"\n", {kernel}}, complaint);
        const auto saved = read_choices(own, complaint);
        ASSERT_EQ(saved.size(), 1U) << "the one before is replaced";
        EXPECT_EQ(saved[0].problems, "a \"class\"\n");
        EXPECT_EQ(saved[0].plan.kernel, kernel);
    }
    EXPECT_EQ(complaint, "");
}

} // namespace
} // namespace libsgemm::tables
