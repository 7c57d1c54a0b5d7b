// SPDX-License-Identifier: Apache-2.0
// A measurement run on the device: what is timed, what is left out, what is recorded instead of
// thrown.
#include "sgemm/error.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_device.hpp"
#include "tune/fit/build_ahead.hpp"
#include "tune/fit/measure.hpp"
#include "tune/fit/plan_timer.hpp"
#include "tune/fit/traits_facts.hpp"

namespace sgemm_test {
namespace {

using libsgemm::judge::parse_shape_name;
using namespace libsgemm::tune;

class MeasureTest : public DeviceTest {
protected:
    static std::vector<DrawnShape> shapes() {
        return {{"square", false, parse_shape_name("NT/48x48x48")},
                {"odd", true, parse_shape_name("TN/33x17x21/ld40,30,35")}};
    }
    static MeasureOptions options() {
        MeasureOptions options;
        options.factor = 1e6; // whatever the model thinks of them
        options.most_plans = 2;
        options.random_plans = 1;
        options.rounds = 3;
        options.most_runs = 6;
        return options;
    }
    const libsgemm::DeviceTraits& traits() const { return device().handle().traits; }
    /// How many of the shapes are in the file then; `told_` holds what was measured now.
    std::size_t measure(const MeasureOptions& options) {
        told_.clear();
        return measure_shapes(device().handle(), table_, shapes(), file_, to_facts(traits()),
                              options,
                              [this](std::size_t done, std::size_t all, const ShapeTimes& times) {
                                  EXPECT_LE(done, all);
                                  told_.push_back(times.shape);
                              });
    }

    libsgemm::tables::DeviceTable table_ = libsgemm::tables::parse_table(R"(
[[kernel]]
name = "tiled"
parameters = { tile_m = 16, tile_n = 16, work_per_item_m = 4, work_per_item_n = 4, prefetch = 0 }
[[kernel]]
name = "01_naive"
)",
                                                                         "measure_test.toml");
    TemporaryFolder folder_;
    std::string file_ = folder_ / "measurement-run.jsonl";
    std::vector<std::string> told_;
};

TEST_F(MeasureTest, TimesPlansOfEveryShapeAndGoesOnWhereItStopped) {
    MeasureOptions no_time = options();
    no_time.budget_seconds = 0;
    EXPECT_EQ(measure(no_time), 0U);
    EXPECT_EQ(measure(options()), 2U);
    EXPECT_EQ(told_, (std::vector<std::string>{"NT/48x48x48", "TN/33x17x21/ld40,30,35"}));
    EXPECT_EQ(measure(options()), 2U);
    EXPECT_TRUE(told_.empty()) << "nothing is measured twice";

    const MeasurementRun run = read_measurement_run(file_);
    EXPECT_EQ(run.facts.at("device"), traits().name);
    ASSERT_EQ(run.shapes.size(), 2U);
    EXPECT_FALSE(run.shapes[0].held_out);
    EXPECT_TRUE(run.shapes[1].held_out);
    for (const ShapeTimes& shape : run.shapes) {
        EXPECT_TRUE(shape.failed.empty()) << shape.failed.front();
        ASSERT_GE(shape.plans.size(), 2U);
        EXPECT_LE(shape.plans.size(), 3U);
        EXPECT_GE(shape.candidates, static_cast<int>(shape.plans.size()));
        for (const PlanTime& plan : shape.plans) {
            EXPECT_GT(plan.us, 0) << plan.to_string();
            // On a CPU both are the caller's clock: `us` of the fastest run of each burst,
            // `wall_us` of all.
            if (traits().type != libsgemm::DeviceType::cpu) {
                EXPECT_GE(plan.wall_us, plan.us) << plan.to_string();
            }
            EXPECT_GT(plan.wall_us, plan.us / 100) << plan.to_string();
            EXPECT_GT(plan.predicted_us, 0) << plan.to_string();
            EXPECT_GE(plan.runs, 1);
            // A CPU is timed in more and longer bursts.
            EXPECT_LE(plan.runs,
                      traits().type == libsgemm::DeviceType::cpu ? 16 * 8 * options().rounds : 6);
        }
    }
}

TEST_F(MeasureTest, AShapeThatTheDeviceHasNoRoomForIsAnError) {
    PlanTimer timer(device().handle());
    timer.require(parse_shape_name("NN/4x4x4"));
    EXPECT_THROW(timer.require(parse_shape_name("NN/1073741824x4x1073741824")),
                 libsgemm::OpenClError);
}

TEST_F(MeasureTest, BuildsAheadGiveWhatBuildingGives) {
    PlanTimer timer(device().handle());
    const auto plans = rank_shape(shapes()[0].shape, table_, traits()).plans;
    ASSERT_FALSE(plans.empty());
    libsgemm::planning::PlanValue broken = plans.front();
    broken.steps.front().build.defines = {}; // a missing define is an #error
    BuildAhead builder(timer, 2);
    auto good = builder.build(plans.front());
    auto bad = builder.build(broken);
    timer.require(shapes()[0].shape);
    const BuiltPlan built = good.get();
    EXPECT_EQ(built.programs.size(), plans.front().steps.size());
    const RunTime time = timer.run(built);
    EXPECT_GT(time.device, 0);
    EXPECT_GE(time.wall, time.device);
    EXPECT_THROW(bad.get(), libsgemm::BuildError);
}

TEST_F(MeasureTest, SharesOfTheBuildsMakeUpAllOfThem) {
    // Programs are built for the sake of the compiler's own cache: there is nothing else to see of
    // it.
    for (int part = 0; part < 2; ++part) {
        EXPECT_NO_THROW(build_share(device().handle(), table_, shapes(), options(), part, 2));
    }
}

TEST_F(MeasureTest, OnlyAPlausibleBandwidthIsTakenOver) {
    PlanTimer timer(device().handle());
    libsgemm::tables::MachineModel machine;
    machine.bandwidth = machine.transpose_bandwidth = 1e18; // of no device
    EXPECT_EQ(timer.probe(machine).bandwidth, machine.bandwidth);
    machine.bandwidth = machine.transpose_bandwidth = 50e9;
    const auto probed = timer.probe(machine);
    EXPECT_GE(probed.bandwidth, machine.bandwidth / 8);
    EXPECT_LE(probed.bandwidth, machine.bandwidth * 64);
    EXPECT_DOUBLE_EQ(probed.transpose_bandwidth, probed.bandwidth);
}

} // namespace
} // namespace sgemm_test
