// SPDX-License-Identifier: Apache-2.0
#include "cpu_threads/device_split.hpp"

#include <gtest/gtest.h>
#include <numeric>

namespace libsgemm::detail {
namespace {

std::int64_t sum(const std::vector<std::int64_t>& units) {
    return std::accumulate(units.begin(), units.end(), std::int64_t{0});
}

TEST(DeviceSplit, EqualDevicesShareEqually) {
    const auto units = split_among(
        2, {160, 1, 1}, [](std::size_t, std::int64_t n) { return 1.0 + static_cast<double>(n); });
    EXPECT_EQ(units, (std::vector<std::int64_t>{80, 80}));
}

TEST(DeviceSplit, AFasterDeviceGetsMore) {
    const auto units = split_among(2, {1600, 1, 1}, [](std::size_t device, std::int64_t n) {
        return static_cast<double>(n) / (device == 0 ? 3 : 1);
    });
    EXPECT_EQ(units, (std::vector<std::int64_t>{1200, 400}));
}

TEST(DeviceSplit, WhatASecondDeviceCostsMayLeaveItOut) {
    const auto units = split_among(3, {100, 1, 1}, [](std::size_t device, std::int64_t n) {
        return (device == 1 ? 0.0 : 1000.0) + static_cast<double>(n);
    });
    EXPECT_EQ(units, (std::vector<std::int64_t>{0, 100, 0}));
}

TEST(DeviceSplit, SharingMustSaveMoreThanItCosts) {
    const auto seconds = [](std::size_t, std::int64_t n) { return static_cast<double>(n); };
    EXPECT_EQ(split_among(2, {160, 1, 1}, seconds, 79), (std::vector<std::int64_t>{80, 80}));
    EXPECT_EQ(split_among(2, {160, 1, 1}, seconds, 81), (std::vector<std::int64_t>{160, 0}));
    const auto second_is_faster = [](std::size_t device, std::int64_t n) {
        return static_cast<double>(device == 0 ? 2 * n : n);
    };
    EXPECT_EQ(split_among(2, {160, 1, 1}, second_is_faster, 1000),
              (std::vector<std::int64_t>{0, 160}));
}

TEST(DeviceSplit, PartsStartWhereTheyMayAndMakeUpTheWhole) {
    for (const std::int64_t extent : {1, 2, 15, 16, 17, 1000, 4099}) {
        for (const std::int64_t step : {1, 3, 32}) {
            for (const std::int64_t first : {1, 2, 5}) {
                const auto units =
                    split_among(3, {extent, first, step},
                                [](std::size_t, std::int64_t n) { return static_cast<double>(n); });
                EXPECT_EQ(sum(units), extent);
                std::int64_t cut = 0;
                for (const std::int64_t count : units) {
                    EXPECT_TRUE(cut == 0 || cut == extent || (cut - first) % step == 0) << cut;
                    cut += count;
                }
            }
        }
    }
}

TEST(DeviceSplit, WithoutAPlaceToCutOneDeviceDoesAll) {
    const Cuts cuts = aligned_cuts(1000, 32, 5, 32); // every column starts at 5 modulo 32
    const auto units =
        split_among(2, cuts, [](std::size_t, std::int64_t n) { return static_cast<double>(n); });
    EXPECT_EQ(sum(units), 1000);
    EXPECT_TRUE(units[0] == 0 || units[1] == 0);
}

TEST(DeviceSplit, CutsAreAligned) {
    for (const std::int64_t distance : {1, 7, 24, 32, 100}) {
        for (const std::int64_t offset : {0, 1, 8, 33}) {
            const Cuts cuts = aligned_cuts(5000, distance, offset, 32);
            if (cuts.first > 5000) {
                for (std::int64_t i = 1; i < 5000; ++i) {
                    ASSERT_NE((offset + i * distance) % 32, 0);
                }
                continue;
            }
            std::int64_t next = cuts.first;
            for (std::int64_t i = 1; i < 500; ++i) {
                const bool is_cut = i == next;
                EXPECT_EQ((offset + i * distance) % 32 == 0, is_cut) << distance << ' ' << offset;
                next += is_cut ? cuts.step : 0;
            }
        }
    }
}

} // namespace
} // namespace libsgemm::detail
