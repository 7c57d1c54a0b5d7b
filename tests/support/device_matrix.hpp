// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/problem.hpp"
#include "support/host_matrix.hpp"
#include "support/test_device.hpp"

#include <vector>

namespace sgemm_test {

/// A buffer with these values.
Owned<cl_mem> upload(cl_context context, const std::vector<float>& values);
Owned<cl_mem> upload(const TestDevice& device, const std::vector<float>& values);
/// A sub-buffer; elements.
Owned<cl_mem> make_part(cl_mem whole, std::size_t first, std::size_t size);

/// Whether a stray access just outside a buffer is caught by guards around it, or left to a tool
/// that watches every access.
enum class Guards : bool { none, around };

/// A host matrix in device memory. With guards around it the library sees a sub-buffer that ends
/// with the matrix's last element, inside a buffer whose other contents are known.
class DeviceMatrix {
public:
    DeviceMatrix(const TestDevice& device, const HostMatrix& host, Guards guards = Guards::around);

    libsgemm::Matrix matrix() const;
    /// Reads all of it, once everything before it in `queue` has completed.
    void download(cl_command_queue queue);
    /// As downloaded.
    const std::vector<float>& image() const { return image_; }
    bool guards_intact() const { return guards_intact_; }

private:
    std::int64_t offset_;
    std::size_t size_;  ///< elements of the sub-buffer
    std::size_t guard_; ///< elements on either side of it
    std::vector<float> image_;
    bool guards_intact_ = true;
    Owned<cl_mem> whole_;
    Owned<cl_mem> part_; ///< null without guards
};

} // namespace sgemm_test
