// SPDX-License-Identifier: Apache-2.0
// A program's locale is none of the library's business: what it writes and reads is the same under
// any.
#include "catalog/kernel_catalog.hpp"
#include "compile/cache_entry.hpp"
#include "compile/program_cache.hpp"
#include "compile/ptx/source.hpp"
#include "doors/c/convert.hpp"
#include "plan/describe.hpp"
#include "plan/planner.hpp"
#include "problem/problem.hpp"
#include "sgemm/error.hpp"
#include "support/atomic_file.hpp"
#include "support/fake_device.hpp"
#include "support/hostile_locale.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"
#include "tables/coefficients.hpp"
#include "tables/disabled_kernels.hpp"
#include "tables/toml_text.hpp"

#include <gtest/gtest.h>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace sgemm_test {
namespace {

using namespace libsgemm; // NOLINT(google-build-using-namespace): a dozen of its parts

/// Numbers that every locale writes differently: fractions, and more than three digits.
tables::DeviceTable table_of_large_and_small_numbers() {
    return tables::parse_table(R"(
        rows_from = "generic.toml"
        [machine]
        launch_us = 0.5625
        bandwidth_gbs = 1234.5
        ld_period = 1024
        ld_slowdown = 1.25
        [[kernel]]
        name = "tiled"
        parameters = { tile_m = 64 }
        model = { efficiency = 0.0625, start_us = 12345.5 }
        measured = [ { shape = "NT/4096x4096x4096", us = 1234.5, spread = 0.25 } ]
    )",
                               "large and small");
}

/// All that goes into files or keys, by what it is.
using Texts = std::vector<std::pair<std::string, std::string>>;

Texts texts_of_tables() {
    const tables::DeviceTable table = table_of_large_and_small_numbers();
    const TemporaryFolder folder;
    const std::string disabled = folder / "disabled.toml";
    tables::write_disabled_kernels(
        disabled, {{"tiled", catalog::Parameters({{"tile_m", 1024}}), "error of 0.5", ""}},
        "1024 problems");
    return {{"machine", tables::machine_text(table.machine, 6)},
            {"fitted machine", tables::fitted_machine_text(table.machine, 6)},
            {"model", tables::model_text(table.rows.front().model, 6)},
            {"disabled", support::read_file(disabled).value_or("none")},
            {"TOML string", tables::toml_string("\x01 \xc3\xa4 1234.5")},
            {"comment", tables::toml_comment("one\ntwo \x7f\n")}};
}

Texts texts_of_plans(const DeviceTraits& device) {
    const tables::DeviceTable table = tables::built_in_table(device);
    Problem problem;
    problem.m = 1500;
    problem.n = 1024;
    problem.k = 12345;
    problem.lda = 2048;
    problem.batch_count = 1001;
    const auto canonical = validate::check_problem(problem).canonical;
    const auto ranking =
        planning::rank_plans(canonical, {}, {device, table, catalog::kernel_catalog()});
    Texts texts{{"problem", planning::problem_text(canonical)},
                {"class", planning::problem_class(canonical)},
                {"ranking", planning::describe_ranking(ranking)}};
    for (const planning::PlanValue& plan : ranking.plans) {
        texts.emplace_back("variant", plan.to_string());
        texts.emplace_back("summary", planning::summarize(plan));
        texts.emplace_back("steps", planning::describe_steps(plan));
        for (const planning::Step& step : plan.steps) {
            const std::string options = compile::build_options(step.build, device);
            texts.emplace_back("options", options);
            texts.emplace_back("cache key", compile::cache_key(device, "source", options));
        }
    }
    return texts;
}

Texts texts_of_the_rest() {
    return {{"cache entry", compile::format_entry("key", std::string(12345, 'x'))},
            {"PTX", compile::expand_ptx("#define N 1024 * 1024\nmov r, ${N}; // ${i < 3: %r${i}}\n",
                                        {{"TSM", "1024"}})},
            {"time", support::format_seconds(1.2345)},
            {"times", support::format_seconds(12345.678)},
            {"bytes", support::format_bytes(1e15)},
            {"quoted", support::quoted("a\x80 \x01\"")}};
}

Texts all_texts() {
    Texts all = texts_of_tables();
    for (const Texts& more :
         {texts_of_plans(fake_h200()), texts_of_plans(fake_cpu_with_512_bits("intel")),
          texts_of_the_rest()}) {
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
}

TEST(Locale, IsHostile) {
    const HostileLocale hostile;
    std::ostringstream text; // the library's own are no such
    text << 1234.5;
    EXPECT_EQ(text.str(), "1.234,5");
    if (!hostile.c_is_hostile()) { // said, as all else is tested
        RecordProperty("c_half", "not tested");
        std::cout << "Locale: C half not tested, as the system has neither de_DE nor fr_FR\n";
    }
}

TEST(Locale, ChangesNoByteOfWhatIsWritten) {
    const Texts expected = all_texts();
    const HostileLocale hostile;
    const Texts got = all_texts();
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(got[i].first, expected[i].first);
        EXPECT_EQ(got[i].second, expected[i].second) << got[i].first;
    }
}

TEST(Locale, ChangesNoNumberThatIsRead) {
    const HostileLocale hostile;
    const tables::DeviceTable table = table_of_large_and_small_numbers();
    EXPECT_DOUBLE_EQ(table.machine.launch_seconds, 0.5625e-6);
    EXPECT_DOUBLE_EQ(table.machine.bandwidth, 1234.5e9);
    EXPECT_EQ(table.machine.ld_period, 1024);
    EXPECT_DOUBLE_EQ(table.rows.front().model.efficiency, 0.0625);
    EXPECT_DOUBLE_EQ(table.rows.front().measured.front().seconds, 1234.5e-6);
    EXPECT_EQ(support::parse_number<double>("0.25"), 0.25);
    EXPECT_EQ(support::parse_number<double>("0,25"), std::nullopt);
    EXPECT_EQ(support::parse_setting("tile_m=1024"), std::pair(std::string("tile_m"), 1024));

    sgemm_plan_options options = SGEMM_PLAN_OPTIONS_INIT;
    options.parameters = "tile_m=1024 tile_k=8";
    const std::map<std::string, int> parameters{{"tile_k", 8}, {"tile_m", 1024}};
    EXPECT_EQ(c_api::plan_options_of(options).parameters, parameters);
}

TEST(Locale, ATableOfAHostileProgramIsReadByAnother) {
    const tables::DeviceTable table = table_of_large_and_small_numbers();
    std::string text;
    {
        const HostileLocale hostile;
        text = "[machine]\n" + tables::machine_text(table.machine, 6);
    }
    const tables::DeviceTable back = tables::parse_table(text, "back");
    EXPECT_DOUBLE_EQ(back.machine.launch_seconds, table.machine.launch_seconds);
    EXPECT_DOUBLE_EQ(back.machine.bandwidth, table.machine.bandwidth);
    EXPECT_EQ(back.machine.ld_period, table.machine.ld_period);
}

TEST(Locale, MessagesNumberLinesPlainly) {
    const HostileLocale hostile;
    try {
        tables::parse_table(std::string(1233, '\n') + "[machine]\nbandwidth_gbs = 0\n", "file");
        FAIL() << "no error";
    } catch (const ConfigurationError& error) {
        EXPECT_STREQ(error.what(), "file:1235: 'machine.bandwidth_gbs' must be a number from 0.001 "
                                   "to 1e+06");
    }
}

} // namespace
} // namespace sgemm_test
