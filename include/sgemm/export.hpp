// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/export.h" // IWYU pragma: export
