// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/handles.hpp"
#include "doors/blas/gemm_call.hpp"
#include "sgemm/context.hpp"

#include <cstddef>

namespace libsgemm::blas {

/// A device buffer that grows to what is asked of it.
class GrowingBuffer {
public:
    /// The buffer, with room for that many floats; what it held may be lost. Throws OpenClError.
    cl_mem with_room_for(cl_context context, std::size_t floats);

private:
    device::BufferHandle buffer_;
    std::size_t floats_ = 0;
};

/// What one call at a time needs: an in-order queue and a buffer for each operand.
class Lane {
public:
    /// Throws OpenClError.
    explicit Lane(const Context& library);

    /// Copies the operands to the device, multiplies, copies C back, and returns when that is done.
    /// Throws Error; host memory is not accessed any more then, and as it was, but for a C that
    /// beta == 0 has overwritten.
    void multiply(const GemmCall& call);

private:
    void enqueue(const GemmCall& call);

    const Context& library_;
    device::QueueHandle queue_;
    GrowingBuffer a_, b_, c_;
};

} // namespace libsgemm::blas
