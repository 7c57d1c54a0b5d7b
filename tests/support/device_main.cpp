// SPDX-License-Identifier: Apache-2.0
#include "support/test_device.hpp"

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

/// What the tests assert must not depend on the caller's own settings.
void forget_user_settings() {
    unsetenv("SGEMM_KERNEL");
    unsetenv("SGEMM_TABLE");
    setenv("SGEMM_CACHE", "0", 1); // neither use their compiled kernels nor add to them
    setenv("XDG_DATA_HOME", "/nonexistent", 1); // where a table of their own would be
}

} // namespace

int main(int argc, char** argv) {
    set_number_of_random_cases();
    forget_user_settings();
    ::testing::InitGoogleTest(&argc, argv);
    sgemm_test::TestDevice::register_environment();
    return RUN_ALL_TESTS();
}
