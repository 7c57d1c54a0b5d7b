// SPDX-License-Identifier: Apache-2.0
// fp16x2 and tf32x3, scanned and packed in one launch, where k takes several rounds of a
// work-group: values that outgrow the scales of the first.
#include "device/emulated_fixture.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace sgemm_test::emulated {
namespace {

constexpr std::int64_t round_steps = 2048; ///< the longest; 512 or 768 where k is at most 1024
constexpr std::int64_t group_rows = 8;     ///< of a work-group

using Factor = std::function<double(std::int64_t row, std::int64_t p)>;

class EmulatedRounds : public Emulated {
protected:
    /// So many rows that one launch is chosen for any k: groups for three quarters of the compute
    /// units.
    Extents deep(std::int64_t k) const {
        const std::int64_t rows_per_unit =
            GetParam().shares > 1 ? 6 : 3; // of which a first share may have a seventh
        const auto rows = rows_per_unit * device().handle().traits.compute_units;
        return {std::max<std::int64_t>(20, rows + 4), std::max<std::int64_t>(12, rows), k};
    }

    /// What is small for fp16x2 is to be so many times smaller for tf32x3.
    double apart() const { return entry_->precision == libsgemm::Precision::fp16x2 ? 1 : 0x1p-10; }

    /// Magnitudes of a half to less than one times a factor, and a few far below, which lose bits
    /// that depend on their row's scale.
    Element numbers(const Factor& factor) const {
        return [factor, apart = apart()](Random& r, std::int64_t row, std::int64_t p) {
            const double low = r.integer(0, 99) == 0 ? 0x1p-16 * apart : 1;
            return r.sign() * r.between(0.5, 0.999) * low * factor(row, p);
        };
    }

    libsgemm::planning::PlanValue one_launch(const Data& data) const {
        auto plan = plan_of(data, options(1));
        EXPECT_EQ(plan.steps.front().build.name, "emulated_scan_pack") << data.k;
        return plan;
    }
    libsgemm::planning::PlanValue two_launches(const Data& data) const {
        libsgemm::ExpertPlanOptions two = options(1);
        two.parameters["pack_launches"] = 2;
        two.parameters["shares"] = 1;
        return plan_of(data, two);
    }

