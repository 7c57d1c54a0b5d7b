// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/error.hpp"
#include "sgemm/opencl.hpp"

#include <utility>

namespace libsgemm::device {

/// Throws OpenClError unless `status` is CL_SUCCESS.
inline void check(cl_int status, const char* call) {
    if (status != CL_SUCCESS) {
        throw OpenClError(call, status);
    }
}

/// Owns one reference to an OpenCL object.
template <class T, auto Retain, auto Release>
class Handle {
public:
    Handle() noexcept = default;
    explicit Handle(T owned) noexcept : object_(owned) {}
    static Handle retained(T object) {
        if (object != nullptr) {
            check(Retain(object), "clRetain");
        }
        return Handle(object);
    }
    /// Throws OpenClError: a reference that was not got must not be given back.
    Handle(const Handle& other) : Handle(retained(other.object_)) {}
    Handle(Handle&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Handle& operator=(Handle other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~Handle() {
        if (object_ != nullptr) {
            Release(object_);
        }
    }

    T get() const noexcept { return object_; }
    T release() noexcept { return std::exchange(object_, nullptr); }
    explicit operator bool() const noexcept { return object_ != nullptr; }

private:
    T object_ = nullptr;
};

using ContextHandle = Handle<cl_context, clRetainContext, clReleaseContext>;
using QueueHandle = Handle<cl_command_queue, clRetainCommandQueue, clReleaseCommandQueue>;
using ProgramHandle = Handle<cl_program, clRetainProgram, clReleaseProgram>;
using KernelHandle = Handle<cl_kernel, clRetainKernel, clReleaseKernel>;
using BufferHandle = Handle<cl_mem, clRetainMemObject, clReleaseMemObject>;
using EventHandle = Handle<cl_event, clRetainEvent, clReleaseEvent>;

} // namespace libsgemm::device
