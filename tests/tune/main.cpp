// SPDX-License-Identifier: Apache-2.0
// "sgemm_tune_tests worker SELECTOR" is a worker that knows the planted kernels,
// "sgemm_tune_tests worker_of_new_kernel SELECTOR" one that knows the new kernel.
#include "new_kernel.hpp"
#include "planted_kernels.hpp"
#include "sgemm/device.hpp"
#include "support/test_device.hpp"
#include "support/user_settings.hpp"
#include "tune/worker/worker.hpp"

#include <gtest/gtest.h>
#include <string_view>

int main(int argc, char** argv) {
    if (argc == 3 && std::string_view(argv[1]) == "worker") {
        sgemm_test::unleash_planted_kernels();
        return libsgemm::tune::serve(libsgemm::select_device(argv[2]),
                                     sgemm_test::planted_kernels());
    }
    if (argc == 3 && std::string_view(argv[1]) == "worker_of_new_kernel") {
        return libsgemm::tune::serve(libsgemm::select_device(argv[2]),
                                     sgemm_test::catalog_with_new_kernel());
    }
    sgemm_test::forget_user_settings();
    ::testing::InitGoogleTest(&argc, argv);
    sgemm_test::TestDevice::register_environment();
    return RUN_ALL_TESTS();
}
