// SPDX-License-Identifier: Apache-2.0
#include "support/test_device.hpp"

#include "sgemm/expert.hpp"

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace sgemm_test {
namespace {

struct Found {
    std::unique_ptr<TestDevice> device;
    std::string obstacle = "the test environment was not set up";
};

Found& found() {
    static Found instance;
    return instance;
}

/// Oclgrind 21.10 reports as uninitialised what kernels wrote to a buffer that was made where a
/// workspace was released: there the workspace is to be as large as any from the beginning.
void grow_workspace(const TestDevice& device) {
    libsgemm::Problem problem; // A is padded, and much larger than the rest
    problem.m = problem.k = 250;
    problem.n = 3;
    libsgemm::ExpertPlanOptions options;
    options.kernel = "02_local_memory_tiles";
    options.edges = libsgemm::EdgeStrategy::padding;
    cl_int status = CL_SUCCESS;
    const std::vector<float> ones(250 * 250, 1.0F);
    const Owned<cl_mem> all(clCreateBuffer(
        device.context(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, ones.size() * sizeof(float),
        const_cast<float*>(ones.data()), &status)); // NOLINT: OpenCL only reads it
    check_status(status, "clCreateBuffer");
    const Owned<cl_mem> c(clCreateBuffer(device.context(), CL_MEM_WRITE_ONLY,
                                         250 * 3 * sizeof(float), nullptr, &status));
    check_status(status, "clCreateBuffer");
    device.library()
        .plan(problem, options)
        .enqueue(device.queue(), 1, {all.get()}, {all.get()}, 0, {c.get()})
        .wait();
}

/// Not a static destructor: OpenCL platforms may already be gone when those run.
class DeviceEnvironment : public ::testing::Environment {
public:
    void SetUp() override {
        try {
            found().device = std::make_unique<TestDevice>(libsgemm::select_device());
            if (found().device->handle().traits.name.starts_with("Oclgrind")) {
                grow_workspace(*found().device);
            }
        } catch (const libsgemm::Error& error) {
            found().obstacle = error.what();
        }
    }
    void TearDown() override { found().device.reset(); }
};

bool device_is_required() {
    const char* required = std::getenv("SGEMM_REQUIRE_DEVICE");
    return required != nullptr && std::string(required) == "1";
}

} // namespace

TestDevice::TestDevice(const libsgemm::DeviceHandle& handle)
    : handle_(handle), context_(make_context()), queue_(make_queue()),
      library_(context_.get(), handle_.device), local_memory_poison_(context_.get(), handle) {}

Owned<cl_context> TestDevice::make_context() const {
    const cl_context_properties properties[] = {
        CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(handle_.platform), 0};
    cl_int status = CL_SUCCESS;
    Owned<cl_context> context(
        clCreateContext(properties, 1, &handle_.device, nullptr, nullptr, &status));
    check_status(status, "clCreateContext");
    return context;
}

Owned<cl_command_queue> TestDevice::make_queue(cl_command_queue_properties properties) const {
    cl_int status = CL_SUCCESS;
    // The OpenCL 1.2 call: it is there on every device.
    Owned<cl_command_queue> queue(
        clCreateCommandQueue(context_.get(), handle_.device, properties, &status));
    check_status(status, "clCreateCommandQueue");
    return queue;
}

bool TestDevice::has_out_of_order_queues() const {
    cl_command_queue_properties properties = 0;
    check_status(clGetDeviceInfo(handle_.device, CL_DEVICE_QUEUE_PROPERTIES, sizeof properties,
                                 &properties, nullptr),
                 "clGetDeviceInfo");
    return (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
}

libsgemm::Context TestDevice::make_library(const libsgemm::ContextOptions& options) const {
    return {context_.get(), handle_.device, options};
}

const TestDevice& TestDevice::get() {
    return *found().device;
}

void TestDevice::register_environment() {
    ::testing::AddGlobalTestEnvironment(new DeviceEnvironment); // GoogleTest owns it
}

void DeviceTest::SetUp() {
    if (found().device) {
        return;
    }
    ASSERT_FALSE(device_is_required()) << "no OpenCL device: " << found().obstacle;
    GTEST_SKIP() << "no OpenCL device: " << found().obstacle;
}

} // namespace sgemm_test
