// SPDX-License-Identifier: Apache-2.0
// Where OpenCL has no driver: in a process of its own, as a loader looks for drivers once.
#include "sgemm/device.hpp"
#include "sgemm/error.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <iostream>

namespace sgemm_test {
namespace {

[[noreturn]] void select_without_a_driver(const char* wanted) {
    setenv("OCL_ICD_VENDORS", "/nonexistent", 1); // NOLINT(concurrency-mt-unsafe): no other thread
    if (wanted != nullptr) {
        setenv("SGEMM_DEVICE", wanted, 1); // NOLINT(concurrency-mt-unsafe)
    }
    try {
        libsgemm::select_device();
        std::cerr << "there is a device";
    } catch (const libsgemm::ArgumentError& error) {
        std::cerr << error.what();
    }
    std::_Exit(0);
}

TEST(SelectDeviceDeathTest, SaysHowToGetADevice) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(select_without_a_driver(nullptr), ::testing::ExitedWithCode(0),
                "no OpenCL device.*apt install pocl-opencl-icd.*clinfo --list");
    EXPECT_EXIT(select_without_a_driver("gpu"), ::testing::ExitedWithCode(0),
                "SGEMM_DEVICE: there is no OpenCL device.*is gpu");
}

} // namespace
} // namespace sgemm_test
