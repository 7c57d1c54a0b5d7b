// SPDX-License-Identifier: Apache-2.0
#include "sgemm/version.hpp"

#define SGEMM_TEXT_OF(x) #x
#define SGEMM_TEXT(x) SGEMM_TEXT_OF(x)

namespace libsgemm {

const char* version() noexcept {
    return SGEMM_TEXT(SGEMM_VERSION_MAJOR) "." SGEMM_TEXT(SGEMM_VERSION_MINOR) "." SGEMM_TEXT(
        SGEMM_VERSION_PATCH);
}

} // namespace libsgemm
