// SPDX-License-Identifier: Apache-2.0
#include "first_use/first_use.hpp"

#include <gtest/gtest.h>

namespace sgemm::first_use {
namespace {

TEST(WithBandwidth, MovesTheOthersInProportion) {
    tables::MachineModel machine;
    machine.bandwidth = 60e9;
    machine.transpose_bandwidth = 50e9;
    machine.packing_bandwidth = 30e9;
    machine.bandwidth_units = 2;
    const tables::MachineModel measured = with_bandwidth(machine, 120e9);
    EXPECT_DOUBLE_EQ(measured.bandwidth, 120e9);
    EXPECT_DOUBLE_EQ(measured.transpose_bandwidth, 100e9);
    EXPECT_DOUBLE_EQ(measured.packing_bandwidth, 60e9);
    EXPECT_EQ(measured.bandwidth_units, 0) << "it is the device's";
}

TEST(WithBandwidth, WhatWasMeasuredIsNotBeyondTheLimit) {
    tables::MachineModel machine;
    machine.bandwidth = 60e9;
    EXPECT_EQ(with_bandwidth(machine, 120e9).memory_bandwidth, 0) << "no limit";
    machine.memory_bandwidth = 100e9;
    EXPECT_DOUBLE_EQ(with_bandwidth(machine, 80e9).memory_bandwidth, 100e9);
    EXPECT_DOUBLE_EQ(with_bandwidth(machine, 120e9).memory_bandwidth, 120e9);
    EXPECT_EQ(with_bandwidth(machine, 120e9).packing_bandwidth, 0) << "as the transpose's";
}

} // namespace
} // namespace sgemm::first_use
