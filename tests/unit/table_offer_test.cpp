// SPDX-License-Identifier: Apache-2.0
// A table that leaves a device no kernel for production is none: the user's gives way, one that
// somebody named is an error.
#include "plan/planner.hpp"
#include "problem/problem.hpp"
#include "sgemm/error.hpp"
#include "support/atomic_file.hpp"
#include "support/environment_variable.hpp"
#include "support/fake_device.hpp"
#include "support/temporary_folder.hpp"
#include "tables/device_table.hpp"
#include "tables/disabled_kernels.hpp"

#include <gtest/gtest.h>
#include <string>

namespace libsgemm::tables {
namespace {

class TableOffer : public ::testing::Test {
protected:
    DeviceTable load_users(const std::string& text) {
        complaint_.clear();
        support::replace_file(user_table_path(device_), text);
        return load_table("", device_, catalog::kernel_catalog(), complaint_);
    }
    std::string error_of_named(const std::string& text) const {
        const std::string file = folder_ / "named.toml";
        support::replace_file(file, text);
        std::string complaint;
        try {
            load_table(file, device_, catalog::kernel_catalog(), complaint);
        } catch (const ConfigurationError& error) {
            return error.what();
        }
        return "";
    }
    std::string best_kernel(const DeviceTable& table) const {
        Problem problem;
        problem.m = problem.n = problem.k = 1000;
        const auto checked = validate::check_problem(problem);
        return std::string(
            planning::rank_plans(checked.canonical, {}, {device_, table, catalog::kernel_catalog()})
                .plans.front()
                .kernel->name);
    }
    void expect_refused(const std::string& text) {
        const DeviceTable table = load_users(text);
        EXPECT_EQ(table.origin, built_in_table(device_).origin) << text;
        EXPECT_EQ(best_kernel(table), best_kernel(built_in_table(device_)));
        EXPECT_NE(complaint_.find(user_table_path(device_) + ": leaves "), std::string::npos)
            << complaint_;
        EXPECT_NE(error_of_named(text).find("named.toml: leaves "), std::string::npos) << text;
    }
    void expect_taken(const std::string& text) {
        EXPECT_EQ(load_users(text).origin, user_table_path(device_)) << complaint_;
        EXPECT_EQ(complaint_, "");
        EXPECT_EQ(error_of_named(text), "");
    }

    DeviceTraits device_ = sgemm_test::fake_cpu_with_512_bits("amd");
    const sgemm_test::TemporaryFolder folder_;
    const sgemm_test::EnvironmentVariable data_{"XDG_DATA_HOME", folder_.path()};
    std::string complaint_;
};

TEST_F(TableOffer, OfNothingIsRefused) {
    expect_refused("");
    expect_refused("description = \"Fake Device 9000, this machine's own\"\nrows_from = \"\"\n"
                   "[machine]\nbandwidth_gbs = 10\n");
    expect_refused(
        "[[choice]]\nproblems = \"NN\"\nplan = { kernel = \"packed\", edges = \"guarded\" }\n");
    expect_refused("[[kernel]]\nname = \"01_naive\"\nmodel = { efficiency = 1 }\n");
}

TEST_F(TableOffer, OfStepsAloneIsRefused) {
    expect_refused("[[kernel]]\nname = \"06_register_tiles_2d\"\n"
                   "[[kernel]]\nname = \"10_incomplete_tiles\"\n");
    expect_refused("[[kernel]]\nname = \"emulated_fp16_direct\"\n"
                   "[[kernel]]\nname = \"01_naive\"\n");
}

TEST_F(TableOffer, OfWhatTheDeviceCannotRunIsRefused) {
    expect_taken("[[kernel]]\nname = \"tiled\"\nparameters = { tile_m = 64, tile_n = 64 }\n");
    device_.local_memory_bytes = 1024;
    expect_refused("[[kernel]]\nname = \"tiled\"\nparameters = { tile_m = 64, tile_n = 64 }\n");
}

TEST_F(TableOffer, OfWhatItDisablesItselfIsRefused) {
    const std::string row = "[[kernel]]\nname = \"packed\"\n";
    const std::string disabled = "[[disabled]]\nkernel = \"packed\"\nreason = \"wrong\"\n";
    expect_refused(row + disabled);
    expect_taken(row + disabled + "[[kernel]]\nname = \"dots\"\n");
}

TEST_F(TableOffer, OfAKernelForProductionIsTaken) {
    expect_taken("[[kernel]]\nname = \"packed\"\n");
    expect_taken("rows_from = \"cpu-512bit.toml\"\n");
    expect_taken("[[kernel]]\nname = \"01_naive\"\n[[kernel]]\nname = \"packed\"\n");
}

TEST_F(TableOffer, OfADeviceThatHasNothingBetterIsTaken) {
    device_ = sgemm_test::fake_device(DeviceType::accelerator);
    expect_taken("[[kernel]]\nname = \"01_naive\"\n");
    device_ = sgemm_test::fake_device(DeviceType::gpu); // whose table is the steps
    expect_taken("[[kernel]]\nname = \"10_incomplete_tiles\"\n");
    expect_refused("");
    expect_refused("[[kernel]]\nname = \"01_naive\"\n");
}

TEST_F(TableOffer, ThatASelfTestTakesAwayIsAComplaint) {
    std::vector<DisabledKernel> disabled;
    for (const auto& kernel : catalog::kernel_catalog().entries()) {
        if (kernel.purpose == catalog::Purpose::produces) {
            disabled.push_back({std::string(kernel.name), {}, "wrong"});
        }
    }
    write_disabled_kernels(disabled_kernels_path(device_), disabled, "a test's");
    load_table("", device_, catalog::kernel_catalog(), complaint_);
    EXPECT_NE(complaint_.find(disabled_kernels_path(device_) + ": disables all"), std::string::npos)
        << complaint_;
}

/// Earlier versions measured a machine at first use, once, and kept it there.
TEST_F(TableOffer, TheMachineOfEarlierVersionsDoesNotCount) {
    const DeviceTable table = load_users(
        "description = \"Fake Device 9000, this machine's own\"\n"
        "rows_from = \"cpu-512bit.toml\"\n[machine]\nbandwidth_gbs = 4.4\n"
        "[[choice]]\nproblems = \"NN\"\nplan = { kernel = \"some plan\", edges = \"guarded\" }\n");
    EXPECT_DOUBLE_EQ(table.machine.bandwidth, built_in_table(device_).machine.bandwidth);
    ASSERT_EQ(table.choices.size(), 1U);
    EXPECT_EQ(table.choices[0].plan.kernel, "some plan");
    EXPECT_EQ(complaint_, "");
}

TEST_F(TableOffer, DamagedDisabledKernelsAreReportedUntilTheyAreMadeAgain) {
    const std::string file = disabled_kernels_path(device_);
    support::replace_file(file, "[[disabled]]\nkernel = \"pac");
    for (int i = 0; i < 2; ++i) { // they are there to be safe: no one may miss it
        complaint_.clear();
        load_table("", device_, catalog::kernel_catalog(), complaint_);
        EXPECT_NE(complaint_.find(file), std::string::npos) << complaint_;
    }
    write_disabled_kernels(file, {{"packed", {}, "wrong"}}, "a test's");
    EXPECT_EQ(read_disabled_kernels(file, catalog::kernel_catalog()).size(), 1U);
    EXPECT_EQ(support::read_file(file + ".damaged"), "[[disabled]]\nkernel = \"pac");
}

} // namespace
} // namespace libsgemm::tables
