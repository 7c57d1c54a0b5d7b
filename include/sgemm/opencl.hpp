// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/opencl.h" // IWYU pragma: export
