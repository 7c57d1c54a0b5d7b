// SPDX-License-Identifier: Apache-2.0
// The struct of a launch's numbers has the layout that OpenCL C gives the kernel's: that of C++,
// for the same members.
#include "execute/numbers.hpp"

#include <cstddef>
#include <cstring>
#include <gtest/gtest.h>
#include <stdexcept>

namespace libsgemm::execute {
namespace {

template <class Value>
Value value_at(const Numbers& numbers, std::size_t offset) {
    Value value;
    std::memcpy(&value, static_cast<const std::byte*>(numbers.data()) + offset, sizeof value);
    return value;
}

TEST(Numbers, HaveTheLayoutOfAStruct) {
    struct Layout {
        cl_long m;
        cl_float alpha;
        cl_float beta;
        cl_long offset;
        cl_float one;
        cl_long ld;
        cl_float last;
    };
    Numbers numbers;
    numbers.append(cl_long{-1});
    numbers.append(cl_float{2});
    numbers.append(cl_float{3});
    numbers.append(cl_long{1} << 40);
    numbers.append(cl_float{5});
    numbers.append(cl_long{6});
    numbers.append(cl_float{7});

    EXPECT_EQ(numbers.size(), sizeof(Layout));
    EXPECT_EQ(value_at<cl_long>(numbers, offsetof(Layout, m)), -1);
    EXPECT_EQ(value_at<cl_float>(numbers, offsetof(Layout, alpha)), 2.0F);
    EXPECT_EQ(value_at<cl_float>(numbers, offsetof(Layout, beta)), 3.0F);
    EXPECT_EQ(value_at<cl_long>(numbers, offsetof(Layout, offset)), cl_long{1} << 40);
    EXPECT_EQ(value_at<cl_float>(numbers, offsetof(Layout, one)), 5.0F);
    EXPECT_EQ(value_at<cl_long>(numbers, offsetof(Layout, ld)), 6);
    EXPECT_EQ(value_at<cl_float>(numbers, offsetof(Layout, last)), 7.0F);
}

TEST(Numbers, WhatIsBetweenThemIsZero) { // equal calls pass equal bytes
    Numbers numbers;
    numbers.append(cl_float{1});
    numbers.append(cl_long{2});
    EXPECT_EQ(value_at<cl_int>(numbers, sizeof(cl_float)), 0);
}

TEST(Numbers, MoreThanTheStructHoldsAreAnError) {
    Numbers numbers;
    for (int i = 0; i < 64; ++i) {
        numbers.append(cl_long{i});
    }
    EXPECT_EQ(numbers.size(), 512U);
    EXPECT_THROW(numbers.append(cl_float{0}), std::length_error);
    EXPECT_EQ(numbers.size(), 512U);
}

} // namespace
} // namespace libsgemm::execute
