// SPDX-License-Identifier: Apache-2.0
// Objects of our own on a device. Folders that use this header define
// CL_USE_DEPRECATED_OPENCL_1_2_APIS: the OpenCL 1.2 way to make a queue works everywhere.
#pragma once

#include "device/handles.hpp"
#include "sgemm/device.hpp"

namespace libsgemm::device {

/// A context of one device; throws OpenClError.
inline ContextHandle make_context(const DeviceHandle& device) {
    const cl_context_properties properties[] = {
        CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(device.platform), 0};
    cl_int status = CL_SUCCESS;
    ContextHandle context(
        clCreateContext(properties, 1, &device.device, nullptr, nullptr, &status));
    check(status, "clCreateContext");
    return context;
}

/// An in-order queue; throws OpenClError.
inline QueueHandle make_queue(cl_context context, cl_device_id device,
                              cl_command_queue_properties properties = 0) {
    cl_int status = CL_SUCCESS;
    QueueHandle queue(clCreateCommandQueue(context, device, properties, &status));
    check(status, "clCreateCommandQueue");
    return queue;
}

} // namespace libsgemm::device
