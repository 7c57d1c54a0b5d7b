// SPDX-License-Identifier: Apache-2.0
// The kernel `flat` in each of its ways to keep A: every depth that it takes, columns of C that
// begin anywhere in a sector, rows that end anywhere in a tile.
#include "device/kernel_fixture.hpp"
#include "support/case_data.hpp"

#include <string>
#include <utility>
#include <vector>

namespace sgemm_test {
namespace {

using libsgemm::catalog::Parameters;
using libsgemm::catalog::TileShape;

struct FlatSet {
    const char* name;
    std::vector<std::pair<const char*, int>> changes; ///< against the defaults
};

/// The ways to keep A, each with and without ALIGN_C.
const std::vector<FlatSet>& flat_sets() {
    static const std::vector<FlatSet> sets = {
        {"held", {{"tile_n", 64}, {"work_per_item_n", 8}, {"stage_a", 0}}},
        {"staged", {{"tile_n", 64}, {"work_per_item_n", 8}}},
        {"staged_unaligned", {{"tile_n", 64}, {"step_n", 8}, {"align_c", 0}}},
        {"four_rows", {{"tile_m", 128}, {"work_per_item_m", 4}, {"align_c", 0}, {"most_k", 48}}},
        {"ring",
         {{"tile_m", 128},
          {"tile_n", 32},
          {"work_per_item_m", 4},
          {"work_per_item_n", 8},
          {"step_n", 8},
          {"stages", 2},
          {"stage_a", 0},
          {"align_c", 0}}},
        {"ring_aligned",
         {{"tile_n", 32}, {"work_per_item_n", 4}, {"stages", 3}, {"stage_a", 0}, {"unroll_k", 4}}},
    };
    return sets;
}

struct FlatWay {
    FlatSet set;
    bool ptx; ///< cp.async and streaming stores, not plain OpenCL C
};

std::vector<FlatWay> flat_ways() {
    std::vector<FlatWay> ways;
    for (const bool ptx : {false, true}) {
        for (const FlatSet& set : flat_sets()) {
            ways.push_back({set, ptx});
        }
    }
    return ways;
}

std::string flat_way_name(const ::testing::TestParamInfo<FlatWay>& info) {
    return std::string(info.param.set.name) + (info.param.ptx ? "_ptx" : "");
}

class Flat : public DeviceTest, public ::testing::WithParamInterface<FlatWay> {
protected:
    static const libsgemm::catalog::KernelEntry& entry() {
        return *libsgemm::catalog::kernel_catalog().find("flat");
    }
    static Parameters parameters() {
        Parameters chosen = entry().defaults();
        chosen.set("most_k", 64);
        for (const auto& [name, value] : GetParam().set.changes) {
            chosen.set(name, value);
        }
        chosen.set("copy", GetParam().ptx ? 1 : 0);
        chosen.set("stream", GetParam().ptx ? 1 : 0);
        return chosen;
    }
    static TileShape tile() { return entry().tile(parameters()); }
    bool cannot_run() const {
        return !obstacles(entry(), parameters(), device().handle().traits).empty();
    }
    static Case make(const Extents& extents, const Form& form) {
        Case result = plain_case(extents.m, extents.n, extents.k);
        set_form(result, form);
        result.options = forced(entry(), parameters());
        result.alpha = -1.25F;
        return result;
    }
};

TEST_P(Flat, EveryDepth) {
    if (cannot_run()) {
        GTEST_SKIP() << "this device cannot";
    }
    // Compilers take long: each depth in one form, and each form with depths of all kinds.
    const bool is_cpu = device().handle().traits.type == libsgemm::DeviceType::cpu;
    for (int k = 1; k <= tile().most_k; k += is_cpu && k > 8 ? 3 : 1) {
        Case c =
            make({tile().m + 37, tile().n + 5, k}, all_forms()[static_cast<std::size_t>(k % 4)]);
        spread(c.problem, {1, 3, 1});
        c.offset_a = 1;
        c.offset_b = 3;
        c.offset_c = k % 8;
        c.beta = k % 2 == 0 ? 0.0F : 0.5F;
        ASSERT_TRUE(runs_right(device(), c)) << "k " << k;
    }
}

TEST_P(Flat, RowsEndAnywhereInATileAndColumnsBeginAnywhereInASector) {
    if (cannot_run()) {
        GTEST_SKIP() << "this device cannot";
    }
    const TileShape t = tile();
    for (const Form& form : {all_forms()[0], all_forms()[3]}) {
        for (int rest = -7; rest <= 1; ++rest) {
            for (const std::int64_t tiles : {1, 2}) {
                const std::int64_t m = tiles * t.m + rest;
                Case c = make({m, t.n / 2 + 3 + rest, 5}, form);
                // Every leading dimension modulo 8 meets every offset.
                spread(c.problem, {0, 0, (rest + 7) % 8});
                for (c.offset_c = 0; c.offset_c < 8; c.offset_c += 3 - tiles) {
                    c.beta = c.offset_c % 3 == 0 ? 1.0F : 0.0F;
                    ASSERT_TRUE(runs_right(device(), c)) << m << ", offset " << c.offset_c;
                }
            }
        }
    }
}

TEST_P(Flat, FewerRowsAndColumnsThanAnItemHas) {
    if (cannot_run()) {
        GTEST_SKIP() << "this device cannot";
    }
    for (const Extents& extents : {Extents{1, 1, 5}, Extents{1, 70, 5}, Extents{9, 2, 5},
                                   Extents{33, 1, 5}, Extents{200, 1, 5}}) {
        for (std::int64_t offset = 0; offset < 8; ++offset) {
            Case c = make(extents, all_forms()[1]);
            c.offset_c = offset;
            c.problem.batch_count = 2; // with matrices that begin elsewhere in a sector
            spread(c.problem, {0, 0, 1}, 3);
            ASSERT_TRUE(runs_right(device(), c));
        }
    }
}

TEST_P(Flat, OtherDepthsAreRefusedWithTheReason) {
    if (cannot_run()) {
        GTEST_SKIP() << "this device cannot";
    }
    const Case c = make({64, 64, tile().most_k + 1}, all_forms()[0]);
    try {
        library().plan(c.problem, c.options);
        FAIL() << "planned";
    } catch (const libsgemm::UnsupportedError& error) {
        EXPECT_NE(std::string(error.what()).find("k is not one of 1 to"), std::string::npos)
            << error.what();
    }
}

INSTANTIATE_TEST_SUITE_P(Ways, Flat, ::testing::ValuesIn(flat_ways()), flat_way_name);

} // namespace
} // namespace sgemm_test
