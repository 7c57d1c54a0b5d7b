// SPDX-License-Identifier: Apache-2.0
#include "plan/cost_model.hpp"
#include "support/fake_device.hpp"

#include <gtest/gtest.h>

namespace libsgemm::planning {
namespace {

class CostModel : public ::testing::Test {
protected:
    CostModel() {
        machine_.launch_seconds = 1e-6;
        machine_.bandwidth = 1e12;
        kernel_.efficiency = 0.5;
        tile_.m = tile_.n = 64;
        tile_.k = 16;
    }
    static MainWork work(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch) {
        MainWork work;
        work.m = m;
        work.n = n;
        work.k = k;
        work.batch = batch;
        return work;
    }
    double predict(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch = 1) const {
        return predict_main(work(m, n, k, batch), tile_, kernel_, machine_, device_);
    }

    DeviceTraits device_ = sgemm_test::fake_device(); // 16 units at 1 GHz
    tables::MachineModel machine_;
    tables::KernelModel kernel_;
    catalog::TileShape tile_;
};

TEST_F(CostModel, PassTakesLaunchAndTraffic) {
    EXPECT_DOUBLE_EQ(predict_pass({0, false, 0}, machine_, device_), 1e-6);
    EXPECT_DOUBLE_EQ(predict_pass({1e12, false, 0}, machine_, device_), 1 + 1e-6);
}

/// Threads of a CPU wake one after the other.
TEST_F(CostModel, EveryUnitMakesALaunchLonger) {
    const double before = predict(64, 64, 64);
    const double pass = predict_pass({}, machine_, device_);
    machine_.launch_unit_seconds = 3e-6;
    const double longer = 3e-6 * static_cast<double>(device_.compute_units);
    EXPECT_NEAR(predict(64, 64, 64) - before, longer, 1e-12);
    EXPECT_NEAR(predict_pass({}, machine_, device_) - pass, longer, 1e-12);
}

/// One core has its part of the bandwidth, and nothing wakes.
TEST_F(CostModel, TheCallingThreadLaunchesAtATimeOfItsOwn) {
    machine_.wake_seconds = machine_.launch_unit_seconds = 1e-3;
    kernel_.bandwidth_share = 4;
    device_.computes_in_calling_thread = true;
    machine_.calling_thread_launch_seconds = 0;
    const double unknown = launch_seconds(machine_, device_);
    EXPECT_GT(unknown, 1e-3) << "a table that does not say it means what it says";
    machine_.calling_thread_launch_seconds = 2e-6;
    machine_.bandwidth = 1e6; // decides
    EXPECT_EQ(launch_seconds(machine_, device_), 2e-6);
    EXPECT_EQ(wake_seconds(machine_, device_), 0);
    const double limited = predict(64, 64, 64);
    kernel_.bandwidth_share = 1;
    EXPECT_EQ(predict(64, 64, 64), limited);
    device_.computes_in_calling_thread = false;
    EXPECT_GT(launch_seconds(machine_, device_), 1e-3);
}

TEST_F(CostModel, BandwidthsGrowWithUnits) {
    PassWork copy;
    copy.bytes = 1e9;
    PassWork turn = copy;
    turn.transposes = true;
    const auto seconds = [&](const PassWork& pass) {
        return predict_pass(pass, machine_, device_);
    };
    const double overhead = seconds({});
    const double copied = seconds(copy) - overhead;
    const double transposed = seconds(turn) - overhead;
    machine_.bandwidth_units = static_cast<std::int64_t>(device_.compute_units) / 4;
    EXPECT_NEAR(seconds(copy) - overhead, copied / 4, 1e-9 * copied);
    EXPECT_NEAR(seconds(turn) - overhead, transposed / 4, 1e-9 * transposed);
    machine_.bandwidth_units = static_cast<std::int64_t>(device_.compute_units);
    EXPECT_NEAR(seconds(copy) - overhead, copied, 1e-9 * copied) << "as many as were measured";
}

TEST_F(CostModel, FewGroupsHaveLessBandwidthThanManyUnits) {
    const double all = bandwidth_of_groups(16, machine_, device_);
    EXPECT_DOUBLE_EQ(bandwidth_of_groups(1, machine_, device_), all) << "nobody knows of how many";
    machine_.bandwidth_units = 2; // of 16
    EXPECT_DOUBLE_EQ(bandwidth_of_groups(16, machine_, device_), 8 * all);
    EXPECT_DOUBLE_EQ(bandwidth_of_groups(99, machine_, device_), 8 * all);
    EXPECT_DOUBLE_EQ(bandwidth_of_groups(4, machine_, device_), 2 * all);
    EXPECT_DOUBLE_EQ(bandwidth_of_groups(1, machine_, device_), all)
        << "a unit may have what two had";
    device_.compute_units = 1;
    EXPECT_DOUBLE_EQ(bandwidth_of_groups(1, machine_, device_), all / 2);
}

/// Of what every launch loses to wake-up latency models know by `launch_us`; not that little work
/// gains nothing by many units.
TEST_F(CostModel, LittleWorkIsDoneBeforeOthersBegin) {
    machine_.launch_seconds = 0;
    const double awake = predict(64, 64 * 16, 512); // on 16 units
    const double lone = predict(64, 64, 512);
    machine_.wake_seconds = awake / 4;
    EXPECT_NEAR(predict(64, 64 * 16, 512), awake, 1e-9 * awake) << "too much for the first";
    machine_.wake_seconds = 64 * awake;
    EXPECT_NEAR(predict(64, 64 * 16, 512), 16 * awake, 1e-9 * awake) << "it does everything";
    EXPECT_NEAR(predict(64, 64, 512), lone, 1e-9 * lone) << "one work-group waits for nobody";
}

TEST_F(CostModel, MoreWorkNeverTakesLessTimeWhereUnitsAreLate) {
    machine_.wake_seconds = predict(64, 64, 1 << 12);
    for (const int units : {2, 4, 16, 64}) {
        device_.compute_units = units;
        double before = 0;
        for (std::int64_t k = 16; k < (1 << 20); k = (k + k / 8 + 16) / 16 * 16) {
            const double time = predict(64, std::int64_t{64} * units, k);
            EXPECT_GT(time, before) << units << " units, k " << k;
            before = time;
        }
    }
}

TEST_F(CostModel, PartialSumsAreAChainBesideTheTraffic) {
    machine_.partial_sum_seconds = 1e-6;
    EXPECT_DOUBLE_EQ(predict_pass({1e6, false, 0, 5}, machine_, device_), 6e-6);
    EXPECT_DOUBLE_EQ(predict_pass({1e12, false, 0, 5}, machine_, device_), 1 + 1e-6);
}

TEST_F(CostModel, StartIsPaidOnceWhateverTheWaves) {
    const double one = predict(64, 64 * 16, 512);
    const double four = predict(64 * 4, 64 * 16, 512);
    kernel_.start_seconds = 5e-6;
    EXPECT_NEAR(predict(64, 64 * 16, 512), one + 5e-6, 1e-12);
    EXPECT_NEAR(predict(64 * 4, 64 * 16, 512), four + 5e-6, 1e-12);
}

TEST_F(CostModel, LatencyThatIsNotHiddenLengthensPartlyFilledUnits) {
    kernel_.groups_per_unit = 8;
    kernel_.lone_group_speedup = 4; // as long as two that share
    const auto time = [&](std::int64_t groups_on_unit) {
        return predict(64 * groups_on_unit, 64 * 16, 512) - machine_.launch_seconds;
    };
    const double full = time(8);
    EXPECT_NEAR(time(1), full / 4, 1e-12);
    EXPECT_NEAR(time(4), full / 2, 1e-12);
    kernel_.latency_exposure = 1; // lone time plus shared time, of (1/4 + 1) on a full unit
    EXPECT_NEAR(time(8), full, 1e-12) << "efficiency is that of full units";
    EXPECT_NEAR(time(1), full * (0.25 + 0.125) / 1.25, 1e-12);
    EXPECT_NEAR(time(4), full * (0.25 + 0.5) / 1.25, 1e-12);
}

TEST_F(CostModel, SlowGroupsGoOnWhenTheOthersAreDone) {
    kernel_.groups_per_unit = 8;
    kernel_.lone_group_speedup = 2;
    kernel_.guarded_slowdown = 3;
    MainWork guarded = work(64 * 7 + 1, 64 * 16, 512, 1); // 8 on a unit, one of them at the edge
    const double whole = predict(64 * 8, 64 * 16, 512) - machine_.launch_seconds;
    guarded.edges = EdgeStrategy::guarded;
    const double seconds = predict_main(guarded, tile_, kernel_, machine_, device_);
    EXPECT_NEAR(seconds - machine_.launch_seconds, 2 * whole, 1e-12) << "1 + (3 - 1) / 2";
}

TEST_F(CostModel, MovingTilesSlowsAllGroups) {
    kernel_.guarded_slowdown = 1;
    MainWork edges = work(64, 64 * 16, 512, 1);
    const auto seconds = [&](EdgeStrategy mode) {
        edges.edges = mode;
        return predict_main(edges, tile_, kernel_, machine_, device_) - machine_.launch_seconds;
    };
    const double whole = seconds(EdgeStrategy::padding);
    kernel_.shifting_slowdown = 1.2;
    EXPECT_NEAR(seconds(EdgeStrategy::guarded), whole, 1e-12);
    EXPECT_NEAR(seconds(EdgeStrategy::pointer_shift), 1.2 * whole, 1e-12);
    EXPECT_NEAR(seconds(EdgeStrategy::padding), whole, 1e-12);
}

TEST_F(CostModel, FullDeviceRunsAtItsEfficiency) {
    // 16 x 16 groups are 16 full waves of 16 units.
    const double flops = 2.0 * 1024 * 1024 * 1024;
    const double rate = 0.5 * machine_.flops_per_cycle_per_unit * 1e9 * 16;
    EXPECT_NEAR(predict(1024, 1024, 1024), flops / rate + 1e-6, 1e-9);
}

TEST_F(CostModel, IncompleteWavesCostAsMuchAsFullOnes) {
    EXPECT_DOUBLE_EQ(predict(64, 64 * 16, 512), predict(64, 64 * 9, 512));
    EXPECT_GT(predict(64, 64 * 17, 512), 1.9 * predict(64, 64 * 16, 512));
}

TEST_F(CostModel, EdgeTilesCostAsMuchAsWholeOnes) {
    EXPECT_DOUBLE_EQ(predict(65, 128, 512), predict(128, 128, 512));
}

/// A work-item with several register tiles leaves out those beyond C.
TEST_F(CostModel, RegisterTilesBeyondTheEdgeCostNothing) {
    tile_.panel_m = 16;
    tile_.panel_n = 32;
    const double launch = machine_.launch_seconds;
    const double whole = predict(64, 64, 4096) - launch;
    EXPECT_NEAR(predict(16, 64, 4096) - launch, whole / 4, 1e-9);
    EXPECT_NEAR(predict(33, 20, 4096) - launch, whole * 3 / 4 / 2, 1e-9);
    EXPECT_NEAR(predict(65, 64, 4096) - launch, whole, 1e-9) << "the fuller one of two decides";
}

TEST_F(CostModel, GuardedGroupsCostMoreWhereLoadsAreNarrow) {
    kernel_.guarded_slowdown = 1.5;
    kernel_.narrow_loads_a = kernel_.narrow_loads_b = 1;
    MainWork guarded = work(65, 64 * 16, 512, 1); // two rows of 16 groups, one of them at the edge
    guarded.edges = EdgeStrategy::guarded;
    guarded.halvings_a = guarded.halvings_b = 1;
    const auto seconds = [&] {
        return predict_main(guarded, tile_, kernel_, machine_, device_) - machine_.launch_seconds;
    };
    const double wave = predict(64, 64 * 16, 512) - machine_.launch_seconds;
    EXPECT_NEAR(seconds(), 3 * wave, 1e-9) << "16 + 1.5 * 16 groups are in their third wave";
    kernel_.guarded_narrow = 0.75;
    kernel_.guarded_narrow_b = 0.25;
    EXPECT_NEAR(seconds(), 4 * wave, 1e-9) << "16 + 2.5 * 16 groups are in their fourth wave";
    guarded.edges = EdgeStrategy::pointer_shift;
    EXPECT_NEAR(seconds(), 2 * wave, 1e-9);
}

TEST_F(CostModel, ExtendedTilesCostMoreWhereLoadsAreNarrow) {
    kernel_.extension_cost = 0;
    kernel_.narrow_loads_a = kernel_.narrow_loads_b = 1;
    MainWork extended = work(65, 64 * 16, 512, 1);
    extended.edges = EdgeStrategy::extension;
    extended.halvings_a = 2;
    extended.halvings_b = 1;
    const auto seconds = [&] {
        return predict_main(extended, tile_, kernel_, machine_, device_) - machine_.launch_seconds;
    };
    const double before = seconds();
    kernel_.extension_narrow = 0.25;
    EXPECT_NEAR(seconds(), 1.5 * before, 1e-9);
}

TEST_F(CostModel, PassesAreNoFasterThanMemory) {
    machine_.bandwidth = 1e12;
    const PassWork pass{1e9, false, 1, 0};
    const double cached = predict_pass(pass, machine_, device_);
    machine_.memory_bandwidth = 1e11;
    EXPECT_NEAR(predict_pass(pass, machine_, device_) - cached, 1e-2 - 1e-3, 1e-6);
    const PassWork sum{1e9, false, 1, 4};
    EXPECT_DOUBLE_EQ(predict_pass(sum, machine_, device_), cached) << "just written";
    machine_.memory_bandwidth = 1e15;
    EXPECT_DOUBLE_EQ(predict_pass(pass, machine_, device_), cached);
}

TEST_F(CostModel, ExtendedTilesAreWhatASingleWaveWaitsFor) {
    const auto factor = [&](std::int64_t tiles) {
        MainWork extended = work(65, 64 * tiles, 512, 1);
        extended.edges = EdgeStrategy::extension;
        const auto seconds = [&] {
            return predict_main(extended, tile_, kernel_, machine_, device_) -
                   machine_.launch_seconds;
        };
        const double by_tiles = seconds();
        extended.fringe = Fringe{}; // by others
        return by_tiles / seconds();
    };
    EXPECT_NEAR(factor(16), 1.9, 1e-9);
    EXPECT_LT(factor(64), 1.2);
}

TEST_F(CostModel, SummingInTheLaunchTakesItsTimeAndWhatIsRead) {
    MainWork work;
    work.m = work.n = work.k = 512;
    const auto seconds = [&] { return predict_main(work, tile_, kernel_, machine_, device_); };
    const double before = seconds();
    machine_.sum_seconds = 2e-6;
    machine_.sum_bandwidth = 1e11;
    EXPECT_DOUBLE_EQ(seconds(), before) << "nothing is summed";
    work.summed_bytes = 1e6;
    EXPECT_NEAR(seconds() - before, 12e-6, 1e-12);
}

TEST_F(CostModel, LoneGroupsMayRunQuicker) {
    kernel_.groups_per_unit = 4;
    const double crowded = predict(64, 64, 1024);
    kernel_.lone_group_speedup = 4;
    EXPECT_LT(predict(64, 64, 1024), crowded);
}

TEST_F(CostModel, MemoryIsALowerBound) {
    machine_.bandwidth = 1e9;
    const double bytes = 4.0 * (1024 * 16 + 16 * 1024 + 1024 * 1024);
    EXPECT_DOUBLE_EQ(predict(1024, 1024, 16), bytes / 1e9 + 1e-6);
}

TEST_F(CostModel, NeverFallsWithTheWork) {
    double before = 0;
    for (std::int64_t size = 1; size < 3000; size = size * 3 / 2 + 1) {
        const double now = predict(size, size, size);
        EXPECT_GE(now, before) << size;
        before = now;
    }
    EXPECT_GE(predict(100, 100, 100, 50), predict(100, 100, 100, 2));
}

TEST_F(CostModel, UncachedOperandsSlowItDown) {
    const double cached = predict(512, 512, 512);
    kernel_.uncached_factor = 0.5;
    kernel_.cached_bytes = 1;
    EXPECT_NEAR(predict(512, 512, 512), 2 * cached - 1e-6, 1e-8) << "nothing stays";
    kernel_.cached_bytes = 4.0 * 512 * 512; // half of A and B
    EXPECT_NEAR(predict(512, 512, 512), 1.5 * cached - 0.5e-6, 1e-9);
}

TEST_F(CostModel, UnknownClockIsNoDivisionByZero) {
    device_.clock_mhz = 0;
    EXPECT_GT(predict(100, 100, 100), 0);
    EXPECT_LT(predict(100, 100, 100), 1);
}

} // namespace
} // namespace libsgemm::planning
