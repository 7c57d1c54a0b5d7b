// SPDX-License-Identifier: Apache-2.0
// What is tuned for, and what a row must get right before it counts: values, no device.
#include "plan/family/families.hpp"
#include "plan/planner.hpp"
#include "sgemm/error.hpp"
#include "support/fake_device.hpp"
#include "tune/search/tasks.hpp"
#include "tune/worker/canonical.hpp"
#include "tune/worker/verification.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <variant>

namespace libsgemm::tune {
namespace {

using sgemm_test::fake_device;

const catalog::KernelEntry& entry(const char* name) {
    return *catalog::kernel_catalog().find(name);
}

class Tasks : public ::testing::TestWithParam<DeviceType> {
protected:
    std::vector<Task> tasks(const std::vector<std::string>& names) const {
        return make_tasks(catalog::kernel_catalog(), names, default_classes(device_), table_,
                          device_);
    }
    DeviceTraits device_ = fake_device(GetParam());
    tables::DeviceTable table_ = tables::built_in_table(device_);
};

TEST_P(Tasks, CoverEveryClassWithKernelsThatSuitIt) {
    std::set<std::string> classes;
    std::set<std::string> named;
    for (const ShapeClass& shapes : default_classes(device_)) {
        classes.insert(shapes.name);
    }
    for (const Task& task : tasks({})) {
        named.insert(task.shapes.name);
        ASSERT_FALSE(task.shapes.shapes.empty());
        EXPECT_GT(task.weight, 0);
        EXPECT_FALSE(task.kernel->source.starts_with("ptx/")) << "no row of the table has one";
        for (const Shape& shape : task.shapes.shapes) {
            EXPECT_TRUE(task.kernel->name != "skinny_n" || shape.n <= 32);
            EXPECT_TRUE(task.kernel->name != "skinny_m" || shape.m <= 32);
        }
    }
    EXPECT_EQ(named, classes);
    EXPECT_EQ(classes.size(), 8U);
}

TEST_P(Tasks, AreThoseOfTheKernelsThatWereAskedFor) {
    for (const Task& task : tasks({"tiled"})) {
        EXPECT_EQ(task.kernel->name, "tiled");
    }
    EXPECT_THROW(tasks({"no_such_kernel"}), ArgumentError);
}

TEST_P(Tasks, OfPanelsAreForCpusUnlessSomebodyAsks) {
    const auto has_packed = [](const std::vector<Task>& tasks) {
        return std::ranges::any_of(tasks,
                                   [](const Task& task) { return task.kernel->name == "packed"; });
    };
    EXPECT_EQ(has_packed(tasks({})), GetParam() == DeviceType::cpu);
    EXPECT_TRUE(has_packed(tasks({"packed"})));
    EXPECT_TRUE(has_packed(tasks({"all"})));
}

TEST_P(Tasks, EveryShapeHasABestPlan) {
    for (const ShapeClass& shapes : default_classes(device_)) {
        const Configuration best =
            predicted_best(shapes.shapes.front(), table_, device_, catalog::kernel_catalog());
        EXPECT_NE(catalog::kernel_catalog().find(best.kernel), nullptr);
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, Tasks, ::testing::Values(DeviceType::cpu, DeviceType::gpu));

TEST(TunedVariants, OfIncompleteTilesAreGuardedAndAllOthersAreTriedToo) {
    const catalog::KernelEntry& tiled = entry("tiled");
    const Shape odd = judge::make_shape("NN", 333, 222, 8000);
    const Variant usual = usual_variant(tiled, tiled.defaults(), odd, fake_device());
    EXPECT_EQ(usual.edges, EdgeStrategy::guarded);
    EXPECT_TRUE(usual.narrow_a && usual.narrow_b);
    std::set<EdgeStrategy> edges;
    std::set<int> split_k;
    for (const Variant& other : other_variants(tiled, tiled.defaults(), odd, fake_device())) {
        EXPECT_NE(other, usual);
        edges.insert(other.edges);
        split_k.insert(other.split_k);
    }
    EXPECT_TRUE(edges.contains(EdgeStrategy::padding));
    EXPECT_TRUE(edges.contains(EdgeStrategy::pointer_shift));
    EXPECT_TRUE(split_k.contains(1));
}

TEST(TunedVariants, OfKernelsThatPackAreAboutTheCopies) {
    const catalog::KernelEntry& packed = entry("packed");
    const DeviceTraits cpu = fake_device(DeviceType::cpu);
    const Shape shape = judge::make_shape("NT", 512, 512, 512);
    const Variant usual = usual_variant(packed, packed.defaults(), shape, cpu);
    EXPECT_TRUE(usual.pack_a) << "A is read often";
    EXPECT_TRUE(usual.transpose_b);
    EXPECT_EQ(usual.split_k, 1);
    const auto others = other_variants(packed, packed.defaults(), shape, cpu);
    EXPECT_TRUE(std::ranges::any_of(others, [](const Variant& t) { return !t.pack_a; }));
    EXPECT_TRUE(std::ranges::any_of(others, [](const Variant& t) { return !t.transpose_b; }));
}

/// One column of a transposed B lies along k, whatever its flag says: there is nothing to
/// transpose.
TEST(TunedVariants, OfVectorsAreThoseOfTheIndexThatTheyLieAlong) {
    const DeviceTraits device = fake_device(DeviceType::cpu);
    const catalog::KernelEntry& packed = entry("packed");
    const Shape shape = judge::make_shape("TT", 512, 1, 512);
    EXPECT_FALSE(usual_variant(packed, packed.defaults(), shape, device).transpose_b);
    for (const Variant& other : other_variants(packed, packed.defaults(), shape, device)) {
        EXPECT_FALSE(other.transpose_b);
    }
    const Shape two_columns = judge::make_shape("TT", 512, 2, 512);
    EXPECT_TRUE(usual_variant(packed, packed.defaults(), two_columns, device).transpose_b);
}

TEST(Verification, HasEveryStorageFormAndEveryRemainder) {
    const catalog::KernelEntry& tiled = entry("tiled");
    const auto tile = tiled.tile(tiled.defaults());
    std::set<EdgeStrategy> edges;
    std::set<std::pair<bool, bool>> forms;
    for (const VerificationCase& c : verification_cases(tiled, tiled.defaults())) {
        edges.insert(c.variant.edges);
        forms.insert({c.transpose_a, c.transpose_b});
        std::set<std::int64_t> rests;
        for (const Shape& shape : c.shapes) {
            EXPECT_EQ(shape.transpose_a, c.transpose_a);
            EXPECT_EQ(shape.transpose_b, c.transpose_b);
            rests.insert(shape.m % tile.m);
        }
        if (c.variant.edges == EdgeStrategy::guarded ||
            c.variant.edges == EdgeStrategy::pointer_shift) {
            EXPECT_EQ(rests.size(), static_cast<std::size_t>(tile.m));
        }
        if (c.variant.edges == EdgeStrategy::pointer_shift) {
            for (const Shape& shape : c.shapes) {
                EXPECT_GE(shape.m, tile.m) << "there is no whole tile to shift";
                EXPECT_GE(shape.n, tile.n);
            }
        }
    }
    EXPECT_EQ(forms.size(), 4U);
    EXPECT_TRUE(edges.contains(EdgeStrategy::padding));
    EXPECT_TRUE(edges.contains(EdgeStrategy::guarded));
    EXPECT_TRUE(edges.contains(EdgeStrategy::pointer_shift));
}

TEST(Verification, OfKernelsThatPackHasEachOperandBothWays) {
    const catalog::KernelEntry& packed = entry("packed");
    std::set<std::pair<bool, bool>> of_a;
    std::set<bool> of_b;
    for (const VerificationCase& c : verification_cases(packed, packed.defaults())) {
        of_a.insert({c.transpose_a, c.variant.pack_a});
        if (c.transpose_b) {
            of_b.insert(c.variant.transpose_b);
        }
    }
    EXPECT_TRUE(of_a.contains({false, true}));
    EXPECT_TRUE(of_a.contains({false, false}));
    EXPECT_EQ(of_b.size(), 2U);
}

TEST(Verification, OfKernelsThatPackReachesSeveralBlocks) {
    for (const char* name : {"packed", "blocked"}) {
        const catalog::KernelEntry& kernel = entry(name);
        const catalog::Parameters parameters = kernel.defaults();
        const int columns = parameters["columns"] * parameters.get_or("panels_n", 1);
        for (const VerificationCase& c : verification_cases(kernel, parameters)) {
            EXPECT_TRUE(std::ranges::any_of(c.shapes, [&](const Shape& shape) {
                return shape.k > 2 * parameters["depth"] && shape.n > columns;
            })) << name;
        }
    }
}

/// A shape without a plan is passed over: that must be for its builder's reasons alone.
TEST(Verification, AsksForVariantsThatKernelsOffer) {
    std::size_t built = 0;
    for (const DeviceTraits& device :
         {sgemm_test::fake_h200(), sgemm_test::fake_cpu_with_512_bits("amd")}) {
        const tables::DeviceTable table = tables::built_in_table(device);
        const planning::PlanningContext context{device, table, catalog::kernel_catalog()};
        for (const catalog::KernelEntry& kernel : catalog::kernel_catalog().entries()) {
            planning::Candidate candidate;
            candidate.kernel = &kernel;
            candidate.parameters = kernel.defaults();
            if (!catalog::obstacles(kernel, candidate.parameters, device).empty()) {
                continue;
            }
            for (const VerificationCase& c : verification_cases(kernel, candidate.parameters)) {
                candidate.variant = c.variant;
                for (const Shape& shape : c.shapes) {
                    const auto problem = canonical_of(shape);
                    if (std::holds_alternative<planning::PlanValue>(
                            planning::build_plan({problem, candidate, {}, context}))) {
                        const auto plan = planning::plan_of(
                            {std::string(kernel.name), candidate.parameters, c.variant}, problem,
                            context);
                        EXPECT_TRUE(std::holds_alternative<planning::PlanValue>(plan))
                            << candidate.to_string() << ", " << judge::shape_name(shape);
                        ++built;
                    }
                }
            }
        }
    }
    EXPECT_GT(built, 1000U);
}

TEST(TunedVariants, AKernelThatPacksBothHasOne) {
    const catalog::KernelEntry& blocked = entry("blocked");
    const DeviceTraits cpu = fake_device(DeviceType::cpu);
    for (const char* op : {"NN", "NT", "TN", "TT"}) {
        const Shape shape = judge::make_shape(op, 300, 300, 300);
        const Variant usual = usual_variant(blocked, blocked.defaults(), shape, cpu);
        EXPECT_FALSE(usual.pack_a || usual.transpose_b) << "it has no choice";
        EXPECT_EQ(usual.split_k, 1);
        EXPECT_TRUE(other_variants(blocked, blocked.defaults(), shape, cpu).empty());
    }
}

TEST(Verification, OfStepsThatNeedWholeTilesIsPadded) {
    const catalog::KernelEntry& step = entry("06_register_tiles_2d");
    for (const VerificationCase& c : verification_cases(step, step.defaults())) {
        EXPECT_EQ(c.variant.edges, EdgeStrategy::padding);
        EXPECT_FALSE(c.shapes.empty());
    }
}

} // namespace
} // namespace libsgemm::tune
