// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/export.hpp"

#define SGEMM_VERSION_MAJOR 0
#define SGEMM_VERSION_MINOR 1
#define SGEMM_VERSION_PATCH 0

namespace sgemm {

/// Version of the library that runs, e.g. "0.1.0" (the macros give the one compiled against).
SGEMM_API const char* version() noexcept;

} // namespace sgemm
