// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge/operands.hpp"
#include "sgemm/device.hpp"
#include "sgemm/opencl.hpp"

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace libsgemm::bench {

using judge::Operands;

/// Throws std::runtime_error "CALL: CL_STATUS".
void require_opencl(cl_int status, const char* call);

template <typename Handle, cl_int (*Function)(Handle)>
struct Release {
    void operator()(Handle handle) const { Function(handle); }
};
template <typename Handle, cl_int (*Function)(Handle)>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Release<Handle, Function>>;

/// The device under test: one context, one in-order queue and one A, B and C for all OpenCL
/// implementations, so that they compute on the very same memory. Where its platform has a device
/// that computes in the calling thread, that one is in the context, too.
class OpenClSession {
public:
    /// Throws libsgemm::Error where no device fits the selector.
    explicit OpenClSession(const std::string& selector);

    const DeviceHandle& device() const { return device_; }
    cl_context context() const { return context_.get(); }
    cl_command_queue queue() const { return queue_.get(); }

    /// Null where there is none.
    cl_device_id calling_thread_device() const { return calling_thread_device_; }
    cl_command_queue calling_thread_queue() const { return calling_thread_queue_.get(); }

    /// Makes the buffers and uploads A and B, the first time.
    void upload(Operands& operands);
    cl_mem a() const { return a_.get(); }
    cl_mem b() const { return b_.get(); }
    cl_mem c() const { return c_.get(); }

    void finish() const;
    void write_c(const std::vector<float>& host) const;
    void read_c(std::vector<float>& host) const;

private:
    cl_command_queue make_queue(cl_device_id device) const;
    using Buffer = Owned<cl_mem, clReleaseMemObject>;
    Buffer make_buffer(std::int64_t elements) const;
    void write(cl_mem buffer, const std::vector<float>& host) const;

    DeviceHandle device_;
    Owned<cl_context, clReleaseContext> context_;
    Owned<cl_command_queue, clReleaseCommandQueue> queue_;
    cl_device_id calling_thread_device_ = nullptr;
    Owned<cl_command_queue, clReleaseCommandQueue> calling_thread_queue_;
    Buffer a_, b_, c_;
};

} // namespace libsgemm::bench
