// SPDX-License-Identifier: Apache-2.0
#include "compile/program.hpp"

#include <new>
#include <utility>

namespace sgemm::compile {

Program::Program(device::ProgramHandle program, std::string function)
    : program_(std::move(program)), function_(std::move(function)) {
    idle_.push_back(take()); // a missing function shows here, not at the first launch
}

std::size_t Program::max_work_group_size(cl_device_id device) const {
    const Lease kernel(*this);
    std::size_t size = 0;
    device::check(clGetKernelWorkGroupInfo(kernel.get(), device, CL_KERNEL_WORK_GROUP_SIZE,
                                           sizeof size, &size, nullptr),
                  "clGetKernelWorkGroupInfo");
    return size;
}

device::KernelHandle Program::take() const {
    {
        const std::lock_guard lock(mutex_);
        if (!idle_.empty()) {
            device::KernelHandle kernel = std::move(idle_.back());
            idle_.pop_back();
            return kernel;
        }
    }
    cl_int status = CL_SUCCESS;
    device::KernelHandle kernel(clCreateKernel(program_.get(), function_.c_str(), &status));
    device::check(status, "clCreateKernel");
    return kernel;
}

void Program::give_back(device::KernelHandle kernel) const noexcept {
    try {
        const std::lock_guard lock(mutex_);
        idle_.push_back(std::move(kernel));
    } catch (const std::bad_alloc&) { // NOLINT(bugprone-empty-catch): the kernel is released instead
    }
}

Program::Lease::Lease(const Program& program) : program_(program), kernel_(program.take()) {}

Program::Lease::~Lease() {
    program_.give_back(std::move(kernel_));
}

} // namespace sgemm::compile
