// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/device.hpp"
#include "support/opencl_handles.hpp"

namespace sgemm_test {

/// Fills a device's local memory with NaN, so that what a kernel reads there before it has written
/// it shows in the result: else it may find what the kernel before has left, which is often right.
class LocalMemoryPoison {
public:
    LocalMemoryPoison(cl_context context, const libsgemm::DeviceHandle& device);

    /// Enqueues it. On simulators that watch local memory themselves nothing happens.
    void apply(cl_command_queue queue) const;

private:
    std::size_t items_ = 0;
    Owned<cl_mem> sink_;
    Owned<cl_program> program_;
    Owned<cl_kernel> kernel_;
};

} // namespace sgemm_test
