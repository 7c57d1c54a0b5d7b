// SPDX-License-Identifier: Apache-2.0
// Files that the library writes itself, cut at every byte and changed at every byte: a table that
// can be planned with comes out of it, a complaint where something was lost, and no exception but
// ConfigurationError.
#include "plan/planner.hpp"
#include "problem/problem.hpp"
#include "sgemm/error.hpp"
#include "support/atomic_file.hpp"
#include "support/environment_variable.hpp"
#include "support/fake_device.hpp"
#include "support/temporary_folder.hpp"
#include "tables/choices.hpp"
#include "tables/disabled_kernels.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace libsgemm::tables {
namespace {

constexpr const char* whole_table = R"(description = "X \u00e9"
[match]
type = "cpu"
[machine]
launch_us = 0.56
bandwidth_gbs = 114
ld_period = 1024
[provenance]
date = "x"
[[kernel]]
name = "packed"
parameters = { vector_width = 16, depth = 512 }
model = { efficiency = 0.5, group_us = 1e-3 }
measured = [ { shape = "NN/1x1x1", us = 12.5, spread = 0.01 } ]
[[choice]]
problems = "NN"
plan = { kernel = "packed", parameters = { depth = 512 }, edges = "guarded", parts = [0, 1, 2] }
[[disabled]]
kernel = "dots"
reason = "wrong"
)";

class DamagedFiles : public ::testing::Test {
protected:
    static void for_each_cut(const std::string& text,
                             const std::function<void(const std::string&)>& look) {
        for (std::size_t size = 0; size < text.size(); ++size) {
            look(text.substr(0, size));
        }
    }
    static void for_each_change(const std::string& text,
                                const std::function<void(const std::string&)>& look) {
        constexpr std::array<char, 8> others{'\0', '\n', '"', '[', ',', '9', '\x80', '\xff'};
        for (std::size_t i = 0; i < text.size(); ++i) {
            for (const char other : others) {
                std::string damaged = text;
                damaged[i] = other;
                look(damaged);
            }
        }
    }
    /// Anything but a table and a ConfigurationError ends the test.
    static void expect_table_or_error(const std::string& text) {
        try {
            parse_table(text, "file");
        } catch (const ConfigurationError& error) {
            EXPECT_EQ(std::string(error.what()).rfind("file", 0), 0U) << error.what();
        }
    }
    /// What a Context would do first.
    DeviceTable load(std::string& complaint) const {
        DeviceTable table = load_table("", device_, catalog::kernel_catalog(), complaint);
        for (Choice& choice : read_choices(choices_, complaint)) {
            table.choices.push_back(std::move(choice));
        }
        return table;
    }
    /// Expects the first of all entries, however many, each whole.
    template <class Entry, class... Fields>
    static void expect_first_of(const std::vector<Entry>& all, const std::vector<Entry>& some,
                                Fields... fields) {
        ASSERT_LE(some.size(), all.size());
        for (std::size_t i = 0; i < some.size(); ++i) {
            EXPECT_TRUE(((some[i].*fields == all[i].*fields) && ...)) << "entry " << i;
        }
    }
    void expect_usable(const DeviceTable& table) const {
        Problem problem;
        problem.m = problem.n = problem.k = 500;
        const auto checked = validate::check_problem(problem);
        const auto ranking = planning::rank_plans(checked.canonical, {},
                                                  {device_, table, catalog::kernel_catalog()});
        EXPECT_TRUE(std::any_of(ranking.plans.begin(), ranking.plans.end(),
                                [](const planning::PlanValue& plan) {
                                    return plan.kernel->purpose == catalog::Purpose::produces;
                                }));
    }
    std::string written_choices() const {
        std::string complaint;
        save_choice(
            choices_,
            {"NN 1x1x1", {"packed", catalog::Parameters({{"depth", 512}}), {.parts = {1, 2, 1}}}},
            complaint);
        save_choice(choices_, {"NN 2x2x2", {"dots \"\\"}}, complaint);
        return support::read_file(choices_.path).value_or("");
    }
    std::string written_disabled() const {
        const std::string file = disabled_kernels_path(device_);
        write_disabled_kernels(file, {{"dots", {}, "wrong \"here\""}, {"direct", {}, "x"}}, "c");
        return support::read_file(file).value_or("");
    }

    const DeviceTraits device_ = sgemm_test::fake_device(DeviceType::cpu);
    const sgemm_test::TemporaryFolder folder_;
    const sgemm_test::EnvironmentVariable data_{"XDG_DATA_HOME", folder_.path()};
    const ChoiceFile choices_{choices_path(device_), false, "key"};
};

TEST_F(DamagedFiles, AreTablesOrAConfigurationError) {
    for (const std::string& text :
         {std::string(whole_table), written_choices(), written_disabled()}) {
        ASSERT_NO_THROW(parse_table(text, "file")) << text;
        ASSERT_NO_THROW(for_each_cut(text, expect_table_or_error));
        ASSERT_NO_THROW(for_each_change(text, expect_table_or_error));
    }
}

TEST_F(DamagedFiles, OfATableNeverBreakAProgram) {
    const std::string file = user_table_path(device_);
    for_each_cut(whole_table, [&](const std::string& text) {
        support::replace_file(file, text);
        std::string complaint;
        DeviceTable table;
        ASSERT_NO_THROW(table = load(complaint)) << text;
        EXPECT_EQ(complaint.empty(), table.origin == file) << text;
        expect_usable(table);
        EXPECT_EQ(support::read_file(file), text) << "a person may want to mend it";
    });
}

TEST_F(DamagedFiles, OfChoicesHealAndNeverBreakAProgram) {
    const std::string whole = written_choices();
    std::string no_complaint;
    const std::vector<Choice> all = read_choices(choices_, no_complaint);
    std::size_t complaints = 0;
    for_each_cut(whole, [&](const std::string& text) {
        support::replace_file(choices_.path, text);
        std::string complaint;
        DeviceTable table;
        ASSERT_NO_THROW(table = load(complaint)) << text;
        if (complaint.empty()) {
            expect_first_of(all, table.choices, &Choice::problems, &Choice::plan, &Choice::table);
        } else {
            ++complaints;
            EXPECT_EQ(support::read_file(choices_.path + ".damaged"), text);
        }
        complaint.clear();
        save_choice(choices_, {"NT", {"kept"}}, complaint);
        table = load(complaint);
        EXPECT_EQ(complaint, "");
        ASSERT_FALSE(table.choices.empty());
        EXPECT_EQ(table.choices.back().plan.kernel, "kept");
    });
    EXPECT_GT(complaints, 0U);
}

TEST_F(DamagedFiles, OfDisabledKernelsNeverBreakAProgram) {
    const std::string whole = written_disabled();
    const auto all =
        read_disabled_kernels(disabled_kernels_path(device_), catalog::kernel_catalog());
    std::size_t complaints = 0;
    for_each_cut(whole, [&](const std::string& text) {
        support::replace_file(disabled_kernels_path(device_), text);
        std::string complaint;
        DeviceTable table;
        ASSERT_NO_THROW(table = load(complaint)) << text;
        if (complaint.empty()) {
            expect_first_of(all, table.disabled, &DisabledKernel::kernel, &DisabledKernel::reason);
        } else {
            ++complaints;
        }
        expect_usable(table);
    });
    EXPECT_GT(complaints, 0U);
}

} // namespace
} // namespace libsgemm::tables
