// SPDX-License-Identifier: Apache-2.0
// What launches of kernels that pack operands are predicted to take.
#include "plan/family/packed/packed_cost.hpp"
#include "support/fake_device.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace libsgemm::planning {
namespace {

/// Of register tiles of 16 x 8 on one compute unit, to which memory is no limit.
class CostOfPacked : public ::testing::Test {
protected:
    CostOfPacked() {
        device_.compute_units = 1;
        tile_.m = tile_.panel_m = 16;
        tile_.n = tile_.panel_n = 8;
        machine_.launch_seconds = 0;
        machine_.bandwidth = 1e15;
    }
    double cost(const PackedWork& work) const {
        return predict_packed(work, tile_, kernel_, machine_, device_);
    }

    DeviceTraits device_ = sgemm_test::fake_device(DeviceType::cpu);
    catalog::TileShape tile_;
    tables::KernelModel kernel_;
    tables::MachineModel machine_;
};

/// Fewer columns than a tile has are computed one by one, and each reads A again.
TEST_F(CostOfPacked, LeadingDimensionsThatCollideCostWhatIsReadAgain) {
    kernel_.in_place_period = 1024;
    kernel_.in_place_collision = 3;
    const auto slowdown = [&](std::int64_t n) {
        PackedWork work;
        work.m = 1024;
        work.n = n;
        work.k = 4096;
        work.vector_width = 8;
        work.apart_a = 1000;
        const double usual = cost(work);
        work.apart_a = 1024;
        return cost(work) / usual;
    };
    EXPECT_DOUBLE_EQ(slowdown(1), 1) << "read once";
    EXPECT_GT(slowdown(2), 2.5);
    EXPECT_GT(slowdown(7), 2.5);
    EXPECT_DOUBLE_EQ(slowdown(8), 1) << "one tile reads it once";
    EXPECT_GT(slowdown(16), 2.5);
}

TEST(StraddlingShare, IsOfVectorsThatBeginAnywhereInALine) {
    EXPECT_DOUBLE_EQ(straddling_share(193, 64, 16), 1) << "15 of 16";
    EXPECT_DOUBLE_EQ(straddling_share(250, 64, 16), 14.0 / 15) << "7 of 8";
    EXPECT_DOUBLE_EQ(straddling_share(1000, 16, 16), 8.0 / 15) << "every second one";
    EXPECT_DOUBLE_EQ(straddling_share(48, 16, 16), 0);
    EXPECT_DOUBLE_EQ(straddling_share(3, 64, 8), 1) << "7 of 16";
    EXPECT_DOUBLE_EQ(straddling_share(1004, 64, 8), 4.0 / 7) << "one of four";
    EXPECT_DOUBLE_EQ(straddling_share(1000, 64, 8), 0);
    EXPECT_DOUBLE_EQ(straddling_share(1001, 1, 1), 0);
}

TEST(StraddlingShare, CountsWhereTheFirstOneBegins) {
    EXPECT_DOUBLE_EQ(straddling_share(1024, 8, 16), 1) << "all of 16";
    EXPECT_DOUBLE_EQ(straddling_share(1024, 1, 16), 1);
    EXPECT_DOUBLE_EQ(straddling_share(1000, 4, 16), 1) << "from 4 and 12 on";
    EXPECT_DOUBLE_EQ(straddling_share(1000, 8, 16), 8.0 / 15);
    EXPECT_DOUBLE_EQ(straddling_share(1024, 8, 8), 0);
    EXPECT_DOUBLE_EQ(straddling_share(1024, 4, 8), 1) << "every second one";
    EXPECT_DOUBLE_EQ(straddling_share(193, 4, 16), 1);
}

TEST_F(CostOfPacked, VectorsThatStraddleLinesSlowItDown) {
    kernel_.narrow_loads_a = 0.5;
    PackedWork work;
    work.m = work.n = work.k = 1600; // that beginning a tile is nothing
    work.vector_width = 16;
    const double aligned = cost(work);
    work.straddling_a = 0.5;
    EXPECT_NEAR(cost(work) / aligned, std::pow(2, 0.25), 0.01);
    work.straddling_a = 1;
    EXPECT_NEAR(cost(work) / aligned, 2, 0.02);
}

/// Each share of the columns reads an A in place again: from the core's cache, or from further
/// away.
TEST_F(CostOfPacked, SharesOfTheColumnsReadALargeAInPlaceAgain) {
    machine_.bandwidth = 1e6; // it is all that counts
    machine_.core_cache_bytes = 4 * 1000 * 500;
    PackedWork work;
    work.m = 1000;
    work.n = 64;
    work.vector_width = 16;
    const auto slowdown = [&](std::int64_t k) {
        work.k = k;
        work.groups_n = 1;
        const double alone = cost(work);
        work.groups_n = 4;
        return cost(work) / alone;
    };
    EXPECT_GT(slowdown(501), 1.3);
    EXPECT_DOUBLE_EQ(slowdown(500), 1);
    work.batch = 3;
    EXPECT_DOUBLE_EQ(slowdown(500), 1) << "one product after the other";
    work.batch = 1;
    work.split_k = 2;
    EXPECT_DOUBLE_EQ(slowdown(1000), 1) << "one slice after the other";
    work.split_k = 1;
    work.pack_a = true;
    EXPECT_NEAR(slowdown(501), 1, 0.01) << "that is packed again, which has a cost of its own";
    work.pack_a = false;
    machine_.core_cache_bytes = 0;
    EXPECT_DOUBLE_EQ(slowdown(501), 1) << "not known";
}

/// One row more costs dot products along k, where B lies along it, else another vector of rows.
TEST_F(CostOfPacked, FewRowsMoreCostLessThanAVectorOfThem) {
    tile_.m = tile_.panel_m = 32;
    PackedWork work;
    work.n = 64;
    work.k = 256;
    work.vector_width = 16;
    const auto more = [&](std::int64_t rows) { // as a share of 32 rows
        work.m = 32;
        const double whole = cost(work);
        work.m = 32 + rows;
        return cost(work) / whole - 1;
    };
    const double vector = more(16);
    EXPECT_GT(vector, 0.45);
    EXPECT_LT(more(1), vector / 3);
    EXPECT_LT(more(1), more(4));
    EXPECT_LT(more(4), vector);
    EXPECT_DOUBLE_EQ(more(5), vector);
    EXPECT_GT(more(17), vector) << "a vector and a row";
    EXPECT_LT(more(17), more(21)) << "two vectors";
    work.apart_b = 64;
    EXPECT_DOUBLE_EQ(more(1), more(16)) << "B is n-major";
    work.apart_b = 0;
    work.pack_b = true;
    EXPECT_DOUBLE_EQ(more(1), more(16)) << "another kernel";
    work.pack_b = false;
    work.k = 15;
    EXPECT_DOUBLE_EQ(more(1), more(16)) << "no vector of steps";
    work.k = 30;
    EXPECT_LT(more(1), more(16));
    work.split_k = 2;
    EXPECT_DOUBLE_EQ(more(1), more(16)) << "nor in a slice";
    work.split_k = 1;
    tile_.m = tile_.panel_m = 96; // six vectors: 1, 2, 4 or all of them
    work.k = 256;
    EXPECT_LT(more(33), more(48)) << "four vectors and a row, of a panel of 96 behind 32";
}

/// Columns of a k-major B are streams: if more of them share a cache set than it has lines, each
/// element is fetched again.
TEST_F(CostOfPacked, StreamsOfBThatCrowdACacheSetArriveLineByLine) {
    machine_.cache_ways = 4;
    machine_.cache_line_seconds = 1e-6;
    PackedWork work;
    work.m = 16;
    work.n = 8;
    work.k = 512;
    work.vector_width = 16;
    const auto seconds = [&](std::int64_t ldb) {
        work.streams_b_apart = ldb;
        return cost(work);
    };
    const double usual = seconds(1040);
    const double by_lines = 512 * 8e-6;
    ASSERT_LT(usual, by_lines / 10);
    EXPECT_NEAR(seconds(1024), by_lines, usual);
    EXPECT_NEAR(seconds(1025), by_lines, usual) << "lines of one set still";
    EXPECT_NEAR(seconds(512), by_lines / 3, usual) << "two sets, which are full";
    EXPECT_DOUBLE_EQ(seconds(256), usual) << "four sets of two lines";
    EXPECT_DOUBLE_EQ(seconds(0), usual) << "B is packed or transposed";
    work.n = 7;
    EXPECT_LT(seconds(1024), by_lines / 4) << "columns one by one";
    work.n = 8;
    machine_.cache_ways = 9;
    EXPECT_DOUBLE_EQ(seconds(1024), usual);
    machine_.cache_ways = 0;
    EXPECT_DOUBLE_EQ(seconds(1024), usual) << "not known";
}

/// B may crowd sets at another cost than A, whose steps are wider.
TEST_F(CostOfPacked, CollisionsOfBHaveACostOfTheirOwn) {
    kernel_.in_place_period = 1024;
    kernel_.in_place_collision = 2;
    const auto slowdown = [&](std::int64_t apart_a, std::int64_t apart_b) {
        PackedWork work;
        work.m = work.n = work.k = 512;
        work.vector_width = 8;
        const double usual = cost(work);
        work.apart_a = apart_a;
        work.apart_b = apart_b;
        return cost(work) / usual;
    };
    EXPECT_NEAR(slowdown(0, 1024), 2, 0.1) << "as those of A";
}

/// What is prefetched crowds the same sets, whether A is packed or not, and however
/// often it is read.
TEST_F(CostOfPacked, MemoryIsSlowerWhereLeadingDimensionsCollide) {
    kernel_.in_place_period = 1024;
    kernel_.in_place_collision = 1.5;
    machine_.bandwidth = 1e6;
    for (const bool pack_a : {false, true}) {
        const auto seconds = [&](std::int64_t apart_a) {
            PackedWork work;
            work.m = work.k = 4096;
            work.n = 1;
            work.pack_a = pack_a;
            work.apart_a = apart_a;
            return cost(work);
        };
        EXPECT_NEAR(seconds(1024) / seconds(1040), 1.5, 0.1);
        EXPECT_NEAR(seconds(2048) / seconds(1040), 1.5 * 1.5, 0.2);
        EXPECT_EQ(seconds(0), seconds(1040)) << "along k";
        EXPECT_NEAR(seconds(1 << 20) / seconds(1040), 2.5, 0.3) << "no more than was measured";
    }
}

TEST_F(CostOfPacked, UncachedOperandsSlowItDown) {
    PackedWork work;
    work.m = work.n = work.k = 512;
    const double cached = cost(work);
    kernel_.uncached_factor = 0.5;
    kernel_.cached_bytes = 4.0 * 512 * 512; // half of A and B
    EXPECT_NEAR(cost(work) / cached, 1.5, 1e-2);
}

/// Each work-group along m packs all of B that it meets, for as many panels as it has.
TEST_F(CostOfPacked, EveryWorkGroupPacksB) {
    machine_.transpose_bandwidth = 1e9;
    tile_.m = 4 * tile_.panel_m;
    PackedWork work;
    work.n = 1024;
    work.k = 256;
    work.pack_b = true;
    const auto packing_b = [&](std::int64_t panels) {
        work.m = panels * tile_.panel_m;
        PackedWork in_place = work;
        in_place.pack_b = false;
        return cost(work) - cost(in_place);
    };
    const double once = 4.0 * 1024 * 256 / 2e9;
    EXPECT_NEAR(packing_b(1), once, 1e-9);
    EXPECT_NEAR(packing_b(4), once, 1e-9);
    EXPECT_NEAR(packing_b(5), 2 * once, 1e-9);
    work.b_k_major = true;
    kernel_.k_major_b = 0.5;
    EXPECT_NEAR(packing_b(4), 2 * once, 1e-9);
}

/// Fewer sums than two units of a core have in flight take as long as those.
TEST_F(CostOfPacked, TilesOfFewSumsTakeAsLongAsEight) {
    device_.native_vector_width = 8;
    tile_.m = tile_.panel_m = 64;
    tile_.n = tile_.panel_n = 4;
    PackedWork work;
    work.vector_width = 8;
    work.n = 4;
    work.k = 1 << 20;
    const auto rows = [&](std::int64_t m) {
        work.m = m;
        return cost(work);
    };
    EXPECT_NEAR(rows(8) / rows(64), 8.0 / 32, 1e-3) << "four sums";
    EXPECT_NEAR(rows(16) / rows(64), 8.0 / 32, 1e-3);
    EXPECT_NEAR(rows(32) / rows(64), 16.0 / 32, 1e-3);
    work.vector_width = 16; // of two registers each
    EXPECT_NEAR(rows(16) / rows(64), 8.0 / 32, 1e-3);
    // A column by itself: all vectors of a tile, for any number of rows.
    work.n = 1;
    EXPECT_NEAR(rows(8), rows(64), 1e-9);
    work.vector_width = 8;
    tile_.m = tile_.panel_m = 16;
    const double lone_column = rows(16);
    work.n = 4;
    EXPECT_NEAR(lone_column, rows(16), 1e-9) << "two sums, and eight";
}

TEST(PredictPacked, IdleComputeUnitsAndFarOperandsCost) {
    DeviceTraits device = sgemm_test::fake_device(DeviceType::cpu);
    device.compute_units = 4;
    catalog::TileShape tile;
    tile.m = 64;
    tile.n = tile.panel_m = tile.panel_n = 16;
    tables::KernelModel kernel;
    kernel.far_in_place = 0.5;
    kernel.in_place_bytes = 200'000;
    kernel.in_place_bytes_b = 400'000;
    tables::MachineModel machine;
    machine.launch_seconds = 0;
    machine.bandwidth = 1e15;
    const auto seconds = [&](std::int64_t m, std::int64_t apart_a, std::int64_t n = 64,
                             std::int64_t apart_b = 0) {
        PackedWork work;
        work.m = m;
        work.n = n;
        work.k = 64;
        work.vector_width = 8;
        work.apart_a = apart_a;
        work.apart_b = apart_b;
        return predict_packed(work, tile, kernel, machine, device);
    };
    EXPECT_DOUBLE_EQ(seconds(1024, 0), seconds(1023, 0)) << "rows are computed by whole vectors";
    EXPECT_LT(seconds(1024, 0), 16 * seconds(64, 0)) << "one work-group keeps one unit busy";
    EXPECT_NEAR(seconds(1024, 1024) / seconds(1024, 0), 2, 1e-3);
    EXPECT_DOUBLE_EQ(seconds(64, 0, 1024, 1024), seconds(64, 0, 1024))
        << "B has a limit of its own";
    EXPECT_NEAR(seconds(64, 0, 2048, 2048) / seconds(64, 0, 2048), 2, 1e-3);
    kernel.in_place_bytes_b = 0;
    EXPECT_NEAR(seconds(64, 0, 1024, 1024) / seconds(64, 0, 1024), 2, 1e-3) << "or those of A";
    device.compute_units = 1;
    EXPECT_LT(seconds(1016, 0), seconds(1017, 0));
}

/// Two units, tiles of 16 x 16, no launch to pay, and memory that nobody waits for.
class PredictPackedShares : public ::testing::Test {
protected:
    PredictPackedShares() {
        device_.compute_units = 2;
        tile_.m = tile_.n = tile_.panel_m = tile_.panel_n = 16;
        machine_.launch_seconds = 0;
        machine_.bandwidth = 1e15;
        work_.vector_width = 16;
    }
    void set_sizes(std::int64_t m, std::int64_t n, std::int64_t k) {
        work_.m = m;
        work_.n = n;
        work_.k = k;
    }
    double seconds(std::int64_t groups_n) {
        work_.groups_n = groups_n;
        return predict_packed(work_, tile_, kernel_, machine_, device_);
    }

