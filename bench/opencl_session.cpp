// SPDX-License-Identifier: Apache-2.0
#include "opencl_session.hpp"

#include "sgemm/error.hpp"

#include <stdexcept>

namespace libsgemm::bench {

void require_opencl(cl_int status, const char* call) {
    if (status != CL_SUCCESS) {
        throw std::runtime_error(std::string(call) + ": " + opencl_status_name(status));
    }
}

OpenClSession::OpenClSession(const std::string& selector)
    : device_(select_device(selector)),
      calling_thread_device_(libsgemm::calling_thread_device(device_.device)) {
    if (calling_thread_device_ == device_.device) {
        calling_thread_device_ = nullptr;
    }
    std::vector<cl_device_id> devices{device_.device};
    if (calling_thread_device_ != nullptr) {
        devices.push_back(calling_thread_device_);
    }
    const cl_context_properties properties[] = {
        CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(device_.platform), 0};
    cl_int status = CL_SUCCESS;
    context_.reset(clCreateContext(properties, static_cast<cl_uint>(devices.size()), devices.data(),
                                   nullptr, nullptr, &status));
    require_opencl(status, "clCreateContext");
    queue_.reset(make_queue(device_.device));
    if (calling_thread_device_ != nullptr) {
        calling_thread_queue_.reset(make_queue(calling_thread_device_));
    }
}

cl_command_queue OpenClSession::make_queue(cl_device_id device) const {
    cl_int status = CL_SUCCESS;
    cl_command_queue queue = clCreateCommandQueue(context(), device, 0, &status);
    require_opencl(status, "clCreateCommandQueue");
    return queue;
}

void OpenClSession::upload(Operands& operands) {
    if (c_) {
        return;
    }
    a_ = make_buffer(operands.size_a());
    b_ = make_buffer(operands.size_b());
    write(a(), operands.a());
    write(b(), operands.b());
    c_ = make_buffer(operands.size_c());
}

OpenClSession::Buffer OpenClSession::make_buffer(std::int64_t elements) const {
    cl_int status = CL_SUCCESS;
    Buffer buffer(clCreateBuffer(context(), CL_MEM_READ_WRITE,
                                 static_cast<std::size_t>(elements) * sizeof(float), nullptr,
                                 &status));
    require_opencl(status, "clCreateBuffer");
    return buffer;
}

void OpenClSession::finish() const {
    require_opencl(clFinish(queue()), "clFinish");
}

void OpenClSession::write(cl_mem buffer, const std::vector<float>& host) const {
    require_opencl(clEnqueueWriteBuffer(queue(), buffer, CL_TRUE, 0, host.size() * sizeof(float),
                                        host.data(), 0, nullptr, nullptr),
                   "clEnqueueWriteBuffer");
}

void OpenClSession::write_c(const std::vector<float>& host) const {
    write(c(), host);
}

void OpenClSession::read_c(std::vector<float>& host) const {
    require_opencl(clEnqueueReadBuffer(queue(), c(), CL_TRUE, 0, host.size() * sizeof(float),
                                       host.data(), 0, nullptr, nullptr),
                   "clEnqueueReadBuffer");
}

} // namespace libsgemm::bench
