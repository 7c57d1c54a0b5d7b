// SPDX-License-Identifier: Apache-2.0
#include "support/device_matrix.hpp"

#include <algorithm>

namespace sgemm_test {

Owned<cl_mem> upload(cl_context context, const std::vector<float>& values) {
    cl_int status = CL_SUCCESS;
    Owned<cl_mem> buffer(clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                        values.size() * sizeof(float),
                                        const_cast<float*>(values.data()), &status));
    check_status(status, "clCreateBuffer");
    return buffer;
}

Owned<cl_mem> upload(const TestDevice& device, const std::vector<float>& values) {
    return upload(device.context(), values);
}

Owned<cl_mem> make_part(cl_mem whole, std::size_t first, std::size_t size) {
    const cl_buffer_region region{first * sizeof(float), size * sizeof(float)};
    cl_int status = CL_SUCCESS;
    Owned<cl_mem> part(clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status));
    check_status(status, "clCreateSubBuffer");
    return part;
}

namespace {

/// A sub-buffer must start at a multiple of the device's alignment.
std::size_t guard_size(const TestDevice& device) {
    const auto bytes = std::max<std::int64_t>(1024, device.handle().traits.base_alignment_bytes);
    return static_cast<std::size_t>(bytes) / sizeof(float);
}

bool all_guards(const float* first, std::size_t count) {
    return std::all_of(first, first + count, [](float x) { return same_bits(x, guard_value); });
}

} // namespace

DeviceMatrix::DeviceMatrix(const TestDevice& device, const HostMatrix& host, Guards guards)
    : offset_(host.offset()), size_(host.image().size()),
      guard_(guards == Guards::around ? guard_size(device) : 0) {
    std::vector<float> contents(size_ + 2 * guard_, guard_value);
    std::copy(host.image().begin(), host.image().end(),
              contents.begin() + static_cast<std::ptrdiff_t>(guard_));
    whole_ = upload(device, contents);
    if (guard_ > 0) {
        part_ = make_part(whole_.get(), guard_, size_);
    }
}

libsgemm::Matrix DeviceMatrix::matrix() const {
    return {part_ ? part_.get() : whole_.get(), offset_};
}

void DeviceMatrix::download(cl_command_queue queue) {
    std::vector<float> contents(size_ + 2 * guard_);
    // A queue may be out-of-order: wait for all of it, not only for the read.
    check_status(clFinish(queue), "clFinish");
    check_status(clEnqueueReadBuffer(queue, whole_.get(), CL_TRUE, 0,
                                     contents.size() * sizeof(float), contents.data(), 0, nullptr,
                                     nullptr),
                 "clEnqueueReadBuffer");
    guards_intact_ =
        all_guards(contents.data(), guard_) && all_guards(contents.data() + guard_ + size_, guard_);
    const auto first = contents.begin() + static_cast<std::ptrdiff_t>(guard_);
    image_.assign(first, first + static_cast<std::ptrdiff_t>(size_));
}

} // namespace sgemm_test
