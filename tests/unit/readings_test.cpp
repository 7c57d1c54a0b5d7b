// SPDX-License-Identifier: Apache-2.0
// What readings that other work disturbed may change: nothing.
#include "first_use/readings.hpp"

#include <gtest/gtest.h>

namespace libsgemm::first_use {
namespace {

constexpr double typical = 20e9;

tables::MachineModel typical_machine() {
    tables::MachineModel machine;
    machine.launch_seconds = 10e-6;
    machine.bandwidth = machine.transpose_bandwidth = typical;
    return machine;
}

/// Passes that take as long as these bandwidths say, in GB/s, behind a launch of 8 us.
MachineReadings readings_of(const std::vector<double>& bandwidths) {
    MachineReadings readings;
    readings.launches = {9e-6, 8e-6, 30e-6};
    readings.pass_bytes = 1e8;
    for (const double bandwidth : bandwidths) {
        readings.passes.push_back(8e-6 + readings.pass_bytes / (1e9 * bandwidth));
    }
    return readings;
}

double bandwidth_of(const std::vector<double>& bandwidths) {
    return with_readings(typical_machine(), readings_of(bandwidths), {}).bandwidth;
}

TEST(Readings, TheBestCountWhereAnotherSaysNearlyTheSame) {
    EXPECT_NEAR(bandwidth_of({25, 40, 38, 12, 40}), 40e9, 1e6);
    EXPECT_NEAR(bandwidth_of({4, 4, 4, 30, 29}), 30e9, 1e6) << "most of them disturbed";
    const auto machine = with_readings(typical_machine(), readings_of({40, 40}), {});
    EXPECT_NEAR(machine.transpose_bandwidth, 40e9, 1e6) << "in proportion";
    EXPECT_DOUBLE_EQ(machine.launch_seconds, 8e-6);
}

TEST(Readings, OfTheCallingThreadAreOfItsLaunches) {
    DeviceTraits device;
    device.computes_in_calling_thread = true;
    tables::MachineModel before = typical_machine();
    before.calling_thread_launch_seconds = 1.2e-6;
    const auto machine = with_readings(before, readings_of({40, 40}), device);
    EXPECT_DOUBLE_EQ(machine.calling_thread_launch_seconds, 8e-6);
    EXPECT_DOUBLE_EQ(machine.launch_seconds, before.launch_seconds);
}

TEST(Readings, ThatScatterChangeNothing) {
    EXPECT_DOUBLE_EQ(bandwidth_of({4.4, 11.3, 6, 8}), typical);
    MachineReadings readings = readings_of({40, 40});
    readings.launches = {20e-6, 30e-6, 90e-6};
    const auto machine = with_readings(typical_machine(), readings, {});
    EXPECT_DOUBLE_EQ(machine.launch_seconds, 10e-6);
    EXPECT_DOUBLE_EQ(machine.bandwidth, typical) << "what a launch takes is not known";
}

TEST(Readings, ThatAreImplausibleChangeNothing) {
    EXPECT_DOUBLE_EQ(bandwidth_of({1, 1, 1}), typical);
    EXPECT_DOUBLE_EQ(bandwidth_of({5000, 5000}), typical) << "a clock that does not tick";
    EXPECT_NEAR(bandwidth_of({1000, 1000}), 1000e9, 1e9) << "a large GPU";
    MachineReadings stopped = readings_of({40, 40});
    stopped.launches = {0, 0};
    stopped.passes = {0, 0};
    EXPECT_DOUBLE_EQ(with_readings(typical_machine(), stopped, {}).bandwidth, typical);
    MachineReadings slow = readings_of({40, 40});
    slow.launches = {900e-6, 900e-6};
    EXPECT_DOUBLE_EQ(with_readings(typical_machine(), slow, {}).launch_seconds, 10e-6);
}

TEST(Readings, ThePredictedPlanStaysUnlessAnotherIsClearlyFaster) {
    EXPECT_EQ(clearly_fastest({{10, 10, 10}}), 0U);
    EXPECT_EQ(clearly_fastest({{10, 10, 10}, {9.8, 9.8, 9.8}}), 0U) << "by too little";
    EXPECT_EQ(clearly_fastest({{10, 10, 10}, {8, 8, 8}}), 1U);
    EXPECT_EQ(clearly_fastest({{10, 10, 10}, {8, 8, 8}, {7, 7, 7}, {7.5, 7.5, 7.5}}), 2U);
    EXPECT_EQ(clearly_fastest({{10, 30, 40}, {11, 12, 12}}), 0U)
        << "the predicted one was disturbed: its fastest run says so";
    EXPECT_EQ(clearly_fastest({{10, 10, 11}, {8, 12, 12}}), 0U) << "one run of three";
    EXPECT_EQ(clearly_fastest({{10, 30, 40}, {8, 31, 42}}), 0U);
    EXPECT_EQ(clearly_fastest({{10, 30, 40}, {8, 9, 42}}), 1U);
}

TEST(Readings, TheMedianIsInTheMiddle) {
    EXPECT_EQ(median({3}), 3);
    EXPECT_EQ(median({9, 1, 5}), 5);
}

TEST(WithBandwidth, MovesTheOthersInProportion) {
    tables::MachineModel machine;
    machine.bandwidth = 60e9;
    machine.transpose_bandwidth = 50e9;
    machine.bandwidth_units = 2;
    const tables::MachineModel measured = with_bandwidth(machine, 120e9);
    EXPECT_DOUBLE_EQ(measured.bandwidth, 120e9);
    EXPECT_DOUBLE_EQ(measured.transpose_bandwidth, 100e9);
    EXPECT_EQ(measured.bandwidth_units, 0) << "it is the device's";
}

TEST(WithBandwidth, WhatWasMeasuredIsNotBeyondTheLimit) {
    tables::MachineModel machine;
    machine.bandwidth = 60e9;
    EXPECT_EQ(with_bandwidth(machine, 120e9).memory_bandwidth, 0) << "no limit";
    machine.memory_bandwidth = 100e9;
    EXPECT_DOUBLE_EQ(with_bandwidth(machine, 80e9).memory_bandwidth, 100e9);
    EXPECT_DOUBLE_EQ(with_bandwidth(machine, 120e9).memory_bandwidth, 120e9);
}

} // namespace
} // namespace libsgemm::first_use
