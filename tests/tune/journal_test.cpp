// SPDX-License-Identifier: Apache-2.0
#include "sgemm/error.hpp"
#include "support/atomic_file.hpp"
#include "tune/worker/journal.hpp"
#include "tune/worker/trial_json.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>

namespace libsgemm::tune {
namespace {

namespace fs = std::filesystem;

TrialRecord example() {
    TrialRecord record;
    record.time = "2026-11-21T00:00:00Z";
    record.origin = {"Fake Device", "driver 1", "0123456789abcdef"};
    record.shape_class = "ld1024";
    record.spec.configuration = {
        "tiled", catalog::Parameters({{"tile_m", 64}, {"tile_n", 32}}), {}};
    record.spec.configuration.variant.edges = EdgeStrategy::pointer_shift;
    record.spec.configuration.variant.split_k = 4;
    record.spec.configuration.variant.narrow_a = true;
    record.spec.configuration.variant.parts = {1, 2, 4};
    record.spec.configuration.variant.repack_b = true;
    record.spec.shape =
        judge::with_leading_dimensions(judge::make_shape("NT", 100, 50, 25), 128, 64, 100);
    record.spec.reference = {"01_naive", catalog::Parameters({{"local_m", 8}}), {}};
    record.spec.effort.seconds = 0.5;
    TrialResult& result = record.result;
    result.compile_seconds = 0.25;
    result.b_k_major = true;
    result.samples = {1.25e-3, 1.5e-3, 1.0e-3};
    result.median = 1.25e-3;
    result.spread = 0.2;
    result.wall_median = 1.3e-3;
    result.reference_median = 2.5e-3;
    result.ratio = 0.5;
    result.steps = {{"pad", "A: pad", false, 1e-4, 0.1}, {"tiled", "multiply", true, 1e-3, 0.1}};
    result.max_error = 0.125;
    return record;
}

/// A folder of its own that goes with the test.
class JournalTest : public ::testing::Test {
protected:
    JournalTest() {
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    ~JournalTest() override { fs::remove_all(folder_); }

    void write(const std::string& text) const { std::ofstream(file_, std::ios::binary) << text; }
    std::string message_of_reading() const {
        try {
            read_journal(file_);
        } catch (const ConfigurationError& error) {
            return error.what();
        }
        return "no error";
    }

    fs::path folder_ =
        fs::path(::testing::TempDir()) /
        (std::string("journal_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::path file_ = folder_ / "trials.jsonl";
};

TEST_F(JournalTest, RecordsSurviveTheTripThroughJson) {
    const TrialRecord record = example();
    const std::string line = to_json(record);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const TrialRecord back = parse_record(line, "test");
    EXPECT_EQ(to_json(back), line);
    EXPECT_EQ(back.spec.configuration, record.spec.configuration);
    EXPECT_EQ(back.spec.shape, record.spec.shape);
    ASSERT_TRUE(back.spec.reference.has_value());
    EXPECT_EQ(*back.spec.reference, *record.spec.reference);
    EXPECT_EQ(back.spec.effort, record.spec.effort);
    EXPECT_EQ(back.origin, record.origin);
    EXPECT_EQ(back.shape_class, "ld1024");
    ASSERT_EQ(back.result.samples.size(), 3U);
    EXPECT_DOUBLE_EQ(back.result.samples[1], 1.5e-3);
    EXPECT_DOUBLE_EQ(back.result.reference_median, 2.5e-3);
    ASSERT_EQ(back.result.steps.size(), 2U);
    EXPECT_TRUE(back.result.steps[1].is_main);
    EXPECT_TRUE(back.result.b_k_major);
    EXPECT_FALSE(back.result.a_k_major);
}

TEST_F(JournalTest, EveryChoiceSurvivesTheTrip) {
    const auto expect_kept = [](auto change) {
        TrialRecord record = example();
        Variant& variant = record.spec.configuration.variant;
        change(variant);
        const TrialRecord back = parse_record(to_json(record), "test");
        EXPECT_EQ(back.spec.configuration, record.spec.configuration) << to_json(record);
        EXPECT_NE(key_of(back), key_of(example()));
    };
    expect_kept([](Variant& t) { t.repack_a = true; });
    expect_kept([](Variant& t) { t.narrow_b = true; });
    expect_kept([](Variant& t) { t.fused_reduction = true; });
    expect_kept([](Variant& t) { t.parts = {0, 0, 0}; });
    expect_kept([](Variant& t) { t.pack_a = true; });
    expect_kept([](Variant& t) { t.transpose_b = true; });
    expect_kept([](Variant& t) { t.pre_passes = PrePassStyle::separate; });
    for (const auto edges :
         {EdgeStrategy::padding, EdgeStrategy::guarded, EdgeStrategy::extension}) {
        expect_kept([edges](Variant& t) { t.edges = edges; });
    }
}

TEST_F(JournalTest, LinesOfEarlierVersionsAreRead) {
    TrialRecord record = example();
    Variant& variant = record.spec.configuration.variant;
    const auto is_read_from = [&](const std::string& choice) {
        Json line = Json::parse(to_json(record));
        line.erase("variant");
        line["choice"] = Json::parse(choice);
        EXPECT_EQ(parse_record(line.dump(), "test").spec.configuration, record.spec.configuration);
    };
    variant = {};
    variant.split_k = 4;
    is_read_from(R"({"edges": "padded", "split_k": 4})");
    variant.edges = EdgeStrategy::pointer_shift;
    variant.narrow_a = variant.narrow_b = variant.repack_b = true;
    variant.pre_passes = PrePassStyle::separate;
    is_read_from(R"({"edges": "shifted", "split_k": 4, "narrow": true, "relay_b": true,
                     "separate_passes": true})");
    variant = {};
    variant.edges = EdgeStrategy::extension;
    variant.fused_reduction = variant.repack_a = variant.pack_a = variant.transpose_b = true;
    variant.parts = {1, 2, 3};
    is_read_from(R"({"edges": "extended", "split_k": 1, "sum_in_launch": true, "relay_a": true,
                     "pack_a": true, "turn_b": true, "parts": [1, 2, 3]})");
}

TEST_F(JournalTest, EveryVerdictHasAName) {
    for (const Verdict verdict :
         {Verdict::ok, Verdict::wrong, Verdict::build_failed, Verdict::launch_failed,
          Verdict::timeout, Verdict::constraint, Verdict::shortage}) {
        EXPECT_EQ(parse_verdict(to_string(verdict)), verdict);
    }
    EXPECT_EQ(parse_verdict("fine"), std::nullopt);
}

TEST_F(JournalTest, FailuresKeepTheirMessageWhateverItsBytes) {
    TrialRecord record = example();
    record.result = failed(Verdict::build_failed, "line 1\nline 2 \xff \"quoted\"");
    const TrialRecord back = parse_record(to_json(record), "test");
    EXPECT_EQ(back.result.verdict, Verdict::build_failed);
    EXPECT_NE(back.result.message.find("line 1\nline 2"), std::string::npos);
    EXPECT_TRUE(back.result.samples.empty());
}

TEST_F(JournalTest, RemembersAcrossRuns) {
    {
        Journal journal(file_);
        EXPECT_TRUE(journal.records().empty());
        journal.append(example());
        EXPECT_NE(journal.find(key_of(example())), nullptr);
    }
    Journal again(file_);
    ASSERT_EQ(again.records().size(), 1U);
    EXPECT_NE(again.find(key_of(example())), nullptr);
    TrialRecord other = example();
    other.spec.shape = judge::make_shape("NN", 100, 50, 25);
    EXPECT_EQ(again.find(key_of(other)), nullptr);
}

TEST_F(JournalTest, KeysTellWhatWasAskedNotHowOrWhen) {
    TrialRecord same = example();
    same.time = "2027-01-01T00:00:00Z";
    same.spec.effort = {};
    same.spec.reference.reset();
    same.result = {};
    EXPECT_EQ(key_of(same), key_of(example()));
    const auto differs = [](auto change) {
        TrialRecord other = example();
        change(other);
        return key_of(other) != key_of(example());
    };
    EXPECT_TRUE(differs([](TrialRecord& r) { r.origin.driver = "driver 2"; }));
    EXPECT_TRUE(differs([](TrialRecord& r) { r.origin.source = "fedcba9876543210"; }));
    EXPECT_TRUE(differs([](TrialRecord& r) { r.spec.configuration.parameters.set("tile_m", 8); }));
    EXPECT_TRUE(differs([](TrialRecord& r) { r.spec.configuration.variant.split_k = 1; }));
    EXPECT_TRUE(differs([](TrialRecord& r) { r.spec.configuration.variant.narrow_a = false; }));
    EXPECT_TRUE(differs([](TrialRecord& r) { r.spec.shape.ldc += 1; }));
    EXPECT_TRUE(differs([](TrialRecord& r) { r.kind = RecordKind::verification; }));
}

TEST_F(JournalTest, ATornLastLineIsCutOffAndWritingGoesOn) {
    const std::string line = to_json(example());
    write(line + '\n' + line.substr(0, line.size() / 2));
    EXPECT_EQ(read_journal(file_).size(), 1U);
    {
        Journal journal(file_);
        EXPECT_EQ(journal.records().size(), 1U);
        TrialRecord other = example();
        other.spec.configuration.kernel = "direct";
        journal.append(other);
    }
    EXPECT_EQ(read_journal(file_).size(), 2U);
}

TEST_F(JournalTest, ABadLineIsNamedWithFileLineAndKey) {
    const std::string good = to_json(example()) + '\n';
    const std::string where = file_.string() + ":2: ";
    write(good + "{ torn\n" + good);
    EXPECT_EQ(message_of_reading().rfind(where, 0), 0U) << message_of_reading();
    write(good + "[1]\n");
    EXPECT_EQ(message_of_reading().rfind(where, 0), 0U) << message_of_reading();

    const auto with = [&](const std::string& from, const std::string& to) {
        std::string line = good;
        line.replace(line.find(from), from.size(), to);
        write(good + line);
        return message_of_reading();
    };
    EXPECT_NE(with("\"split_k\":4", "\"split_k\":\"4\"").find("'variant.split_k'"),
              std::string::npos);
    EXPECT_NE(with("\"verdict\":\"ok\"", "\"verdict\":\"fine\"").find("'verdict'"),
              std::string::npos);
    EXPECT_NE(with("\"m\":100", "\"m\":-100").find("'problem.m'"), std::string::npos);
    EXPECT_NE(with("\"driver\":\"driver 1\"", "\"driver\":1").find("'driver' must be a string"),
              std::string::npos);
    EXPECT_NE(with("\"narrow_a\":true", "\"narrow_a\":1")
                  .find("'variant.narrow_a' must be true or false"),
              std::string::npos);
    EXPECT_NE(with("\"edges\":\"pointer_shift\"", "\"edges\":\"cut\"")
                  .find("'variant.edges' must be padding"),
              std::string::npos);
    EXPECT_NE(with("\"kind\":\"timing\"", "\"kind\":\"guess\"").find("'kind' must be"),
              std::string::npos);
    EXPECT_NE(
        with("\"samples_us\":[", "\"samples_us\":[\"x\",").find("'samples_us' must be numbers"),
        std::string::npos);
    EXPECT_EQ(with("\"driver\":", "\"chauffeur\":"), where + "'driver' is missing");
}

TEST_F(JournalTest, CutOrChangedAnywhereItIsReadOrRefused) {
    const std::string line = to_json(example()) + '\n';
    for (std::size_t i = 0; i < line.size(); ++i) {
        for (const char other : {'\0', '\n', '"', '{', ',', '9', '\x80', '\xff'}) {
            std::string damaged = line;
            damaged[i] = other;
            try {
                parse_record(damaged.substr(0, damaged.size() - 1), "file:1");
            } catch (const ConfigurationError& error) {
                EXPECT_EQ(std::string(error.what()).rfind("file:1: ", 0), 0U) << error.what();
            }
        }
    }
    for (std::size_t size = 0; size < line.size(); ++size) {
        write(line + line.substr(0, size));
        EXPECT_EQ(read_journal(file_).size(), 1U) << "cut after " << size << " bytes";
        EXPECT_EQ(repair_journal(file_), "");
    }
}

TEST_F(JournalTest, ADamagedOneIsKeptAsideAndGoesOnWithTheOtherLines) {
    EXPECT_EQ(repair_journal(file_), "") << "there is none";
    TrialRecord other = example();
    other.spec.configuration.kernel = "direct";
    const std::string text =
        to_json(example()) + "\n{\"device\": 0,56\n" + to_json(other) + "\nno JSON\n";
    write(text);
    const std::string complaint = repair_journal(file_);
    EXPECT_NE(complaint.find(file_.string() + ":2: "), std::string::npos) << complaint;
    EXPECT_NE(complaint.find("without 2 of its lines"), std::string::npos) << complaint;
    EXPECT_EQ(support::read_file(file_.string() + ".damaged"), text);
    Journal journal(file_);
    ASSERT_EQ(journal.records().size(), 2U);
    EXPECT_EQ(journal.records()[1].spec.configuration.kernel, "direct");
    EXPECT_EQ(repair_journal(file_), "") << "once";
}

TEST_F(JournalTest, WhatStandsAtItsPathStaysWhatItIs) {
    const fs::path link = folder_ / "link.jsonl";
    fs::create_symlink(file_, link);
    Journal(link).append(example());
    EXPECT_TRUE(fs::is_symlink(link));
    EXPECT_EQ(read_journal(file_).size(), 1U);

    Journal null("/dev/null");
    null.append(example());
    EXPECT_EQ(null.records().size(), 1U);
    EXPECT_TRUE(Journal("/dev/zero").records().empty()) << "nor is it read for ever";

    const fs::path pipe = folder_ / "pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_THROW(Journal{pipe}, ConfigurationError);
    EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST_F(JournalTest, TwoTunersOnOneJournalAreTold) {
    const Journal first(file_);
    try {
        const Journal second(file_);
        FAIL() << "the second tuner got the journal";
    } catch (const ConfigurationError& error) {
        EXPECT_NE(std::string(error.what()).find("another tuner"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find(file_.string()), std::string::npos);
    }
}

TEST_F(JournalTest, AFolderThatCannotBeWrittenIsNamed) {
    write("in the way");
    try {
        const Journal journal(file_ / "below" / "trials.jsonl");
        FAIL() << "written into a file";
    } catch (const ConfigurationError& error) {
        EXPECT_NE(std::string(error.what()).find(file_.string()), std::string::npos);
    }
}

} // namespace
} // namespace libsgemm::tune
