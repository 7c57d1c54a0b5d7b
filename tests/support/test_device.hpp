// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/context.hpp"
#include "sgemm/device.hpp"
#include "support/local_memory.hpp"
#include "support/opencl_handles.hpp"

#include <gtest/gtest.h>

namespace sgemm_test {

/// The device under test, as libsgemm::select_device() picks it, with an OpenCL context, an
/// in-order queue and a library Context that all tests of the process share: what one test compiled
/// the others need not.
class TestDevice {
public:
    explicit TestDevice(const libsgemm::DeviceHandle& handle);

    const libsgemm::DeviceHandle& handle() const { return handle_; }
    cl_context context() const { return context_.get(); }
    cl_command_queue queue() const { return queue_.get(); }
    const libsgemm::Context& library() const { return library_; }
    const LocalMemoryPoison& local_memory_poison() const { return local_memory_poison_; }

    Owned<cl_context> make_context() const;
    Owned<cl_command_queue> make_queue(cl_command_queue_properties properties = 0) const;
    bool has_out_of_order_queues() const;
    /// A library Context of its own, for tests that count what it does.
    libsgemm::Context make_library(const libsgemm::ContextOptions& options = {}) const;

    /// The process's device. Only in tests of a DeviceTest fixture.
    static const TestDevice& get();
    /// Finds the device before the first test and lets go of it after the last one. To be called
    /// once, by main().
    static void register_environment();

private:
    libsgemm::DeviceHandle handle_;
    Owned<cl_context> context_;
    Owned<cl_command_queue> queue_;
    libsgemm::Context library_;
    LocalMemoryPoison local_memory_poison_;
};

/// Base of every device test. Without a device the test is skipped, or fails where
/// SGEMM_REQUIRE_DEVICE=1 says that there must be one.
class DeviceTest : public ::testing::Test {
protected:
    void SetUp() override;
    const TestDevice& device() const { return TestDevice::get(); }
    const libsgemm::Context& library() const { return device().library(); }
    cl_command_queue queue() const { return device().queue(); }
};

} // namespace sgemm_test
