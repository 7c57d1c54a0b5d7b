// SPDX-License-Identifier: Apache-2.0
// Schemes that split operands, scanned and packed in one launch, where k takes several rounds of a work-group: values that
// outgrow the scales of the first.
#include "device/emulated_fixture.hpp"
#include "plan/plan_value.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace sgemm_test::emulated {
namespace {

using sgemm::Precision;

constexpr std::int64_t first_round = 2048; ///< steps, where k is more than these; 1024 else
constexpr std::int64_t group_rows = 8;     ///< of a work-group

class EmulatedRounds : public Emulated {
protected:
    /// So deep that one launch has to have groups for three quarters of the compute units to be chosen.
    Extents deep() const {
        const bool has_few_units = device().handle().traits.compute_units <= 16;
        return has_few_units ? Extents{20, 12, 6200} : Extents{420, 400, 6200};
    }
    bool scans() const { return entry_->precision == Precision::fp16x2; }

    std::vector<float> in_two_launches(const Data& data) {
        sgemm::PlanOptions two = options(1);
        two.parameters["pack_launches"] = 2;
        return run(data, plan_of(data, two), false);
    }
    std::vector<float> in_one_launch(const Data& data) {
        const auto plan = plan_of(data, options(1));
        EXPECT_EQ(plan.steps.front().build.name, scans() ? "emulated_scan_pack" : "emulated_begin");
        return run(data, plan, false);
    }
};

Element uniform_times(const std::function<double(std::int64_t row, std::int64_t p)>& factor) {
    return [factor](Random& r, std::int64_t row, std::int64_t p) {
        return r.sign() * r.between(0.5, 1) * factor(row, p);
    };
}

/// A group that starts again ends with the scales of all of k, those of two launches: the same parts, the same bits.
TEST_P(EmulatedRounds, GroupsThatStartAgainPackWhatTwoLaunchesPack) {
    const auto k = deep().k;
    const std::vector<std::pair<const char*, Element>> all = {
        {"later rounds are larger",
         uniform_times([](auto, auto p) { return p < first_round ? 1 : 0x1p8; })},
        {"nothing in the first round",
         uniform_times([](auto, auto p) { return p < first_round ? 0 : 1; })},
        {"the last step is larger", uniform_times([k](auto, auto p) { return p + 1 < k ? 1 : 9; })},
        {"one row of a group is larger in the second round", uniform_times([](auto row, auto p) {
             return row % group_rows == 5 && p / first_round == 1 ? 0x1p6 : 1;
         })}};
    for (const auto& [name, element] : all) {
        const Data data = make_data(deep(), 21, element, element);
        EXPECT_TRUE(is_taken(data)) << name;
        const std::vector<float> one = in_one_launch(data), two = in_two_launches(data);
        EXPECT_TRUE(std::equal(one.begin(), one.end(), two.begin(), same_bits)) << name;
    }
}

/// Some groups start again and others do not; scales that the first round leaves room above are kept.
TEST_P(EmulatedRounds, EveryGroupDecidesForItself) {
    const std::vector<std::pair<const char*, Element>> all = {
        {"within the room", uniform_times([](auto, auto p) { return p < first_round ? 1 : 1.9; })},
        {"every third group", uniform_times([](auto row, auto p) {
             return row / group_rows % 3 == 0 && p > 2 * first_round ? 0x1p7 : 1;
         })},
        {"from round to round", uniform_times([](auto row, auto p) {
             return std::exp2(static_cast<double>(p / first_round * (row % 4)));
         })},
        {"smaller", uniform_times([](auto, auto p) { return p < first_round ? 0x1p6 : 1; })}};
    for (const auto& [name, element] : all) {
        const Data data = make_data(deep(), 22, element, all.front().second);
        EXPECT_TRUE(is_taken(data)) << name;
        expect_bound(name, data);
    }
}

TEST_P(EmulatedRounds, WhatComesLateIsLeftToStrict) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const auto k = deep().k;
    const Element ones = uniform_times([](auto, auto) { return 1; });
    for (const double late : {double{infinity}, std::nan(""), 0x1p100}) {
        Data data = make_data(deep(), 23, ones, ones);
        data.b[static_cast<std::size_t>(7 * k + k - 1)] = static_cast<float>(late);
        EXPECT_FALSE(is_taken(data)) << late;
    }
    // Small beside what comes later: not enough large elements, unless nothing is scaled.
    const Element grown = uniform_times([](auto, auto p) { return p < first_round ? 1 : 0x1p22; });
    const Data data = make_data(deep(), 24, grown, grown);
    EXPECT_EQ(is_taken(data), !scans());
    expect_bound("small first", data);
    // Too small to be scaled at first.
    const Element tiny = uniform_times([](auto, auto p) { return p < first_round ? 0x1p-60 : 1; });
    expect_bound("tiny first", make_data(deep(), 25, tiny, ones));
}

TEST_P(EmulatedRounds, OutliersInEveryForm) {
    std::mt19937_64 engine(base_seed());
    for (const Form& form : all_forms()) {
        for (const std::int64_t k : {1500, 2100, 4100}) {
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
TEST_P(EmulatedRounds, SmallMatrix) {
    Case c = make_case({3, 2, 1050}, all_forms()[0]); // op(A) is contiguous along m, op(B) along k
    c.values = Values::outliers;
    EXPECT_TRUE(runs_right(device(), library(), c, Guards::none));
}

INSTANTIATE_TEST_SUITE_P(Schemes, EmulatedRounds,
                         ::testing::Values(Scheme{"emulated_fp16", 32, 32, 1, false, 1},
                                           Scheme{"emulated_tf32", 64, 32, 1, false, 1},
                                           Scheme{"emulated_fp16", 128, 256, 1, true, 1},
                                           Scheme{"emulated_fp16", 128, 64, 1, true, 1, 0}),
                         scheme_name);

} // namespace
} // namespace sgemm_test::emulated
