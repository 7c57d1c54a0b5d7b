// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/export.hpp"
#include "sgemm/version.h" // IWYU pragma: export

namespace libsgemm {

/// Version of the library that runs, e.g. "0.1.0" (the macros give the one compiled against).
SGEMM_API const char* version() noexcept;

} // namespace libsgemm
