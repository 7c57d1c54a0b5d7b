// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/opencl.hpp"
#include "support/opencl_handles.hpp"

#include <cstddef>
#include <vector>

namespace sgemm_test {

/// The parts of a device, of one compute unit each, at most as many as asked for; none where it
/// cannot be divided. Contexts, queues and buffers on them must go first: PoCL 3 frees a part with
/// its last reference, and its queues keep none.
std::vector<Owned<cl_device_id>> divide(cl_device_id whole, std::size_t most);

} // namespace sgemm_test
