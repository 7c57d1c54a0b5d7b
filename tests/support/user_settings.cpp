// SPDX-License-Identifier: Apache-2.0
#include "support/user_settings.hpp"

#include <cstdlib>

namespace sgemm_test {

void forget_user_settings() {
    for (const char* variable :
         {"SGEMM_BLAS_HOST", "SGEMM_BLAS_THRESHOLD", "SGEMM_CACHE_DIR", "SGEMM_CACHE_MIB",
          "SGEMM_CALLER_THREADS", "SGEMM_FIRST_USE", "SGEMM_KERNEL", "SGEMM_PRECISION",
          "SGEMM_RECORD", "SGEMM_TABLE", "SGEMM_TRACE"}) {
        unsetenv(variable);
    }
    setenv("SGEMM_CACHE", "0", 1); // neither use their compiled kernels nor add to them
    setenv("XDG_DATA_HOME", "/dev/null/none", 1); // where a table of their own would be
    if (const char* const table = std::getenv("SGEMM_TEST_TABLE")) {
        setenv("SGEMM_TABLE", table, 1);
    }
}

} // namespace sgemm_test
