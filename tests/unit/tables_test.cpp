// SPDX-License-Identifier: Apache-2.0
#include "catalog/kernel_catalog.hpp"
#include "sgemm/error.hpp"
#include "support/fake_device.hpp"
#include "support/temporary_file.hpp"
#include "tables/coefficients.hpp"
#include "tables/device_table.hpp"
#include "tables/embedded_tables.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>

namespace libsgemm::tables {
namespace {

using sgemm_test::fake_device;

/// toml++ asserts that what follows a bracket begins a key.
TEST(Table, RefusesWhatTheParserDoesNotExpect) {
    for (const char* text : {"[*]", "[\x01", "[!x]\n", "[[=]]", "x = [ [", "\x7f = 1", "[a.*]"}) {
        EXPECT_THROW(parse_table(text, "bad.toml"), ConfigurationError) << text;
    }
}

/// toml++ looks whether they are blanks, and does not expect all there are.
TEST(Table, RefusesCharactersBeyondAsciiOutsideOfStringsAndComments) {
    for (const char* text :
         {"\xef\xb3\xbf", "# a\n\xef\xbb\xbe = 1", "description = \"x\" \xc3\xa4",
          "description = \"\"\"x\"\"\"\xce\x87", "[machine]\nlaunch_us = 2\xce\x87"}) {
        EXPECT_THROW(parse_table(text, "bad.toml"), ConfigurationError) << text;
    }
    for (const char* name :
         {"\"\xef\xb1\xa6\"", "'\xc3\xa4\"'", "\"a\\\"\xc3\xa4\"",
          "\"\"\"\n\xc3\xa4 \"\" \\\"\"\"\"", "'''\xce\x87'''", "\"x\" # \xc3\xa4"}) {
        EXPECT_NO_THROW(parse_table(std::string("description = ") + name + "\n", "good.toml"))
            << name;
    }
    EXPECT_NO_THROW(parse_table("\xef\xbb\xbf# with a byte order mark", "good.toml"));
}

TEST(Table, ReadsEveryKey) {
    const DeviceTable table = parse_table(R"(
description = "for the test"
[match]
name = "Fake Device 9000"
architecture = "fake_90"
vendor = "other"
type = "gpu"
[machine]
launch_us = 4
bandwidth_gbs = 250.5
flops_per_cycle_per_unit = 128
[[kernel]]
name = "first"
[[kernel]]
name = "second"
parameters = { tile_m = 64, tile_k = 8 }
model = { efficiency = 0.5, groups_per_unit = 4, lone_group_speedup = 2, group_us = 3, cached_mib = 1, uncached_factor = 0.25, in_place_period = 1024, in_place_collision = 1.5, in_place_mib = 2, in_place_b_mib = 3, far_in_place = 0.75 }
)",
                                          "some.toml");
    EXPECT_EQ(table.origin, "some.toml");
    EXPECT_EQ(table.description, "for the test");
    EXPECT_EQ(table.match.name, "Fake Device 9000");
    EXPECT_EQ(table.match.architecture, "fake_90");
    EXPECT_EQ(table.match.vendor, "other");
    EXPECT_EQ(table.match.type, DeviceType::gpu);
    EXPECT_DOUBLE_EQ(table.machine.launch_seconds, 4e-6);
    EXPECT_DOUBLE_EQ(table.machine.bandwidth, 250.5e9);
    EXPECT_DOUBLE_EQ(table.machine.flops_per_cycle_per_unit, 128);
    ASSERT_EQ(table.rows.size(), 2U);
    EXPECT_EQ(table.rows[0].kernel, "first");
    EXPECT_TRUE(table.rows[0].parameters.empty());
    EXPECT_EQ(table.rows[1].parameters, catalog::Parameters({{"tile_k", 8}, {"tile_m", 64}}));
    EXPECT_DOUBLE_EQ(table.rows[1].model.efficiency, 0.5);
    EXPECT_DOUBLE_EQ(table.rows[1].model.groups_per_unit, 4);
    EXPECT_DOUBLE_EQ(table.rows[1].model.lone_group_speedup, 2);
    EXPECT_DOUBLE_EQ(table.rows[1].model.group_seconds, 3e-6);
    EXPECT_DOUBLE_EQ(table.rows[1].model.cached_bytes, 1048576);
    EXPECT_DOUBLE_EQ(table.rows[1].model.uncached_factor, 0.25);
    EXPECT_EQ(table.rows[1].model.in_place_period, 1024);
    EXPECT_DOUBLE_EQ(table.rows[1].model.in_place_collision, 1.5);
    EXPECT_DOUBLE_EQ(table.rows[1].model.in_place_bytes, 2097152);
    EXPECT_DOUBLE_EQ(table.rows[1].model.in_place_bytes_b, 3145728);
    EXPECT_DOUBLE_EQ(table.rows[1].model.far_in_place, 0.75);
}

TEST(Table, NewerCoefficientsDoNothingUnlessGiven) {
    const DeviceTable plain = parse_table("[[kernel]]\nname = \"k\"\n"
                                          "model = { guarded_narrow = 0.5 }\n",
                                          "plain.toml");
    const KernelModel& model = plain.rows[0].model;
    EXPECT_DOUBLE_EQ(model.start_seconds, 0);
    EXPECT_DOUBLE_EQ(model.latency_exposure, 0);
    EXPECT_DOUBLE_EQ(model.shifting_slowdown, 1);
    EXPECT_DOUBLE_EQ(model.guarded_narrow_b, 0.5) << "as for A";
    EXPECT_DOUBLE_EQ(model.extension_narrow, 0);

    const DeviceTable given = parse_table("[[kernel]]\nname = \"k\"\n"
                                          "model = { start_us = 2, latency_exposure = 0.25, "
                                          "shifting_slowdown = 1.25, guarded_narrow_b = 0.75 }\n",
                                          "given.toml");
    const KernelModel& other = given.rows[0].model;
    EXPECT_DOUBLE_EQ(other.start_seconds, 2e-6);
    EXPECT_DOUBLE_EQ(other.latency_exposure, 0.25);
    EXPECT_DOUBLE_EQ(other.shifting_slowdown, 1.25);
    EXPECT_DOUBLE_EQ(other.guarded_narrow_b, 0.75);
}

TEST(Table, OfBeforeMayHoldCoefficientsThatAreGone) {
    const DeviceTable table = parse_table(
        "[machine]\ncall_us = 14\npacking_gbs = 30\ntlb_ways = 16\n[[kernel]]\nname = \"k\"\n"
        "model = { efficiency = 0.5, in_place_collision_b = 1.2, far_in_place_b = 0.9 }\n",
        "before.toml");
    EXPECT_EQ(model_text(table.rows[0].model, 4), "efficiency = 0.5");
}

TEST(Table, OfBeforeMayHoldEarlierKeys) {
    const DeviceTable table =
        parse_table("[machine]\nslice_us = 2\nstreamed_turns = 1\n", "before.toml");
    EXPECT_DOUBLE_EQ(table.machine.partial_sum_seconds, 2e-6);
    EXPECT_EQ(table.machine.streamed_transposes, 1);
    EXPECT_NE(machine_text(table.machine, 4).find("partial_sum_us = 2\n"), std::string::npos);
}

TEST(Table, MayBeEmpty) {
    EXPECT_TRUE(parse_table("", "empty.toml").rows.empty());
}

TEST(Table, NewerCoefficientsAreHeldToTheirRanges) {
    for (const char* wrong : {"latency_exposure = 1.5", "start_us = -1", "shifting_slowdown = 0",
                              "guarded_narrow_b = -0.1", "extension_narrow = -1",
                              "in_place_collision = 0.5", "far_in_place = 0"}) {
        const std::string text =
            std::string("[[kernel]]\nname = \"k\"\nmodel = { ") + wrong + " }\n";
        EXPECT_THROW(parse_table(text, "bad.toml"), ConfigurationError) << wrong;
    }
}

struct BadTable {
    const char* name;
    const char* text;
    int line;
    const char* key; ///< that the message must name
};

class BadTables : public ::testing::TestWithParam<BadTable> {};

TEST_P(BadTables, NameFileLineAndKey) {
    try {
        parse_table(GetParam().text, "bad.toml");
        FAIL() << "no error";
    } catch (const ConfigurationError& error) {
        const std::string text = error.what();
        EXPECT_EQ(text.rfind("bad.toml:" + std::to_string(GetParam().line) + ":", 0), 0U) << text;
        EXPECT_NE(text.find(GetParam().key), std::string::npos) << text;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Table, BadTables,
    ::testing::Values(
        BadTable{"Syntax", "description = \"x\"\nthis is not toml", 2, ""},
        BadTable{"UnknownKey", "\nspeed = 3", 2, "speed"},
        BadTable{"UnknownMatchKey", "[match]\ncolour = \"red\"", 2, "match.colour"},
        BadTable{"UnknownType", "[match]\ntype = \"abacus\"", 1, "match.type"},
        BadTable{"MachineIsNoTable", "machine = 3", 1, "machine"},
        BadTable{"TextForNumber", "[machine]\nlaunch_us = \"4\"", 2, "machine.launch_us"},
        BadTable{"NegativeBandwidth", "[machine]\nbandwidth_gbs = -1", 2, "machine.bandwidth_gbs"},
        BadTable{"NotANumber", "[machine]\nbandwidth_gbs = nan", 2, "machine.bandwidth_gbs"},
        BadTable{"WaysWithoutALine", "[machine]\ncache_ways = 8", 1, "machine.cache_line_ns"},
        BadTable{"ALineWithoutWays", "[machine]\ncache_line_ns = 1", 1, "machine.cache_ways"},
        BadTable{"KernelIsNoArray", "kernel = 1", 1, "kernel"},
        BadTable{"KernelHoldsNoTables", "kernel = [1]", 1, "kernel"},
        BadTable{"NamelessKernel", "[[kernel]]\nparameters = { tile_m = 4 }", 1, "kernel.name"},
        BadTable{"NumberForName", "[[kernel]]\nname = 6", 2, "kernel.name"},
        BadTable{"FractionalParameter", "[[kernel]]\nname = \"x\"\nparameters = { tile_m = 1.5 }",
                 3, "kernel.parameters.tile_m"},
        BadTable{"NegativeParameter", "[[kernel]]\nname = \"x\"\nparameters = { tile_m = -4 }", 3,
                 "kernel.parameters.tile_m"},
        BadTable{"UnknownModelKey", "[[kernel]]\nname = \"x\"\nmodel = { magic = 1 }", 3,
                 "kernel.model.magic"},
        BadTable{"ZeroEfficiency", "[[kernel]]\nname = \"x\"\nmodel = { efficiency = 0 }", 3,
                 "kernel.model.efficiency"}),
    [](const auto& test) { return test.param.name; });

TEST(Match, PrefersNameThenMicroarchitectureThenArchitectureThenVendorAndType) {
    DeviceTraits device = fake_device();
    device.architecture = "fake_90";
    device.microarchitecture = "fake4";
    DeviceMatch anything;
    DeviceMatch type;
    type.type = DeviceType::gpu;
    DeviceMatch vendor_and_type = type;
    vendor_and_type.vendor = "other";
    DeviceMatch architecture;
    architecture.architecture = "fake_90";
    DeviceMatch microarchitecture;
    microarchitecture.microarchitecture = "fake4";
    DeviceMatch name;
    name.name = "Fake Device 9000";
    EXPECT_GE(match_score(anything, device), 0);
    EXPECT_GT(match_score(type, device), match_score(anything, device));
    EXPECT_GT(match_score(vendor_and_type, device), match_score(type, device));
    EXPECT_GT(match_score(architecture, device), match_score(vendor_and_type, device));
    EXPECT_GT(match_score(microarchitecture, device), match_score(architecture, device));
    EXPECT_GT(match_score(name, device), match_score(microarchitecture, device));
}

TEST(Match, AllThatIsGivenMustFit) {
    DeviceMatch match;
    match.name = "Fake Device 9000";
    match.type = DeviceType::cpu;
    EXPECT_LT(match_score(match, fake_device()), 0);
    EXPECT_GE(match_score(match, fake_device(DeviceType::cpu)), 0);
}

TEST(EmbeddedTables, OneFitsAnyDevice) {
    for (const DeviceType type :
         {DeviceType::cpu, DeviceType::gpu, DeviceType::accelerator, DeviceType::other}) {
        EXPECT_FALSE(built_in_table(fake_device(type)).rows.empty());
    }
    EXPECT_FALSE(built_in_table(DeviceTraits()).rows.empty());
}

TEST(EmbeddedTables, SayWhatALaunchTakesWhereCommandsRunInTheCallingThread) {
    DeviceTraits device = fake_device(DeviceType::cpu);
    for (const char* architecture : {"", "cpu-256bit", "cpu-512bit"}) {
        for (const char* vendor : {"amd", "intel"}) {
            device.architecture = architecture;
            device.vendor_key = vendor;
            const tables::MachineModel machine = built_in_table(device).machine;
            EXPECT_GT(machine.calling_thread_launch_seconds, 0) << architecture << ' ' << vendor;
            EXPECT_LT(machine.calling_thread_launch_seconds, machine.launch_seconds);
        }
    }
}

TEST(EmbeddedTables, EveryVendorHasRows) {
    for (const char* vendor : {"nvidia", "amd", "intel", "arm", "qualcomm", "apple", "other"}) {
        DeviceTraits device = fake_device();
        device.vendor_key = vendor;
        EXPECT_GT(built_in_table(device).rows.size(), 1U) << vendor;
    }
}

TEST(EmbeddedTables, NameCatalogueKernelsWithParametersThatRun) {
    for (const EmbeddedTable& embedded : embedded_tables()) {
        const DeviceTable table = parse_table(embedded.text, std::string(embedded.path));
        for (const TableRow& row : table.rows) {
            const auto* kernel = catalog::kernel_catalog().find(row.kernel);
            ASSERT_NE(kernel, nullptr) << embedded.path << ": " << row.kernel;
            catalog::Parameters parameters = kernel->defaults();
            for (const auto& [name, value] : row.parameters) {
                parameters.set(name, value);
            }
            // A device with everything, so that only the rules of the kernel itself count.
            DeviceTraits device = fake_device();
            device.has_nvidia_ptx = true;
            device.compute_capability = 90;
            device.has_subgroup_shuffle = true;
            device.subgroup_size = parameters.get_or("subgroup", 32);
            device.local_memory_bytes = 1024 * 1024;
            EXPECT_EQ(catalog::obstacles(*kernel, parameters, device), std::vector<std::string>{})
                << embedded.path << ": " << row.kernel << ' ' << row.parameters.to_string();
        }
    }
}

TEST(BuiltInTable, OtherHoppersAreTakenForAnH200WithAnotherMemory) {
    DeviceTraits h100 = sgemm_test::fake_h200();
    const DeviceTable measured = built_in_table(h100);
    h100.name = "NVIDIA H100 80GB HBM3";
    const DeviceTable table = built_in_table(h100);
    EXPECT_EQ(table.embedded, "nvidia-h100.toml");
    EXPECT_EQ(table.rows.size(), measured.rows.size());
    EXPECT_EQ(table.machine.bandwidth, measured.machine.bandwidth);
    EXPECT_LT(table.machine.memory_bandwidth, measured.machine.memory_bandwidth);

    h100.name = "NVIDIA H20";
    const DeviceTable unknown = built_in_table(h100);
    EXPECT_EQ(unknown.embedded, "nvidia-hopper.toml");
    EXPECT_EQ(unknown.rows.size(), measured.rows.size());

    h100.architecture = "sm_89";
    const DeviceTable other = built_in_table(h100);
    EXPECT_EQ(other.embedded, "nvidia-gpu.toml");
}

TEST(BuiltInTable, CpusOfIntelAskForFewerStepsAheadThanOthers) {
    DeviceTraits cpu = sgemm_test::fake_cpu_with_512_bits("amd");
    const DeviceTable others = built_in_table(cpu);
    EXPECT_EQ(others.embedded, "cpu-512bit.toml");
    cpu.vendor_key = "intel";
    const DeviceTable intel = built_in_table(cpu);
    EXPECT_EQ(intel.embedded, "cpu-512bit-intel.toml");
    const auto most_steps_ahead = [](const DeviceTable& table) {
        const int by_default = catalog::kernel_catalog().find("packed")->defaults()["prefetch"];
        int most = 0;
        for (const TableRow& row : table.rows) {
            if (row.kernel == "packed") {
                most = std::max(most, row.parameters.get_or("prefetch", by_default));
            }
        }
        return most;
    };
    EXPECT_EQ(most_steps_ahead(intel), 8);
    EXPECT_GT(most_steps_ahead(others), 8);
    EXPECT_GT(intel.machine.launch_unit_seconds, others.machine.launch_unit_seconds)
        << "with many threads a launch takes longer";
}

TEST(BuiltInTable, AZen4IsToldFromOtherCpusWithItsVectors) {
    DeviceTraits cpu = sgemm_test::fake_cpu_with_512_bits("amd");
    cpu.microarchitecture = "znver5";
    const DeviceTable others = built_in_table(cpu);
    EXPECT_EQ(others.embedded, "cpu-512bit.toml");
    cpu.microarchitecture = "znver4";
    const DeviceTable zen4 = built_in_table(cpu);
    EXPECT_EQ(zen4.embedded, "cpu-512bit-znver4.toml");
    EXPECT_EQ(zen4.machine.flops_per_cycle_per_unit, others.machine.flops_per_cycle_per_unit / 2)
        << "two halves of a vector, one after the other";
    EXPECT_LT(zen4.machine.cache_ways, others.machine.cache_ways);
    cpu.architecture = "cpu-256bit";
    EXPECT_EQ(built_in_table(cpu).embedded, "cpu-256bit.toml") << "where a platform says so";
}

TEST(LoadTable, EmbeddedRowsMayComeAfterTheUsersOwn) {
    const sgemm_test::TemporaryFile file("rows.toml", "rows_from = \"generic.toml\"\n"
                                                      "[[kernel]]\nname = \"tiled\"\n");
    const DeviceTable table = file_table(file.path(), fake_device(), catalog::kernel_catalog());
    ASSERT_GE(table.rows.size(), 2U);
    EXPECT_EQ(table.rows.front().kernel, "tiled");
}

TEST(LoadTable, RowsFromAnUnknownTableAreAnError) {
    const sgemm_test::TemporaryFile file("rows.toml", "rows_from = \"none.toml\"\n");
    try {
        file_table(file.path(), fake_device(), catalog::kernel_catalog());
        FAIL() << "no error";
    } catch (const ConfigurationError& error) {
        EXPECT_NE(std::string(error.what()).find("none.toml"), std::string::npos);
    }
}

TEST(LoadTable, MissingFileIsAConfigurationErrorThatNamesIt) {
    try {
        file_table("/no/such/table.toml", fake_device(), catalog::kernel_catalog());
        FAIL() << "no error";
    } catch (const ConfigurationError& error) {
        EXPECT_NE(std::string(error.what()).find("/no/such/table.toml"), std::string::npos);
    }
}

} // namespace
} // namespace libsgemm::tables
