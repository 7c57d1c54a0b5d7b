// SPDX-License-Identifier: Apache-2.0
// A locale changes no byte of what the tuner writes, and no number that it reads.
#include "judge/shape.hpp"
#include "judge/suite.hpp"
#include "support/fake_device.hpp"
#include "support/hostile_locale.hpp"
#include "support/temporary_folder.hpp"
#include "tune/fit/fit.hpp"
#include "tune/fit/measurement_run.hpp"
#include "tune/fit/table_writer.hpp"
#include "tune/fit/traits_facts.hpp"
#include "tune/search/speedup_svg.hpp"
#include "tune/selftest/self_test.hpp"
#include "tune/worker/journal.hpp"
#include "tune/worker/trial_json.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <string>
#include <utility>

namespace libsgemm::tune {
namespace {

using sgemm_test::fake_h200;
using sgemm_test::HostileLocale;
using sgemm_test::TemporaryFolder;

const std::string table_source = "description = \"of large and small numbers\"\n"
                                 "[machine]\n"
                                 "launch_us = 0.5625\n"
                                 "bandwidth_gbs = 1234.5\n"
                                 "ld_period = 1024\n"
                                 "[[kernel]]\n"
                                 "name = \"tiled\"\n"
                                 "parameters = { tile_m = 1024 }\n"
                                 "model = { efficiency = 0.0625, start_us = 12345.5 }\n"
                                 "measured = [\n"
                                 "    { shape = \"NT/4096x64x1\", us = 1234.5, spread = 0.25 },\n"
                                 "]\n";

TrialRecord record_of_large_and_small_numbers() {
    TrialRecord record;
    record.time = "2026-11-21T00:00:00Z";
    record.origin = {"Fake Device", "driver 1", "0123456789abcdef"};
    record.spec.configuration = {"tiled", catalog::Parameters({{"tile_m", 1024}}), {}};
    record.spec.configuration.variant.split_k = 1024;
    record.spec.shape = judge::make_shape("NT", 4096, 2048, 1024);
    record.spec.effort.seconds = 0.5;
    record.result.samples = {1.25, 1.5e-6};
    record.result.median = 1.25;
    record.result.max_error = 0.125;
    return record;
}

ShapeTimes times_of_large_and_small_numbers() {
    return {"NT/4096x2048x1024",
            "square",
            false,
            1234,
            {{{"tiled", catalog::Parameters({{"tile_m", 1024}})},
              "guarded",
              1234.5,
              0.25,
              1500.25,
              0.125,
              1024}},
            {}};
}

SelfTestReport report_of_large_numbers() {
    SelfTestReport report;
    report.kernels.push_back({"tiled", {}, 1024, 12345, false});
    report.seconds = 1234.5;
    return report;
}

std::string read(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

std::string journal_text(const TemporaryFolder& folder) {
    const std::string file = folder / "journal.jsonl";
    Journal(file).append(record_of_large_and_small_numbers());
    return read(file);
}

std::string run_text(const TemporaryFolder& folder) {
    const std::string file = folder / "measurement-run.jsonl";
    MeasurementRunWriter writer(file);
    writer.write(to_facts(fake_h200()));
    writer.write(times_of_large_and_small_numbers());
    return read(file);
}

/// What goes into files or keys, by what it is.
std::map<std::string, std::string> all_texts() {
    const tables::DeviceTable table = tables::parse_table(table_source, "test");
    const TrialRecord record = record_of_large_and_small_numbers();
    const TemporaryFolder folder;
    return {{"table", tune::table_text(table, "1024 trials")},
            {"table with models", with_models(table_source, table)},
            {"picture",
             speedup_svg({{"NN/1x1x1", 1.25, 2345.6}, {"TT/8x8x8", 2048.75, 12345}}, "a & b")},
            {"record", to_json(record)},
            {"key", key_of(record)},
            {"journal", journal_text(folder)},
            {"run", run_text(folder)},
            {"shape", judge::shape_name(record.spec.shape)},
            {"self-test", self_test_text(report_of_large_numbers(), "file")}};
}

TEST(TunersLocale, ChangesNoByteOfWhatIsWritten) {
    const auto expected = all_texts();
    const HostileLocale hostile;
    const auto got = all_texts();
    for (const auto& [what, text] : expected) {
        EXPECT_EQ(got.at(what), text) << what;
    }
}

TEST(TunersLocale, ChangesNoNumberThatIsRead) {
    const TemporaryFolder folder;
    const TrialRecord record = record_of_large_and_small_numbers();
    const ShapeTimes times = times_of_large_and_small_numbers();
    journal_text(folder);
    run_text(folder);
    const HostileLocale hostile;
    const auto records = read_journal(folder / "journal.jsonl");
    ASSERT_EQ(records.size(), 1U);
    EXPECT_EQ(to_json(records.front()), to_json(record));
    EXPECT_DOUBLE_EQ(records.front().result.median, 1.25);
    EXPECT_DOUBLE_EQ(records.front().spec.effort.seconds, 0.5);

    const MeasurementRun run = read_measurement_run(folder / "measurement-run.jsonl");
    ASSERT_EQ(run.shapes.size(), 1U);
    ASSERT_EQ(run.shapes.front().plans.size(), 1U);
    EXPECT_DOUBLE_EQ(run.shapes.front().plans.front().us, times.plans.front().us);
    EXPECT_DOUBLE_EQ(run.shapes.front().plans.front().spread, 0.125);
    EXPECT_EQ(traits_from(run.facts).compute_units, fake_h200().compute_units);

    EXPECT_EQ(judge::parse_shape_name("NT/4096x2048x1024/ld4104,2056,4112").lda, 4104);
    EXPECT_EQ(judge::find_suite("TN/4096x2048x1024").shapes.front().m, 4096);
}

} // namespace
} // namespace libsgemm::tune
