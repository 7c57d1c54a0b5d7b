// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/error.hpp"
#include "sgemm/opencl.hpp"

#include <memory>
#include <type_traits>

namespace sgemm_test {

struct Release {
    void operator()(cl_mem handle) const noexcept { clReleaseMemObject(handle); }
    void operator()(cl_context handle) const noexcept { clReleaseContext(handle); }
    void operator()(cl_command_queue handle) const noexcept { clReleaseCommandQueue(handle); }
    void operator()(cl_event handle) const noexcept { clReleaseEvent(handle); }
    void operator()(cl_program handle) const noexcept { clReleaseProgram(handle); }
    void operator()(cl_kernel handle) const noexcept { clReleaseKernel(handle); }
    void operator()(cl_device_id handle) const noexcept { clReleaseDevice(handle); }
};

/// Owns one reference to an OpenCL object.
template <typename Handle>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Release>;

inline void check_status(cl_int status, const char* call) {
    if (status != CL_SUCCESS) {
        throw libsgemm::OpenClError(call, status);
    }
}

/// Throws OpenClError, as all of these.
inline Owned<cl_event> make_user_event(cl_context context) {
    cl_int status = CL_SUCCESS;
    Owned<cl_event> event(clCreateUserEvent(context, &status));
    check_status(status, "clCreateUserEvent");
    return event;
}

inline void complete(const Owned<cl_event>& user_event) {
    check_status(clSetUserEventStatus(user_event.get(), CL_COMPLETE), "clSetUserEventStatus");
}

inline cl_int status_of(cl_event event) {
    cl_int status = CL_SUCCESS;
    check_status(
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr),
        "clGetEventInfo");
    return status;
}

} // namespace sgemm_test
