// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/opencl.hpp"

namespace libsgemm::device {

/// Whether memory or another resource is missing that a later call may find, unlike a mistake in a
/// kernel.
inline bool is_shortage(cl_int status) {
    return status == CL_OUT_OF_HOST_MEMORY || status == CL_OUT_OF_RESOURCES ||
           status == CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

} // namespace libsgemm::device