    void expect_bits_of_two_launches(const std::string& name, const Data& data) {
        const std::vector<float> one = run(data, one_launch(data), false);
        const std::vector<float> two = run(data, two_launches(data), false);
        EXPECT_FALSE(same_bits(one.front(), guard_value)) << name << ": left to strict";
        EXPECT_TRUE(std::equal(one.begin(), one.end(), two.begin(), same_bits)) << name;
    }
};

/// A group that starts again ends with the scales of all of k, those of two launches; one that does
/// not has them from the beginning.
TEST_P(EmulatedRounds, PackWhatTwoLaunchesPack) {
    constexpr std::int64_t k = 6200;
    const std::vector<std::pair<const char*, Factor>> all = {
        {"later rounds are as large", [](auto, auto) { return 1; }},
        {"later rounds are smaller", [](auto, auto p) { return p < round_steps ? 1 : 0.25; }},
        {"later rounds are larger", [](auto, auto p) { return p < round_steps ? 1 : 8; }},
        {"the last step is larger", [](auto, auto p) { return p + 1 < k ? 1 : 16; }},
        {"larger from round to round",
         [](auto, auto p) { return std::exp2(static_cast<double>(p / round_steps * 2)); }},
        {"larger in between", [](auto, auto p) { return p / round_steps == 1 ? 9 : 1; }},
        {"one row of a group, others within the room",
         [](auto row, auto p) {
             return p / round_steps != 2 ? 1 : row % group_rows == 5 ? 32 : 1.9;
         }},
        {"every third group",
         [](auto row, auto p) {
             return row / group_rows % 3 == 0 && p > 2 * round_steps ? 64 : 1;
         }},
        {"nothing in the first round", [](auto, auto p) { return p < round_steps ? 0 : 0x1p-12; }},
        {"nothing in the first round of one row",
         [](auto row, auto p) { return row % 5 == 1 && p < round_steps ? 0 : 4; }}};
    for (const auto& [name, factor] : all) {
        if (GetParam().shares > 1 &&
            std::string(name).find("within the room") != std::string::npos) {
            // Rows that launches pack have scales of their own, not those of a group that starts
            // again.
            continue;
        }
        const Data data = make_data(deep(k), 21, numbers(factor), numbers(factor));
        expect_bits_of_two_launches(name, data);
    }
}

TEST_P(EmulatedRounds, PackWhatTwoLaunchesPackInEveryForm) {
    for (const std::int64_t k : {513, 768, 900, 1500, 2047, 3300, 4100}) {
        const Factor last_steps = [k](auto row, auto p) {
            return row / group_rows % 2 == 0 && p + 20 >= k ? 16 : 1;
        };
        const Data data = make_data(deep(k), 22, numbers(last_steps), numbers(last_steps));
        for (const int form : {0, 1, 2, 3}) {
            a_along_k_ = form % 2 == 0;
            b_along_k_ = form / 2 == 0;
            expect_bits_of_two_launches("form " + std::to_string(form), data);
        }
    }
}

/// Up to the largest number of half precision, and one above.
TEST_P(EmulatedRounds, TheRoomEndsWhereHalfPrecisionDoes) {
    constexpr std::int64_t k = 5000;
    const Element ones = numbers([](auto, auto) { return 1; });
    for (const double last :
         {1.9, 1.99902344, 1.99902356, 1.9999, 2.0, 4.0}) { // 65504 is 1.99902344 times 2^15
        Data data = make_data(deep(k), 23, ones, ones);
        for (std::int64_t row = 0; row < data.m; row += 3) {
            data.a[static_cast<std::size_t>(row * k + k - 1)] = static_cast<float>(last);
        }
        EXPECT_TRUE(is_taken(data)) << last;
        const Errors errors = errors_of(data);
        EXPECT_LE(errors.worst, 1) << last;
        EXPECT_LE(errors.frobenius, errors.strict) << last;
    }
}

TEST_P(EmulatedRounds, WhatComesLateIsLeftToStrict) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    constexpr std::int64_t k = 6200;
    const Element ones = numbers([](auto, auto) { return 1; });
    for (const double late : {double{infinity}, std::nan(""), 0x1p100}) {
        Data data = make_data(deep(k), 24, ones, ones);
        data.b[static_cast<std::size_t>(7 * k + k - 1)] = static_cast<float>(late);
        EXPECT_FALSE(is_taken(data)) << late;
    }
    const std::vector<std::pair<const char*, Factor>> all = {
        {"small beside what comes later",
         [this](auto, auto p) { return p < round_steps ? 1 : 0x1p22 / apart(); }},
        {"too small to be scaled at first",
         [](auto, auto p) { return p < round_steps ? 0x1p-60 : 1; }},
        {"small behind a round of zeros", [this](auto, auto p) {
             return p < round_steps ? 0.0 : p % 2 == 0 ? 1 : 0x1p-22 * apart();
         }}};
    for (const auto& [name, factor] : all) {
        const Data data = make_data(deep(k), 25, numbers(factor), numbers(factor));
        EXPECT_FALSE(expect_bound(name, data)) << name;
    }
}

TEST_P(EmulatedRounds, OutliersAtAnyLeadingDimension) {
    std::mt19937_64 engine(base_seed());
    for (const Form& form : all_forms()) {
        for (const std::int64_t k : {530, 1500, 2100, 4100}) {
            Case c = make_case({35, 18, k}, form);
            vary(c, engine);
            c.values = Values::outliers;
            ASSERT_TRUE(runs_right(device(), c));
            c.values = Values::nan_and_inf;
            ASSERT_TRUE(runs_right(device(), c));
        }
    }
}

/// Small enough for a run under Oclgrind.
TEST_P(EmulatedRounds, SmallMatrixThatOutgrowsItsFirstRound) {
    constexpr std::int64_t k = 1050;
    const Element late = numbers([](auto, auto p) { return p + 20 < k ? 1 : 16; });
    a_along_k_ = false;
    const Data data = make_data({3, 2, k}, 26, late, late);
    EXPECT_TRUE(is_taken(data));
}

INSTANTIATE_TEST_SUITE_P(Schemes, EmulatedRounds,
                         ::testing::Values(Scheme{"emulated_fp16", 32, 32, 1, false, 1},
                                           Scheme{"emulated_tf32", 32, 32, 1, false, 1},
                                           Scheme{"emulated_fp16", 128, 256, 1, true, 1},
                                           Scheme{"emulated_tf32", 128, 256, 2, true, 1},
                                           Scheme{"emulated_fp16", 128, 64, 1, true, 1, 0},
                                           Scheme{"emulated_fp16", 32, 32, 1, false, 1, 1, 2},
                                           Scheme{"emulated_tf32", 32, 32, 1, false, 1, 1, 3},
                                           Scheme{"emulated_fp16", 128, 256, 2, true, 1, 1, 2},
                                           Scheme{"emulated_fp16", 128, 128, 1, true, 1, 1, 3},
                                           Scheme{"emulated_tf32", 128, 256, 2, true, 1, 1, 2}),
                         scheme_name);

} // namespace
} // namespace sgemm_test::emulated
