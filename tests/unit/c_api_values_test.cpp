// SPDX-License-Identifier: Apache-2.0
// What C leaves open stays open: the environment says it, or else the library.
#include "doors/c/convert.hpp"

#include <gtest/gtest.h>

namespace sgemm_test {
namespace {

using libsgemm::c_api::context_options_of;
using libsgemm::c_api::problem_of;

TEST(CApiValues, DiskCacheIsOffOrOpenOrOn) {
    EXPECT_EQ(context_options_of(nullptr).disk_cache.enabled, std::nullopt);
    sgemm_context_options options = SGEMM_CONTEXT_OPTIONS_INIT;
    EXPECT_EQ(context_options_of(&options).disk_cache.enabled, std::nullopt);
    options.disk_cache = 0;
    EXPECT_EQ(context_options_of(&options).disk_cache.enabled, false);
    options.disk_cache = 2;
    EXPECT_EQ(context_options_of(&options).disk_cache.enabled, true);
}

TEST(CApiValues, PrecisionIsOpenUnlessItIsSet) {
    sgemm_problem problem = SGEMM_PROBLEM_INIT;
    EXPECT_EQ(problem_of(&problem).precision, libsgemm::Precision::automatic);
    problem.precision = SGEMM_STRICT;
    EXPECT_EQ(problem_of(&problem).precision, libsgemm::Precision::strict);
    problem.precision = SGEMM_EMULATED;
    EXPECT_EQ(problem_of(&problem).precision, libsgemm::Precision::emulated);
}

} // namespace
} // namespace sgemm_test
