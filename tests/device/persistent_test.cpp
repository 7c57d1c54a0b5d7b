// SPDX-License-Identifier: Apache-2.0
// The persistent kernel: tiles whole and cut, of one matrix and of a batch, in the layouts that
// matter. What a device cannot run is skipped. A hang takes its process with it: run the ways one
// by one on a new device.
#include "device/kernel_fixture.hpp"
#include "support/case_data.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace sgemm_test {
namespace {

using libsgemm::EdgeStrategy;
using libsgemm::catalog::Parameters;

struct Shape {
    const char* name;
    std::vector<std::pair<const char*, int>> parameters;
};

std::string shape_name(const ::testing::TestParamInfo<Shape>& info) {
    return info.param.name;
}

class Persistent : public DeviceTest, public ::testing::WithParamInterface<Shape> {
protected:
    static const libsgemm::catalog::KernelEntry& entry() {
        return *libsgemm::catalog::kernel_catalog().find("persistent");
    }
    void SetUp() override {
        DeviceTest::SetUp();
        parameters_ = entry().defaults();
        for (const auto& [name, value] : GetParam().parameters) {
            parameters_.set(name, value);
        }
        if (!obstacles(entry(), parameters_, device().handle().traits).empty()) {
            GTEST_SKIP() << "this device cannot";
        }
    }
    /// `deals_out`: the steps of the last tiles.
    Case make(const Extents& extents, const Form& form, bool deals_out) const {
        Case result = plain_case(extents.m, extents.n, extents.k);
        set_form(result, form);
        result.options = forced(entry(), parameters_);
        result.options.split_k = deals_out ? 2 : 1;
        result.options.edges = EdgeStrategy::guarded;
        result.alpha = -1.25F;
        result.beta = 0.5F;
        return result;
    }
    std::vector<Form> forms() const {
        const auto& all = all_forms();
        if (device().handle().traits.type == libsgemm::DeviceType::cpu) {
            return {all[1], all[2]};
        }
        return {all[0], all[1], all[2], all[3]};
    }
    /// Columns of tiles that make `waves` waves and a half of them.
    std::int64_t columns(int waves) const {
        const std::int64_t units = device().handle().traits.compute_units;
        return (waves * units + (units + 1) / 2) * parameters_["tile_n"];
    }
    Parameters parameters_;
};

TEST_P(Persistent, FewTilesAtEveryDepth) {
    for (const Form& form : forms()) {
        for (const std::int64_t k : {1, 7, 8, 9, 63, 64, 65, 127, 128, 129, 500, 1537}) {
            Case c = make({130 + k % 3, 259, k}, form, true);
            spread(c.problem, {1, 3, 1});
            c.offset_a = 1;
            c.offset_b = 3;
            ASSERT_TRUE(runs_right(device(), c)) << k;
        }
    }
}

TEST_P(Persistent, WholeTilesOverSeveralWaves) {
    for (const Form& form : forms()) {
        for (const bool deals_out : {false, true}) {
            Case c = make({parameters_["tile_m"], columns(2), 160}, form, deals_out);
            ASSERT_TRUE(runs_right(device(), c));
        }
    }
}

TEST_P(Persistent, EdgesOverSeveralWaves) {
    for (const Form& form : forms()) {
        for (const bool deals_out : {false, true}) {
            Case c = make({257, columns(1) / 2 + 3, 133}, form, deals_out);
            ASSERT_TRUE(runs_right(device(), c));
            // Leading dimensions that vectors fit, though rows and columns end anywhere.
            spread(c.problem, {0, 0, 0});
            c.problem.lda = (c.problem.lda + 3) / 4 * 4;
            c.problem.ldb = (c.problem.ldb + 3) / 4 * 4;
            ASSERT_TRUE(runs_right(device(), c));
        }
    }
}

TEST_P(Persistent, BatchesAreOneList) {
    for (const Form& form : forms()) {
        for (const bool deals_out : {false, true}) {
            Case c = make({129, 140, 200}, form, deals_out);
            c.problem.batch_count = 5;
            spread(c.problem, {1, 0, 2}, 3);
            ASSERT_TRUE(runs_right(device(), c));
        }
    }
}

/// Deep enough that warps come a lap apart if nothing holds them, and the same bits each time.
TEST_P(Persistent, ManyLapsAreRightAndRepeatable) {
    for (const Form& form : forms()) {
        Case c = make({384, 520, 1537}, form, true);
        const libsgemm::Plan plan = plan_case(library(), c);
        std::vector<float> results[2];
        for (auto& result : results) {
            CaseData data(device(), c);
            data.enqueue(plan, queue());
            ASSERT_TRUE(data.verify(queue()));
            result = data.result(queue());
        }
        EXPECT_TRUE(
            std::equal(results[0].begin(), results[0].end(), results[1].begin(), same_bits));
    }
}

/// Rows and columns that no tile has, for loops of every length; by idle work-groups, and behind
/// tiles by stream-K.
TEST_P(Persistent, Rims) {
    for (const Form& form : forms()) {
        for (const std::int64_t k : {1, 31, 33, 97, 300, 1537}) {
            for (const auto& [rows, columns] :
                 {std::pair{1, 0}, std::pair{0, 1}, std::pair{8, 5}}) {
                for (const bool deals_out : {false, true}) {
                    Case c =
                        make({parameters_["tile_m"] + rows, 3 * parameters_["tile_n"] + columns, k},
                             form, deals_out);
                    c.options.edges = EdgeStrategy::extension;
                    c.problem.batch_count = 2;
                    spread(c.problem, {1, 3, 1}, 3);
                    ASSERT_TRUE(runs_right(device(), c)) << k << ' ' << rows << ' ' << columns;
                }
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, Persistent,
    ::testing::Values(Shape{"plain", {}},
                      Shape{"wide",
                            {{"copy", 3},
                             {"math_registers", 208},
                             {"tile_n", 256},
                             {"work_per_item_n", 16},
                             {"stages", 16}}},
                      Shape{"tall",
                            {{"copy", 3},
                             {"math_registers", 224},
                             {"tile_m", 256},
                             {"work_per_item_m", 16},
                             {"lanes_m", 4},
                             {"stages", 4},
                             {"order", 3},
                             {"raster", 0}}},
                      Shape{"square",
                            {{"copy", 3}, {"math_registers", 208}, {"tile_k", 16}, {"stages", 8}}}),
    shape_name);

} // namespace
} // namespace sgemm_test
