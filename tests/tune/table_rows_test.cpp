// SPDX-License-Identifier: Apache-2.0
// Rows of two tables together, and those that nobody takes; the shapes at which models are learnt:
// values, no device.
#include "support/fake_device.hpp"
#include "tune/fit/measure.hpp"
#include "tune/fit/shapes.hpp"
#include "tune/fit/table_rows.hpp"
#include "tune/search/shape_classes.hpp"
#include "tune/worker/trial.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

namespace libsgemm::tune {
namespace {

using sgemm_test::fake_device;

class TableRows : public ::testing::TestWithParam<DeviceType> {
protected:
    std::string choice(const tables::DeviceTable& table, const std::string& shape) const {
        return rank_shape(judge::parse_shape_name(shape), table, device_).plans.front().to_string();
    }
    static std::set<std::string> kernels_of(const tables::DeviceTable& table) {
        std::set<std::string> kernels;
        for (const tables::TableRow& row : table.rows) {
            kernels.insert(row.kernel);
        }
        return kernels;
    }
    DeviceTraits device_ = fake_device(GetParam());
    tables::DeviceTable table_ = tables::built_in_table(device_);
};

TEST_P(TableRows, OfAnotherTableComeBehindOnesOwnAndOnlyOnce) {
    ASSERT_GE(table_.rows.size(), 3U);
    tables::DeviceTable few = table_;
    few.rows = {table_.rows[2]};
    // The same row with all that it leaves to defaults.
    few.rows[0].parameters = complete_parameters(few.rows[0], catalog::kernel_catalog());
    few.rows[0].model.efficiency = 0.123;
    const auto all = with_rows_of(few, table_);
    ASSERT_EQ(all.rows.size(), table_.rows.size());
    EXPECT_EQ(all.rows[0].model.efficiency, 0.123);
    EXPECT_EQ(all.rows[1].kernel, table_.rows[0].kernel);
    EXPECT_EQ(with_rows_of(all, table_).rows.size(), all.rows.size());
}

TEST_P(TableRows, ThatNobodyTakesGoAndNoChoiceChanges) {
    const std::vector<std::string> names{"NN/512x512x512", "TN/64x2048x300", "NT/33x17x9000"};
    MeasurementRun run;
    for (const std::string& name : names) {
        ShapeTimes shape;
        shape.shape = name;
        run.shapes.push_back(shape);
    }
    const auto left = without_idle_rows(table_, 0, run, device_);
    EXPECT_LT(left.rows.size(), table_.rows.size());
    EXPECT_EQ(kernels_of(left), kernels_of(table_));
    for (const std::string& name : names) {
        EXPECT_EQ(choice(left, name), choice(table_, name)) << name;
    }
    // With the first half of the rows out of the question, the same as of the other half.
    const std::size_t half = table_.rows.size() / 2;
    const auto fewer = without_idle_rows(table_, half, run, device_);
    EXPECT_GE(fewer.rows.size(), std::max(half, left.rows.size()));
    for (std::size_t row = 0; row < half; ++row) {
        EXPECT_EQ(fewer.rows[row].kernel, table_.rows[row].kernel);
    }
    const auto kept = without_idle_rows(table_, table_.rows.size(), run, device_);
    EXPECT_EQ(kept.rows.size(), table_.rows.size()) << "all come before the first one to look at";
}

TEST_P(TableRows, ShapesToLearnAtAreProblemsAndHoldThinAndTinyOnes) {
    bool tiny = false;
    bool thin = false;
    std::set<std::string> ops;
    for (const Shape& shape : related_shapes(device_)) {
        const std::string name = judge::shape_name(shape);
        EXPECT_NO_THROW(rank_shape(judge::parse_shape_name(name), table_, device_)) << name;
        tiny = tiny || (shape.m == 32 && shape.n == 32 && shape.k == 32);
        thin = thin || shape.m == 4 || shape.n == 4;
        ops.insert(name.substr(0, 2));
    }
    EXPECT_TRUE(tiny && thin);
    EXPECT_EQ(ops.size(), 4U);
}

INSTANTIATE_TEST_SUITE_P(Devices, TableRows, ::testing::Values(DeviceType::cpu, DeviceType::gpu));

} // namespace
} // namespace libsgemm::tune
