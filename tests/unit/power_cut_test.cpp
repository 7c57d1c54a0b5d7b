// SPDX-License-Identifier: Apache-2.0
// Writers of tables that are killed at any moment: a reader finds a whole file, always. (The disk
// cache's are killed in disk_cache_processes_test.cpp.) SGEMM_TEST_KILLS sets how often; the test
// with the label "long" asks for 2000.
#include "catalog/kernel_catalog.hpp"
#include "support/endless_writer.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"
#include "tables/choices.hpp"
#include "tables/disabled_kernels.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sstream>
#include <vector>

namespace sgemm_test {
namespace {

namespace tables = libsgemm::tables;

std::string text_of(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

class PowerCut : public ::testing::Test {
protected:
    std::string disabled_file() const { return folder_ / "device.disabled.toml"; }

    static int kills() {
        const auto wanted = libsgemm::support::parse_number<int>(
            libsgemm::support::environment("SGEMM_TEST_KILLS"));
        return wanted.value_or(60);
    }

    /// Choices into one file, disabled kernels into another, of changing lengths.
    void write(std::mt19937& random) const {
        const std::string problems = "problems " + std::to_string(random() % 40);
        const std::string plan(1 + random() % 3000, static_cast<char>('a' + random() % 26));
        std::string complaint;
        tables::save_choice(choices_, {problems, {plan}}, complaint);
        std::vector<tables::DisabledKernel> disabled(1 + random() % 20);
        for (tables::DisabledKernel& entry : disabled) {
            entry.kernel = "01_naive";
            entry.reason = plan;
        }
        tables::write_disabled_kernels(disabled_file(), disabled, "a test's");
    }

    /// Every plan is of one letter: a torn one would not be.
    static void expect_one_letter(const std::string& text) {
        ASSERT_FALSE(text.empty());
        EXPECT_EQ(text.find_first_not_of(text.front()), std::string::npos);
    }

    void expect_whole() const {
        const auto table = tables::parse_table(text_of(choices_.path), choices_.path);
        EXPECT_FALSE(table.choices.empty());
        for (const tables::Choice& choice : table.choices) {
            expect_one_letter(choice.plan.kernel);
        }
        const auto disabled =
            tables::read_disabled_kernels(disabled_file(), libsgemm::catalog::kernel_catalog());
        for (const tables::DisabledKernel& entry : disabled) {
            expect_one_letter(entry.reason);
        }
    }

    TemporaryFolder folder_;
    const tables::ChoiceFile choices_{folder_ / "device.choices.toml", false, "key"};
};

TEST_F(PowerCut, LeavesWholeTables) {
    std::mt19937 random(1);
    for (int i = 0; i < kills() && !HasFailure(); ++i) {
        EndlessWriter writer([&, own = std::mt19937(random())](unsigned) mutable { write(own); });
        ASSERT_TRUE(writer.killed_after(std::chrono::microseconds(random() % 30'000)));
        ASSERT_TRUE(std::filesystem::exists(choices_.path));
        ASSERT_NO_THROW(expect_whole()) << "after kill number " << i;
    }
}

} // namespace
} // namespace sgemm_test
