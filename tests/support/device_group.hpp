// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/multi_device.hpp"
#include "support/case.hpp"
#include "support/host_matrix.hpp"
#include "support/opencl_handles.hpp"

#include <vector>

namespace sgemm_test {

/// A context of several devices with a queue for each, and cases that run on them.
class DeviceGroupRunner {
public:
    /// The devices must outlive it.
    explicit DeviceGroupRunner(const std::vector<cl_device_id>& devices);

    cl_context context() const { return context_.get(); }
    const std::vector<cl_command_queue>& queues() const { return raw_queues_; }
    Owned<cl_mem> upload(const HostMatrix& host) const;
    /// Runs a case and compares all of C's memory. Whether more than one device had a share.
    bool run(const libsgemm::MultiDevice& group, const Case& c,
             libsgemm::Completion completion = libsgemm::Completion::event) const;

private:
    Owned<cl_context> context_;
    std::vector<Owned<cl_command_queue>> queues_;
    std::vector<cl_command_queue> raw_queues_;
};

} // namespace sgemm_test
