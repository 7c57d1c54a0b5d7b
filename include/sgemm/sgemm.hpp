// SPDX-License-Identifier: Apache-2.0
#pragma once

/// libsgemm: single-precision C = alpha*op(A)*op(B) + beta*C on any OpenCL device.
/// Start at libsgemm::gemm() (gemm.hpp), or at libsgemm::Context (context.hpp) and
/// libsgemm::Problem (problem.hpp).

#include "sgemm/context.hpp"       // IWYU pragma: export
#include "sgemm/device.hpp"        // IWYU pragma: export
#include "sgemm/error.hpp"         // IWYU pragma: export
#include "sgemm/event.hpp"         // IWYU pragma: export
#include "sgemm/gemm.hpp"          // IWYU pragma: export
#include "sgemm/kernels.hpp"       // IWYU pragma: export
#include "sgemm/multi_device.hpp"  // IWYU pragma: export
#include "sgemm/packed_matrix.hpp" // IWYU pragma: export
#include "sgemm/plan.hpp"          // IWYU pragma: export
#include "sgemm/problem.hpp"       // IWYU pragma: export
#include "sgemm/version.hpp"       // IWYU pragma: export
