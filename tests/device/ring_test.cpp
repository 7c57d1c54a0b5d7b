// SPDX-License-Identifier: Apache-2.0
// Each way in which `ring` copies, by name, in the layouts that matter: what a device cannot run is
// skipped. A way that hangs takes its process with it: run them one by one on a new device.
#include "device/kernel_fixture.hpp"
#include "support/case_data.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace sgemm_test {
namespace {

using libsgemm::EdgeStrategy;
using libsgemm::catalog::Parameters;

std::string way_name(const ::testing::TestParamInfo<int>& info) {
    return "copy_" + std::to_string(info.param);
}

/// The parameter is that of the catalogue's entry: the way to copy.
class Ring : public DeviceTest, public ::testing::WithParamInterface<int> {
protected:
    static const libsgemm::catalog::KernelEntry& entry() {
        return *libsgemm::catalog::kernel_catalog().find("ring");
    }
    /// Two work-groups' worth of warps; three stages are filled several times.
    static Parameters small() {
        return of({{"tile_m", 64}, {"tile_n", 32}, {"work_per_item_m", 8}, {"work_per_item_n", 4}});
    }
    /// The tiles that a large product gets.
    static Parameters large() {
        const bool plain = GetParam() == 0;
        return of({{"tile_n", 256},
                   {"work_per_item_n", 16},
                   {"stages", plain ? 3 : 4},
                   {"raster", 4},
                   {"order", 2}});
    }
    static Parameters turned_large() {
        return of({{"tile_m", 256},
                   {"work_per_item_m", 16},
                   {"lanes_m", 4},
                   {"stages", 3},
                   {"order", 1}});
    }
    static Parameters of(std::initializer_list<std::pair<const char*, int>> changes) {
        Parameters parameters = entry().defaults();
        for (const auto& [name, value] : changes) {
            parameters.set(name, value);
        }
        parameters.set("copy", GetParam());
        return parameters;
    }
    bool cannot_run(const Parameters& parameters) const {
        return !obstacles(entry(), parameters, device().handle().traits).empty();
    }
    static Case make(const Extents& extents, const Form& form, const Parameters& parameters) {
        Case result = plain_case(extents.m, extents.n, extents.k);
        set_form(result, form);
        result.options = forced(entry(), parameters);
        result.options.split_k = 1;
        result.alpha = -1.25F;
        result.beta = 0.5F;
        return result;
    }
    /// Leading dimensions that vectors fit, though rows and columns end anywhere.
    static void align(Case& c) {
        const auto up = [](std::int64_t ld) { return (ld + 3) / 4 * 4; };
        spread(c.problem, {0, 0, 0});
        c.problem.lda = up(c.problem.lda);
        c.problem.ldb = up(c.problem.ldb);
    }
    /// Column-major forms; where compilers take long, two that have both forms of each operand.
    std::vector<Form> forms() const {
        const auto& all = all_forms();
        if (device().handle().traits.type == libsgemm::DeviceType::cpu) {
            return {all[1], all[2]};
        }
        return {all[0], all[1], all[2], all[3]};
    }
    void run_all(const Parameters& parameters, const std::vector<Extents>& all) const {
        for (const Form& form : forms()) {
            for (const Extents& extents : all) {
                for (const bool aligned : {false, true}) {
                    Case c = make(extents, form, parameters);
                    c.options.edges = EdgeStrategy::guarded;
                    if (aligned) {
                        align(c);
                    } else {
                        spread(c.problem, {1, 3, 1});
                        c.offset_a = 1;
                        c.offset_b = 3;
                    }
                    ASSERT_TRUE(runs_right(device(), c));
                }
            }
        }
    }
};

TEST_P(Ring, SmallTilesAtEveryDepthOfTheRing) {
    if (cannot_run(small())) {
        GTEST_SKIP() << "this device cannot";
    }
    // Depths from less than a step to twice around, with and without an incomplete one.
    std::vector<Extents> all;
    for (const std::int64_t k : {1, 7, 8, 9, 16, 23, 24, 25, 32, 47, 48, 49, 64, 105}) {
        all.push_back({65 + k % 5, 36 - k % 3, k});
    }
    ASSERT_NO_FATAL_FAILURE(run_all(small(), all));
}

TEST_P(Ring, LargeTilesGuarded) {
    for (const Parameters& parameters : {large(), turned_large()}) {
        if (cannot_run(parameters)) {
            GTEST_SKIP() << "this device cannot";
        }
        ASSERT_NO_FATAL_FAILURE(run_all(parameters, {{257, 259, 67}, {132, 516, 40}}));
    }
}

TEST_P(Ring, WholeTilesShiftedTilesAndSplitK) {
    if (cannot_run(large())) {
        GTEST_SKIP() << "this device cannot";
    }
    for (const Form& form : forms()) {
        Case whole = make({256, 512, 200}, form, large());
        ASSERT_TRUE(runs_right(device(), whole));
        Case shifted = make({260, 300, 93}, form, large());
        shifted.options.edges = EdgeStrategy::pointer_shift;
        ASSERT_TRUE(runs_right(device(), shifted));
        Case split = make({128, 256, 333}, form, large());
        split.options.edges = EdgeStrategy::guarded;
        split.options.split_k = 5;
        split.problem.batch_count = 3;
        spread(split.problem, {1, 0, 2}, 3);
        ASSERT_TRUE(runs_right(device(), split));
    }
}

TEST_P(Ring, ExtendedTiles) {
    if (cannot_run(large())) {
        GTEST_SKIP() << "this device cannot";
    }
    for (const Form& form : forms()) {
        for (const bool aligned : {false, true}) {
            Case c = make({257, 513, 129}, form, large());
            c.options.edges = EdgeStrategy::extension;
            if (aligned) {
                align(c);
            }
            ASSERT_TRUE(runs_right(device(), c));
        }
    }
}

/// Deep enough that warps come a lap apart if nothing holds them, and the same bits each time.
TEST_P(Ring, ManyLapsAreRightAndRepeatable) {
    if (cannot_run(large())) {
        GTEST_SKIP() << "this device cannot";
    }
    for (const Form& form : forms()) {
        Case c = make({384, 512, 1537}, form, large());
        c.options.edges = EdgeStrategy::guarded;
        EXPECT_TRUE(repeats(device(), library(), c));
    }
}

/// Few rows, small tiles, copies of every width, split-K: what a skinny product gets.
TEST_P(Ring, FewRowsByCopiesOfEveryWidth) {
    for (const int width : {1, 2, 4}) {
        const Parameters parameters = of({{"tile_m", 32},
                                          {"tile_n", 32},
                                          {"tile_k", 32},
                                          {"work_per_item_m", 4},
                                          {"work_per_item_n", 4},
                                          {"load_width_a", width},
                                          {"load_width_b", width}});
        if (cannot_run(parameters)) {
            continue; // copies of two elements have copy 0 alone
        }
        for (const Form& form : forms()) {
            Case c = make({width, 516, 1540}, form, parameters);
            c.options.edges = EdgeStrategy::guarded;
            c.options.split_k = 6;
            EXPECT_TRUE(repeats(device(), library(), c)) << width;
            EXPECT_TRUE(runs_right(device(), c)) << width;
        }
    }
}

/// In one launch, over and over: the counters are zero again each time.
TEST_P(Ring, ReductionInTheLaunch) {
    if (cannot_run(small())) {
        GTEST_SKIP() << "this device cannot";
    }
    const auto check = [&](Case c, EdgeStrategy edges, int split_k) {
        c.options.edges = edges;
        c.options.split_k = split_k;
        c.options.reduction = libsgemm::SplitKReduction::fused;
        EXPECT_EQ(plan_case(library(), c).passes().back(), "ring");
        EXPECT_TRUE(repeats(device(), library(), c)) << split_k;
        EXPECT_TRUE(runs_right(device(), library(), c)) << split_k;
    };
    for (const Form& form : forms()) {
        for (const int split_k : {2, 5, 24}) {
            check(make({192, 96, 512}, form, small()), EdgeStrategy::none, split_k);
            Case ragged = make({195, 101, 333}, form, small());
            ragged.problem.batch_count = 3;
            spread(ragged.problem, {1, 3, 1}, 3);
            check(ragged, EdgeStrategy::guarded, split_k);
            check(ragged, EdgeStrategy::pointer_shift, split_k);
            check(make({65, 33, 1 + 8 * (split_k % 2)}, form, small()), EdgeStrategy::guarded,
                  split_k); // ranges of k that have nothing
        }
    }
}

/// Calls of other values each, which nothing orders but their workspace and its counters, or the
/// order of their queue: first none may begin, then all may.
TEST_P(Ring, SumsInTheLaunchKeepApart) {
    if (cannot_run(small())) {
        GTEST_SKIP() << "this device cannot";
    }
    const cl_command_queue_properties disorder =
        device().has_out_of_order_queues() ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0;
    const Owned<cl_command_queue> queues[] = {device().make_queue(), device().make_queue(),
                                              device().make_queue(disorder)};
    Case c = make({192, 96, 2048}, forms()[0], small());
    c.options.split_k = 8;
    c.options.reduction = libsgemm::SplitKReduction::fused;
    const libsgemm::Plan plan = plan_case(library(), c);
    const Owned<cl_event> gate = make_user_event(device().context());
    std::vector<std::unique_ptr<CaseData>> all;
    for (unsigned i = 0; i < 24; ++i) {
        c.seed = i + 1;
        all.push_back(std::make_unique<CaseData>(device(), c));
        all.back()->enqueue(plan, queues[i / 2 % 3].get(), {gate.get()});
    }
    complete(gate);
    for (const auto& queue : queues) {
        check_status(clFinish(queue.get()), "clFinish");
    }
    for (const auto& data : all) {
        EXPECT_TRUE(data->verify(queues[0].get()));
    }
}

INSTANTIATE_TEST_SUITE_P(Ways, Ring, ::testing::Values(0, 1, 2, 3), way_name);

} // namespace
} // namespace sgemm_test
