// SPDX-License-Identifier: Apache-2.0
#include "print.hpp"
#include "sgemm/context.hpp"

#include <memory>
#include <ostream>
#include <type_traits>

namespace info {
namespace {

struct ReleaseContext {
    void operator()(cl_context context) const { clReleaseContext(context); }
};
using ContextHandle = std::unique_ptr<std::remove_pointer_t<cl_context>, ReleaseContext>;

ContextHandle make_context(cl_device_id device) {
    cl_int status = CL_SUCCESS;
    ContextHandle context(clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status));
    if (status != CL_SUCCESS)
        throw libsgemm::OpenClError("clCreateContext", status);
    return context;
}

} // namespace

void print_plan(const Options& options, std::ostream& out) {
    const libsgemm::DeviceHandle device = libsgemm::select_device(options.device);
    const ContextHandle context = make_context(device.device);
    // For what is left open the environment counts, as in a program.
    libsgemm::ContextOptions settings;
    settings.expert = std::make_shared<libsgemm::ExpertPlanOptions>(options.choice);
    const libsgemm::Context library(context.get(), device.device, settings);
    out << device.traits.name << " (" << device.selector << ")\n"
        << library.plan(options.problem).describe() << '\n';
}

} // namespace info
