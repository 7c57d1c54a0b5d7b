// SPDX-License-Identifier: Apache-2.0
// "sgemm_tune_tests worker SELECTOR" is a worker that knows the planted kernels.
#include "planted_kernels.hpp"
#include "sgemm/device.hpp"
#include "support/test_device.hpp"
#include "tune/worker.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <string_view>

int main(int argc, char** argv) {
    if (argc == 3 && std::string_view(argv[1]) == "worker") {
        sgemm_test::unleash_planted_kernels();
        return sgemm::tune::serve(sgemm::select_device(argv[2]), sgemm_test::planted_kernels());
    }
    unsetenv("SGEMM_KERNEL");
    unsetenv("SGEMM_TABLE");
    setenv("SGEMM_CACHE", "0", 1); // neither use their compiled kernels nor add to them
    setenv("XDG_DATA_HOME", "/nonexistent", 1);
    ::testing::InitGoogleTest(&argc, argv);
    sgemm_test::TestDevice::register_environment();
    return RUN_ALL_TESTS();
}