    DeviceTraits device_ = sgemm_test::fake_device(DeviceType::cpu);
    catalog::TileShape tile_;
    tables::MachineModel machine_;
    tables::KernelModel kernel_;
    PackedWork work_;
};

/// Of an odd number the first of two units takes one work-group more.
TEST_F(PredictPackedShares, TheFirstUnitsShareIsRoundedUp) {
    const auto seconds_of = [&](std::int64_t groups_m, std::int64_t groups_n) {
        set_sizes(16 * groups_m, 64, 64);
        return seconds(groups_n);
    };
    EXPECT_NEAR(seconds_of(9, 1) / seconds_of(10, 1), 1, 1e-9);
    EXPECT_NEAR(seconds_of(9, 2) / seconds_of(10, 2), 0.9, 1e-9);
    EXPECT_NEAR(seconds_of(9, 3) / seconds_of(10, 1), 1.15, 1e-9)
        << "the first 14 work-groups: 9 of two tiles, 5 of one";
}

/// Few work-groups end late with the unit that begins late; many even out.
TEST_F(PredictPackedShares, MoreWorkGroupsHelpWhereUnitsBeginLate) {
    set_sizes(16, 1024, 64);
    const auto seconds_if = [&](std::int64_t groups_n, double wake_seconds) {
        machine_.wake_seconds = wake_seconds;
        return seconds(groups_n);
    };
    const double half = seconds_if(2, 0);
    const double near = 1e-9 * half;
    EXPECT_NEAR(seconds_if(64, 0), half, near) << "all begin at once";
    EXPECT_NEAR(seconds_if(1, half / 4), 2 * half, near) << "nobody to wait for";
    EXPECT_NEAR(seconds_if(2, half / 4), 1.125 * half, near)
        << "more than its share of the wake-up latency";
    EXPECT_NEAR(seconds_if(64, half / 4), (1 + 1.0 / 64) * half, near) << "half a group";
    EXPECT_NEAR(seconds_if(64, 8 * half), 2 * half, near) << "the first has done it all by then";
    // 0.6, 1.8 and 3 times half late: 1.3156, 1.9156 and 2 half, less 0.3 (all that is common),
    // 0.05 and nothing.
    EXPECT_NEAR(seconds_if(64, 1.8 * half), 1.627083 * half, 1e-6 * half) << "an average";
    device_.compute_units = 1;
    EXPECT_NEAR(seconds_if(64, half / 4), 2 * half, near) << "nobody is late";
    device_.compute_units = 4;
    // The least late end by whole groups, 0.51389 half; the others even out.
    EXPECT_NEAR(seconds_if(64, half / 6), (0.5138888889 + 2 * (0.5 + 1.0 / 64)) / 3 * half, near);
}

/// Groups of other columns read A again: from memory, if no cache holds it.
TEST_F(PredictPackedShares, OfColumnsReadALargeAAgain) {
    set_sizes(256, 32, 1024);
    machine_.bandwidth = 1e6; // all time goes into it
    const double once = sizeof(float) * 256.0 * 1024 / machine_.bandwidth;
    EXPECT_NEAR(seconds(2), seconds(1), 1e-3 * once) << "where all is cached";
    kernel_.cached_bytes = 512 * 1024.0;
    EXPECT_NEAR(seconds(2), seconds(1) + once, 1e-3 * once);
}

} // namespace
} // namespace libsgemm::planning
