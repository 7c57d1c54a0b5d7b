// SPDX-License-Identifier: Apache-2.0
// FP32 emulation: the bound of the plan for every kind of numbers, and which numbers
// they leave to strict, behind them or inside.
#include "device/emulated_fixture.hpp"
#include "device/emulated_numbers.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace sgemm_test::emulated {
namespace {

using libsgemm::Precision;

TEST_P(Emulated, OrdinaryNumbersAreTakenAndKeepTheBound) {
    for (const Distribution& one : ordinary()) {
        const Data data = make_data({67, 131, 384}, 11, one.a, one.b);
        EXPECT_TRUE(expect_bound(one.name, data)) << one.name;
    }
}

/// The emulated result is the same wherever strict stands; so it was emulated.
TEST_P(Emulated, StrictInsideChangesNothingOfWhatTheSchemeComputes) {
    const Distribution one = ordinary().front();
    const Data data = make_data({140, 270, 333}, 13, one.a, one.b);
    const std::vector<float> inside = run(data, plan_of(data, options(0)), true);
    const std::vector<float> apart = run(data, plan_of(data, options(1)), false);
    for (std::size_t i = 0; i < inside.size(); ++i) {
        ASSERT_TRUE(same_bits(inside[i], apart[i])) << "element " << i;
    }
}

TEST_P(Emulated, HostileNumbersKeepTheBound) {
    for (const Distribution& one : hostile()) {
        const Data data = make_data({67, GetParam().units ? 260 : 66, 256}, 12, one.a, one.b);
        expect_bound(one.name, data);
    }
}

TEST_P(Emulated, SplitKKeepsTheBound) {
    split_k_ = 2;
    for (const Distribution& one : ordinary()) {
        const Data data = make_data({67, 131, 384}, 11, one.a, one.b);
        EXPECT_TRUE(is_taken(data)) << one.name;
        EXPECT_LE(errors_of(data).worst, 1) << one.name;
    }
    for (const Distribution& one : hostile()) {
        const Data data = make_data({67, 66, 256}, 12, one.a, one.b);
        EXPECT_LE(errors_of(data).worst, 1) << one.name << (is_taken(data) ? ", taken" : "");
    }
}

TEST_P(Emulated, WhatHalfPrecisionCannotHoldIsLeftToStrict) {
    const bool any_range = entry_->precision == Precision::bf16x3;
    for (const Distribution& one : hostile()) {
        const std::string name = one.name;
        const Data data = make_data({67, 66, 256}, 12, one.a, one.b);
        if (name == "checkerboard" || name == "wide") {
            EXPECT_EQ(is_taken(data), any_range) << name;
        } else if (name == "large against small") { // 2^20 apart
            EXPECT_EQ(is_taken(data), entry_->precision != Precision::fp16x2) << name;
        } else if (name.starts_with("near overflow") || name == "subnormal" || name == "widest") {
            EXPECT_FALSE(is_taken(data)) << name;
        }
    }
}

/// Of so few steps a single element that is not large must not decide; their small ones must count.
TEST_P(Emulated, AFewLastStepsDoNotDecide) {
    const bool any_range = entry_->precision == Precision::bf16x3;
    const double apart = entry_->precision == Precision::fp16x2 ? 1 : 0x1p-5; // of tf32 more
    const auto numbers = [](std::int64_t whole, double last) {
        return [whole, last](Random& r, std::int64_t, std::int64_t p) {
            return r.sign() * (p < whole ? r.between(0.5, 1) : last * r.between(0.5, 1));
        };
    };
    for (const std::int64_t rest : {1, 2, 17, 100}) {
        for (const std::int64_t pieces : {1, is_slow() ? 5 : 9}) {
            const std::int64_t whole = 128 * pieces;
            const auto middling = numbers(whole, 0x1p-12 * apart);
            const Data data = make_data({67, 66, whole + rest}, 13, middling, middling);
            EXPECT_TRUE(expect_bound("middling last steps", data)) << data.k;
            const auto small = numbers(whole, 0x1p-20 * apart * apart);
            const Data hostile = make_data({67, 66, whole + rest}, 14, small, small);
            const bool covered =
                4 * rest <= 128 * pieces; // at most as much as the stretches before bear
            EXPECT_EQ(expect_bound("small last steps", hostile), any_range || covered) << hostile.k;
        }
    }
}

/// A search for numbers that the range check lets through and that break the bound: patterns of
/// exponents and zeros, of which the worst so far are changed further.
class Pattern {
public:
    /// `apart`: how many powers of two the splits' ranges are wider than those of fp16.
    Pattern(Random& random, int apart) : apart_(apart) {
        for (double& gene : genes_) {
            gene = random.unit();
        }
    }
    Pattern changed(Random& random) const {
        Pattern result = *this;
        result.genes_[random.integer(0, genes - 1)] = random.unit();
        result.genes_[random.integer(0, genes - 1)] = random.unit();
        return result;
    }
    Data data(const Extents& extents, std::uint64_t seed) const {
        return make_data(extents, seed, element(0), element(genes / 2));
    }

private:
    static constexpr int genes = 16;

    /// Large, middling, small and zero elements; where they lie depends on k so that the supports
    /// of rows and columns can miss each other.
    Element element(int first) const {
        const double* g = genes_ + first;
        return [g, apart = apart_](Random& r, std::int64_t row, std::int64_t p) {
            const double place =
                std::fmod(static_cast<double>(p) * (1 + std::floor(g[0] * 7)) / 128.0 +
                              static_cast<double>(row) * std::floor(g[1] * 3) / 16.0 + g[2],
                          1.0);
            const double noise = r.unit();
            const double value = r.sign() * r.between(g[7] < 0.5 ? 0.999 : 0.5, 1.0);
            if (noise < g[3] * 0.1 || place < g[4] * 0.5) { // small: how small
                return value * std::exp2(-12 - 2 * apart - std::floor(g[5] * 26));
            }
            if (place < g[4] * 0.5 + g[6] * 0.3) {
                return g[7] < 0.25 ? 0.0 : value * std::exp2(-std::floor(g[5] * (11 + apart)));
            }
            return value;
        };
    }

    double genes_[genes] = {};
    int apart_;
};

TEST_P(Emulated, SearchFindsNoNumbersThatBreakTheBound) {
    if (!GetParam().units && GetParam().promote > 1) {
        GTEST_SKIP() << "ordinary code cuts off no bits: as with promote = 1";
    }
    Random random(base_seed() + 77);
    const int apart = entry_->precision == Precision::tf32x3 ? 5 : 0;
    Pattern best(random, apart);
    double most = 0;
    int taken = 0;
    for (std::uint64_t i = 0; i < 150; ++i) {
        // A whole stretch; one and a part; more than a round of the pass that packs.
        const Extents extents{24, 24, i % 10 == 9 ? 1200 : i % 2 == 0 ? 128 : 200};
        const Pattern next = i % 3 == 0 ? Pattern(random, apart) : best.changed(random);
        const Data data = next.data(extents, i);
        const double error = errors_of(data).worst;
        ASSERT_LE(error, 1) << "pattern " << i;
        taken += i % 10 == 0 && is_taken(data) ? 1 : 0;
        if (error > most) {
            most = error;
            best = next;
        }
    }
    EXPECT_GT(taken, 0);
    RecordProperty("worst", std::to_string(most));
}

} // namespace
} // namespace sgemm_test::emulated
