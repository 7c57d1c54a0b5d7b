// SPDX-License-Identifier: Apache-2.0
#include "support/test_device.hpp"
#include "support/user_settings.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

namespace {

/// RapidCheck reads RC_PARAMS, which wins if it is set; SGEMM_TEST_CASES is the usual knob. 300
/// cases a property suit continuous integration.
void set_number_of_random_cases() {
    const char* cases = std::getenv("SGEMM_TEST_CASES");
    const std::string parameters = std::string("max_success=") + (cases ? cases : "300");
    setenv("RC_PARAMS", parameters.c_str(), 0);
}

} // namespace

int main(int argc, char** argv) {
    set_number_of_random_cases();
    sgemm_test::forget_user_settings();
    ::testing::InitGoogleTest(&argc, argv);
    sgemm_test::TestDevice::register_environment();
    return RUN_ALL_TESTS();
}
