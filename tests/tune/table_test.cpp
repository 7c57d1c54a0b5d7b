// SPDX-License-Identifier: Apache-2.0
// What is written for later runs: whole, readable, found again.
#include "sgemm/error.hpp"
#include "support/atomic_file.hpp"
#include "support/environment_variable.hpp"
#include "support/fake_device.hpp"
#include "tables/choices.hpp"
#include "tune/fit/table_writer.hpp"
#include "tune/search/compose.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <string>

namespace libsgemm::tune {
namespace {

namespace fs = std::filesystem;
using sgemm_test::EnvironmentVariable;
using sgemm_test::fake_device;

class Files : public ::testing::Test {
protected:
    Files() { fs::create_directories(folder_); }
    ~Files() override {
        fs::permissions(folder_, fs::perms::owner_all);
        fs::remove_all(folder_);
    }

    fs::path folder_ =
        fs::path(::testing::TempDir()) /
        (std::string("table_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

tables::DeviceTable example_table() {
    tables::DeviceTable table = tables::parse_table(R"(
description = "with \"quotes\""
[match]
name = "Fake Device 9000"
microarchitecture = "znver9"
[machine]
launch_us = 3.5
launch_unit_us = 0.25
bandwidth_units = 3
streamed_transposes = 1
bandwidth_gbs = 250.5
sharing_gbs = 0.75
wake_us = 12
cache_ways = 8
cache_line_ns = 0.75
core_cache_mib = 1.5
memory_gbs = 3400
sum_us = 2.5
sum_gbs = 120
flops_per_cycle_per_unit = 128
[provenance]
command = "sgemm-tune --budget 3m"
[[kernel]]
name = "tiled"
parameters = { tile_m = 64, tile_n = 32 }
model = { efficiency = 0.5, groups_per_unit = 4, lone_group_speedup = 2, group_us = 3, cached_mib = 1, uncached_factor = 0.25, in_place_period = 1024, in_place_b_mib = 3 }
source = "0123456789abcdef"
verified = "12 shapes"
provenance = "not run on this hardware"
measured = [ { shape = "NT/64x64x64", us = 12.5, spread = 0.01 } ]
)",
                                                    "example.toml");
    return table;
}

TEST(TableText, IsReadBackAsItWas) {
    const tables::DeviceTable table = example_table();
    const std::string text = table_text(table, "one line\nanother");
    const tables::DeviceTable back = tables::parse_table(text, "back.toml");
    EXPECT_EQ(table_text(back, "one line\nanother"), text);
    EXPECT_EQ(text.rfind("# one line\n# another\n", 0), 0U);
    EXPECT_EQ(back.description, table.description);
    EXPECT_EQ(back.match.name, table.match.name);
    EXPECT_EQ(back.match.microarchitecture, "znver9");
    EXPECT_EQ(back.provenance, table.provenance);
    ASSERT_EQ(back.rows.size(), 1U);
    const tables::TableRow& row = back.rows[0];
    EXPECT_EQ(row.parameters, table.rows[0].parameters);
    EXPECT_EQ(row.source, "0123456789abcdef");
    EXPECT_EQ(row.verified, "12 shapes");
    EXPECT_EQ(row.provenance, "not run on this hardware");
    EXPECT_DOUBLE_EQ(row.model.group_seconds, 3e-6);
    EXPECT_DOUBLE_EQ(back.machine.wake_seconds, 12e-6);
    EXPECT_EQ(back.machine.cache_ways, 8);
    EXPECT_DOUBLE_EQ(back.machine.cache_line_seconds, 0.75e-9);
    EXPECT_DOUBLE_EQ(back.machine.core_cache_bytes, 1.5 * 1024 * 1024);
    EXPECT_DOUBLE_EQ(back.machine.launch_unit_seconds, 0.25e-6);
    EXPECT_EQ(back.machine.bandwidth_units, 3);
    EXPECT_EQ(back.machine.streamed_transposes, 1);
    EXPECT_DOUBLE_EQ(row.model.cached_bytes, 1048576);
    EXPECT_EQ(row.model.in_place_period, 1024);
    EXPECT_DOUBLE_EQ(row.model.in_place_bytes_b, 3 * 1048576);
    ASSERT_EQ(row.measured.size(), 1U);
    EXPECT_EQ(row.measured[0].shape, "NT/64x64x64");
    EXPECT_NEAR(row.measured[0].seconds, 12.5e-6, 1e-12);
}

TEST(TableText, SaysWhomItIsFor) {
    for (const DeviceType type : {DeviceType::cpu, DeviceType::gpu, DeviceType::accelerator}) {
        tables::DeviceTable table = example_table();
        table.match = {std::nullopt, "sm_90", std::nullopt, "nvidia", type};
        table.rows_from = "cpu.toml";
        const tables::DeviceTable back = tables::parse_table(table_text(table, ""), "back.toml");
        EXPECT_EQ(back.match.name, std::nullopt);
        EXPECT_EQ(back.match.architecture, "sm_90");
        EXPECT_EQ(back.match.vendor, "nvidia");
        EXPECT_EQ(back.match.type, type);
        EXPECT_EQ(back.rows_from, "cpu.toml");
    }
}

/// The user's tables lie in the test's folder.
class OwnTable : public Files {
protected:
    tables::DeviceTable load(std::string& complaint) const {
        return tables::load_table("", device_, catalog::kernel_catalog(), complaint);
    }
    void write(const std::string& text) const {
        support::replace_file(tables::user_table_path(device_), text);
    }
    /// What is said of a table of one row, named as SGEMM_TABLE would name it.
    std::string complaint_about(const std::string& text) const {
        const fs::path file = folder_ / "named.toml";
        support::replace_file(file.string(), text);
        try {
            tables::file_table(file, device_, catalog::kernel_catalog());
        } catch (const ConfigurationError& error) {
            const std::string what = error.what();
            return what.rfind(file.string(), 0) == 0 ? what.substr(file.string().size()) : what;
        }
        return "no error";
    }

    DeviceTraits device_ = fake_device();
    EnvironmentVariable home_{"XDG_DATA_HOME", folder_.string()};
};

TEST_F(OwnTable, IsFoundByTheDevicesName) {
    std::string complaint;
    device_.microarchitecture = "znver9";
    const std::string built_in = load(complaint).origin;
    write(table_text(example_table(), ""));
    const tables::DeviceTable own = load(complaint);
    EXPECT_EQ(own.origin, tables::user_table_path(device_));
    EXPECT_EQ(own.rows.front().kernel, "tiled");
    EXPECT_EQ(complaint, "");
    DeviceTraits other = device_;
    other.name = "Another Device";
    EXPECT_EQ(tables::load_table("", other, catalog::kernel_catalog(), complaint).origin, built_in);
    EXPECT_EQ(complaint, "");
    device_.microarchitecture = "znver8";
    EXPECT_EQ(load(complaint).origin, built_in) << "another CPU of that name";
    EXPECT_NE(complaint, "");
}

/// As shapes leave it that are tuned by the built-in table.
TEST_F(OwnTable, UponABuiltInOnePlansAsThatOne) {
    const tables::DeviceTable built_in = tables::built_in_table(device_);
    tables::DeviceTable table = built_in;
    table.rows_from = built_in.embedded;
    table.base_rows = built_in.rows.size();
    table.has_machine = false;
    table.provenance = {{"command", "sgemm-tune"}};
    const std::string text = own_table_text(table, "");
    EXPECT_EQ(text.find("[[kernel]]"), std::string::npos);
    EXPECT_EQ(text.find("[machine]"), std::string::npos);
    write(text);
    std::string complaint;
    const tables::DeviceTable own = load(complaint);
    EXPECT_EQ(complaint, "");
    EXPECT_EQ(own.origin, tables::user_table_path(device_));
    const auto key = [&](const tables::DeviceTable& of) {
        return tables::table_key(of, device_, catalog::kernel_catalog());
    };
    EXPECT_EQ(key(own), key(built_in)) << "rows, models and machine";
    // Written once more it still leaves them where they are; and it keeps rows of its own.
    EXPECT_EQ(own_table_text(own, ""), own_table_text(table, ""));
    tables::DeviceTable more = own;
    more.rows.insert(more.rows.begin(), example_table().rows.front());
    const tables::DeviceTable back = tables::parse_table(own_table_text(more, ""), "back.toml");
    ASSERT_EQ(back.rows.size(), 1U);
    EXPECT_EQ(back.rows.front().kernel, "tiled");
}

/// What programs found comes before a table's choices: not where the tuner measured later.
TEST_F(OwnTable, LaterChoicesTakeThePlaceOfThoseThatProgramsFound) {
    const tables::ChoiceFile file{tables::choices_path(device_), false, "key"};
    std::string complaint;
    tables::Choice one;
    one.plan = {"tiled"};
    one.problem = tables::ExactProblem{false, false, 1, 2, 3, {1, 3, 1}, {1, 1, 1}};
    EXPECT_EQ(tables::forget_choices(file, {one}, complaint), 0U);
    EXPECT_FALSE(fs::exists(file.path)) << "nothing to forget";
    tables::Choice other = one;
    other.problem->m = 4;
    tables::save_choice(file, one, complaint);
    tables::save_choice(file, other, complaint);
    tables::save_choice(file, {"NN 64x64x64", {"tiled"}}, complaint);
    EXPECT_EQ(tables::forget_choices(file, {one}, complaint), 1U);
    const auto left = tables::read_choices(file, complaint);
    ASSERT_EQ(left.size(), 2U);
    EXPECT_EQ(left[0].problem, other.problem);
    EXPECT_TRUE(left[0].is_of_file);
    EXPECT_EQ(left[1].problems, "NN 64x64x64");
    EXPECT_EQ(complaint, "");
}

TEST_F(OwnTable, ThatIsNoGoodGivesWayToTheBuiltInOneWithAComplaint) {
    for (const char* text : {"this is not toml", "[match]\nname = \"Another Device\"\n",
                             "[[kernel]]\nname = \"tiled\"\nparameters = { tile_m = 7 }\n"}) {
        write(text);
        std::string complaint;
        const tables::DeviceTable table = load(complaint);
        EXPECT_NE(table.origin, tables::user_table_path(device_));
        EXPECT_NE(complaint.find(tables::user_table_path(device_)), std::string::npos) << complaint;
    }
}

TEST_F(OwnTable, MistakesAreNamedWithFileLineAndKey) {
    const std::string row = "[[kernel]]\nname = \"tiled\"\n";
    EXPECT_EQ(complaint_about("[[kernel]]\nname = \"x\"\n").rfind(":1: 'kernel.name'", 0), 0U);
    EXPECT_NE(
        complaint_about(row + "parameters = { colour = 3 }").find("'kernel.parameters.colour'"),
        std::string::npos);
    EXPECT_NE(complaint_about(row + "parameters = { tile_m = 100000 }").find("outside its range"),
              std::string::npos);
    EXPECT_NE(complaint_about(row + "parameters = { work_per_item_m = 3 }").find("must divide"),
              std::string::npos);
    EXPECT_NE(complaint_about("[match]\nname = \"x\"\n").find("another device"), std::string::npos);
    EXPECT_NE(complaint_about(row + "measured = [ { us = 1 } ]").find("'kernel.measured.shape'"),
              std::string::npos);
}

TEST_F(OwnTable, RowsOfAnOtherSourceAreReported) {
    const auto stale = tables::stale_rows(example_table(), catalog::kernel_catalog());
    ASSERT_EQ(stale.size(), 1U);
    EXPECT_NE(stale[0].find("tiled"), std::string::npos);
    tables::DeviceTable fresh = example_table();
    fresh.rows[0].source = catalog::kernel_catalog().short_source_hash("tiled");
    EXPECT_TRUE(tables::stale_rows(fresh, catalog::kernel_catalog()).empty());
}

// --- composition ---------------------------------------------------------------------------------

class Compose : public ::testing::Test {
protected:
    static catalog::Parameters tiled(int tile) {
        auto parameters = catalog::kernel_catalog().find("tiled")->defaults();
        parameters.set("tile_m", tile);
        return parameters;
    }
    TrialRecord timing(int tile, std::int64_t n, double ratio) const {
        TrialRecord record;
        record.origin = {device_.name, device_.driver_version, kernels_.short_source_hash("tiled")};
        record.spec.configuration = {"tiled", tiled(tile), {}};
        record.spec.shape = judge::make_shape("NT", n, n, n);
        record.spec.reference = {"01_naive", catalog::kernel_catalog().naive().defaults(), {}};
        record.result.reference_median = 1e-3;
        record.result.ratio = ratio;
        record.result.median = ratio * 1e-3;
        return record;
    }
    TrialRecord verification(int tile, Verdict verdict = Verdict::ok) const {
        TrialRecord record = timing(tile, 1, 1);
        record.kind = RecordKind::verification;
        record.result = failed(verdict, "");
        record.checked = "all";
        return record;
    }
    std::vector<int> tiles_of(const std::vector<TrialRecord>& records) const {
        const auto table = compose_table(records, {device_, kernels_, base_});
        std::vector<int> tiles;
        for (const tables::TableRow& row : table.rows) {
            if (row.kernel == "tiled") {
                tiles.push_back(row.parameters["tile_m"]);
            }
        }
        return tiles;
    }

    DeviceTraits device_ = fake_device();
    const libsgemm::catalog::KernelCatalog& kernels_ = libsgemm::catalog::kernel_catalog();
    tables::DeviceTable base_;
};

TEST_F(Compose, TakesTheFastestVerifiedRowOfEachShape) {
    EXPECT_EQ(
        tiles_of({timing(64, 512, 0.5), timing(32, 512, 0.6), verification(64), verification(32)}),
        std::vector<int>{64});
    EXPECT_EQ(tiles_of({timing(64, 512, 0.5), timing(32, 512, 0.9), timing(64, 100, 0.9),
                        timing(32, 100, 0.3), verification(64), verification(32)}),
              (std::vector<int>{32, 64}));
}

TEST_F(Compose, LeavesOutWhatIsWrongUnverifiedStaleOrNoBetter) {
    EXPECT_EQ(tiles_of({timing(64, 512, 0.1), timing(32, 512, 0.6),
                        verification(64, Verdict::wrong), verification(32)}),
              std::vector<int>{32});
    EXPECT_TRUE(tiles_of({timing(64, 512, 0.1)}).empty());
    EXPECT_TRUE(tiles_of({timing(64, 512, 1.2), verification(64)}).empty());
    TrialRecord old = timing(64, 512, 0.1);
    old.origin.source = "fedcba9876543210";
    TrialRecord old_verification = verification(64);
    old_verification.origin.source = "fedcba9876543210";
    EXPECT_TRUE(tiles_of({old, old_verification}).empty());
}

TEST_F(Compose, KeepsRowsOfKernelsThatNobodyTuned) {
    base_.rows.push_back({"01_naive", {}, {}});
    base_.rows.push_back({"tiled", tiled(128), {}});
    const std::vector<TrialRecord> records{timing(64, 512, 0.5), verification(64)};
    EXPECT_EQ(tiles_of(records), std::vector<int>{64});
    const auto table = compose_table(records, {device_, kernels_, base_});
    EXPECT_EQ(table.rows.back().kernel, "01_naive");
    EXPECT_EQ(table.rows.front().verified, "all");
    EXPECT_EQ(table.rows.front().source, kernels_.short_source_hash("tiled"));
    ASSERT_EQ(table.rows.front().measured.size(), 1U);
    EXPECT_NEAR(table.rows.front().measured[0].seconds, 0.5e-3, 1e-9);
}

} // namespace
} // namespace libsgemm::tune
