// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/opencl.hpp"

#include <cstddef>
#include <vector>

namespace sgemm_test {

/// The parts of a device, of one compute unit each, at most as many as asked for; none where it
/// cannot be divided. They are the same for each call, and never released: PoCL 3 frees a part with
/// its last reference although its threads still look at it when they let go of the last event.
/// Not for several threads.
std::vector<cl_device_id> divide(cl_device_id whole, std::size_t most);

} // namespace sgemm_test
