// SPDX-License-Identifier: Apache-2.0
// FP32 emulation that splits operands while it multiplies (kernels/emulated/direct.cl): which
// numbers it takes, tile by tile, and that the rest is strict. What every main kernel has to do is
// in the tests of these.
#include "device/emulated_numbers.hpp"

#include <algorithm>
#include <cmath>

namespace sgemm_test::emulated {
namespace {

class EmulatedDirect : public Emulated {
protected:
    /// Of the tile at (i0, j0): whether each element is the sum by fma in ascending order, to the
    /// last bit.
    bool is_strict(const Data& data, const std::vector<float>& c, std::int64_t i0,
                   std::int64_t j0) const;
    bool is_strict(const Data& data) {
        return is_strict(data, run(data, plan_of(data), true), 0, 0);
    }
    void expect_within_bound(const char* name, const Data& data) {
        EXPECT_LE(errors_of(data).worst, 1) << name;
    }
};

bool EmulatedDirect::is_strict(const Data& data, const std::vector<float>& c, std::int64_t i0,
                               std::int64_t j0) const {
    for (std::int64_t j = j0; j < std::min<std::int64_t>(data.n, j0 + GetParam().tile_n); ++j) {
        for (std::int64_t i = i0; i < std::min<std::int64_t>(data.m, i0 + GetParam().tile_m); ++i) {
            if (!same_bits(strict_sum(data, i, j), c[static_cast<std::size_t>(j * data.m + i)])) {
                return false;
            }
        }
    }
    return true;
}

const Element uniform = [](Random& r, auto, auto) { return r.between(-1, 1); };

TEST_P(EmulatedDirect, OrdinaryNumbersAreTakenAndKeepTheBound) {
    for (const Distribution& one : ordinary()) {
        const Data data = make_data({67, 131, 384}, 11, one.a, one.b);
        const std::string name = one.name;
        if (name != "integers" && name != "identity") { // exact either way
            EXPECT_FALSE(is_strict(data)) << name;
        }
        expect_within_bound(one.name, data);
    }
}

TEST_P(EmulatedDirect, HostileNumbersKeepTheBound) {
    for (const Distribution& one : hostile()) {
        const Data data = make_data({67, 131, 256}, 12, one.a, one.b);
        const std::string name = one.name;
        if (name == "checkerboard" || name == "wide" || name == "large against small" ||
            name.starts_with("near overflow") || name == "widest") {
            EXPECT_TRUE(is_strict(data)) << name;
        }
        expect_within_bound(one.name, data);
    }
}

TEST_P(EmulatedDirect, EveryWayToStoreOperands) {
    for (const bool a_along_k : {false, true}) {
        for (const bool b_along_k : {false, true}) {
            a_along_k_ = a_along_k;
            b_along_k_ = b_along_k;
            for (const Extents& e : {is_slow() ? Extents{70, 130, 333} : Extents{200, 260, 333},
                                     Extents{128, 128, 256}}) {
                const Data data = make_data(e, 14, uniform, uniform);
                EXPECT_FALSE(is_strict(data)) << a_along_k << b_along_k;
                expect_within_bound("uniform", data);
            }
        }
    }
}

/// Without tensor cores, tiles of 128 rows: compilers for CPUs take long over each form, and one
/// has eight steps of a row of A in an item, as no other tiles have.
class EmulatedDirectTiles : public EmulatedDirect {};

TEST_P(EmulatedDirectTiles, RowsOfASideBySide) {
    a_along_k_ = false;
    b_along_k_ = true;
    const Data data = make_data({200, 140, 333}, 20, uniform, uniform);
    EXPECT_FALSE(is_strict(data));
    expect_within_bound("uniform", data);
}

/// Other tiles are multiplied as if there were nothing.
TEST_P(EmulatedDirect, OnlyTheTileOfAnUnfitNumberIsStrict) {
    const Element huge_once = [](Random& r, std::int64_t row, std::int64_t p) {
        return row == 3 && p == 200 ? 0x1p100 : r.between(-1, 1); // beyond all scales
    };
    const Data data = make_data({150, 140, 300}, 15, huge_once, uniform);
    const std::vector<float> c = run(data, plan_of(data), true);
    EXPECT_TRUE(is_strict(data, c, 0, 0));
    EXPECT_FALSE(is_strict(data, c, GetParam().tile_m, 0));
}

/// Scales come from the first block that has anything of a row; of what outgrows them, from all of
/// k.
TEST_P(EmulatedDirect, RowsMayBeginLateAndGrow) {
    const auto begins = [](std::int64_t step) {
        return [step](Random& r, std::int64_t row, std::int64_t p) {
            return p < step * (row % 4) ? 0.0 : r.sign() * r.between(0.5, 1) * 0x1p-30;
        };
    };
    for (const std::int64_t step : {1, 31, 32, 64}) {
        const Data data = make_data({70, 130, 320}, 16, begins(step), begins(1));
        EXPECT_FALSE(is_strict(data)) << step;
        expect_within_bound("late", data);
    }
    const auto grows = [](double factor) {
        return [factor](Random& r, auto, std::int64_t p) {
            return r.between(0.5, 1) * (p < 40 ? 1 : factor);
        };
    };
    const Data within = make_data({70, 130, 320}, 17, grows(3.9), uniform);
    EXPECT_FALSE(is_strict(within));
    expect_within_bound("grows within the room", within);
    const Data beyond = make_data({70, 130, 320}, 17, grows(20), uniform);
    EXPECT_FALSE(is_strict(beyond)) << "half precision ends, and another scale is found";
    expect_within_bound("grows beyond the room", beyond);
}

/// The range check is of the worst row and column of a tile.
TEST_P(EmulatedDirect, AFewSmallElementsAreTakenManyAreNot) {
    const auto small_each = [](std::int64_t period) {
        return [period](Random& r, std::int64_t row, std::int64_t p) {
            return r.between(0.5, 1) * ((row * 320 + p) % period == period - 1 ? 0x1p-20 : 1);
        };
    };
    const Data few = make_data({64, 128, 320}, 18, small_each(5000), uniform);
    EXPECT_FALSE(is_strict(few));
    expect_within_bound("few", few);
    const Data many = make_data({64, 128, 320}, 18, small_each(7), uniform);
    EXPECT_TRUE(is_strict(many));
}

/// Any pattern of large, small, absent and growing elements.
TEST_P(EmulatedDirect, SearchFindsNoNumbersThatBreakTheBound) {
    double worst = 0;
    for (std::uint64_t round = 0; round < 60; ++round) {
        Random choice(round + base_seed());
        const auto element = [&](Random& pick) -> Element {
            const int range = pick.integer(0, 24);
            const int period = pick.integer(1, 60);
            const double absent = pick.unit() < 0.5 ? 0 : pick.unit();
            const int growth = pick.integer(0, 6);
            return [=](Random& r, std::int64_t row, std::int64_t p) {
                const bool is_small = (row * 7 + p) % period == 0;
                const double size = std::ldexp(1.0, is_small ? -range : p > 64 ? growth : 0);
                return r.unit() < absent ? 0.0 : r.sign() * r.between(0.5, 1) * size;
            };
        };
        const Element a = element(choice);
        const Element b = element(choice);
        const std::int64_t k = choice.integer(120, 400);
        worst = std::max(worst, errors_of(make_data({65, 40, k}, round, a, b)).worst);
        ASSERT_LE(worst, 1) << "round " << round;
    }
    RecordProperty("worst_error_over_bound", std::to_string(worst));
}

INSTANTIATE_TEST_SUITE_P(Schemes, EmulatedDirect,
                         ::testing::Values(Scheme{"emulated_fp16_direct", 64, 128, 1, false},
                                           Scheme{"emulated_fp16_direct", 64, 128, 1, true},
                                           Scheme{"emulated_fp16_direct", 128, 128, 1, true}),
                         scheme_name);
INSTANTIATE_TEST_SUITE_P(Schemes, EmulatedDirectTiles,
                         ::testing::Values(Scheme{"emulated_fp16_direct", 128, 128, 1, false}),
                         scheme_name);

} // namespace
} // namespace sgemm_test::emulated
