// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/context.hpp"
#include "sgemm/opencl.h"

namespace libsgemm::clblast {

/// The Context of a queue's cl_context and device. It is kept, and so is the cl_context, for later
/// calls: those of the last eight pairs. Any thread may call. Throws as Context's constructor, and
/// OpenClError for what is no queue.
Context context_of(cl_command_queue queue);

} // namespace libsgemm::clblast
