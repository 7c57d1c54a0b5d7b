// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "doors/clblast/gemm_call.hpp"

#include <functional>
#include <optional>

namespace libsgemm::clblast_door {

/// Makes the same call of CLBlast; nothing where there is none.
using Otherwise = std::function<std::optional<StatusCode>()>;

/// Whether it points to a command queue.
bool is_queue(const cl_command_queue* queue) noexcept;

/// Checks, multiplies and maps errors to CLBlast's codes. What the library cannot do, though
/// CLBlast may, is left to `otherwise`. `event` may be null.
StatusCode run(const GemmCall& call, cl_command_queue* queue, cl_event* event,
               const Otherwise& otherwise) noexcept;

} // namespace libsgemm::clblast_door
