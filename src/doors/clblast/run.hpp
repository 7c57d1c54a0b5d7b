// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "doors/clblast/gemm_call.hpp"

#include <functional>

namespace libsgemm::clblast {

/// Checks, multiplies and maps errors to CLBlast's codes. What the library cannot do, though
/// CLBlast may, is left to `otherwise`; empty: there is no CLBlast. `event` may be null.
StatusCode run(const GemmCall& call, cl_command_queue* queue, cl_event* event,
               const std::function<StatusCode()>& otherwise) noexcept;

} // namespace libsgemm::clblast
