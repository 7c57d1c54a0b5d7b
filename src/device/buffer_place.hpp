// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/query.hpp"

#include <cstddef>

namespace libsgemm::device {

/// Where a buffer's memory is.
struct BufferPlace {
    cl_mem root = nullptr;  ///< the parent of a sub-buffer, else the buffer itself
    std::size_t origin = 0; ///< in `root`, bytes
};

/// Throws OpenClError.
inline BufferPlace place_of(cl_mem buffer) {
    auto* const parent =
        get<cl_mem>(clGetMemObjectInfo, buffer, CL_MEM_ASSOCIATED_MEMOBJECT, "clGetMemObjectInfo");
    if (parent == nullptr) {
        return {buffer, 0};
    }
    return {parent,
            get<std::size_t>(clGetMemObjectInfo, buffer, CL_MEM_OFFSET, "clGetMemObjectInfo")};
}

} // namespace libsgemm::device
