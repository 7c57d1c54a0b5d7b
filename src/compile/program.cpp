// SPDX-License-Identifier: Apache-2.0
#include "compile/program.hpp"

#include <new>
#include <utility>

namespace libsgemm::compile {

Program::Program(device::ProgramHandle program, std::string function, std::uint64_t identity,
                 bool in_calling_thread)
    : program_(std::move(program)), function_(std::move(function)), identity_(identity),
      in_calling_thread_(in_calling_thread) {
    idle_[0].push_back(take(0)); // a missing function shows here, not at the first launch
}

bool Program::allows_work_group(const std::array<std::size_t, 3>& local,
                                cl_device_id device) const {
    const Lease kernel(*this);
    const auto query = [&](cl_kernel_work_group_info which, std::size_t bytes, void* value) {
        device::check(clGetKernelWorkGroupInfo(kernel.get(), device, which, bytes, value, nullptr),
                      "clGetKernelWorkGroupInfo");
    };
    // Asked first: NVIDIA's driver answers 256 to the second question whatever was required.
    std::array<std::size_t, 3> compiled_for{};
    query(CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof compiled_for, compiled_for.data());
    if (compiled_for[0] != 0) {
        return compiled_for == local;
    }
    std::size_t most = 0;
    query(CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most);
    return local[0] * local[1] * local[2] <= most;
}

KernelObject Program::take(Pointers pointers) const {
    {
        const std::lock_guard lock(mutex_);
        std::vector<KernelObject>& idle = idle_[pointers];
        if (!idle.empty()) {
            KernelObject kernel = std::move(idle.back());
            idle.pop_back();
            return kernel;
        }
    }
    cl_int status = CL_SUCCESS;
    device::KernelHandle kernel(clCreateKernel(program_.get(), function_.c_str(), &status));
    device::check(status, "clCreateKernel");
    return KernelObject(std::move(kernel));
}

void Program::give_back(KernelObject kernel, Pointers pointers) const noexcept {
    try {
        const std::lock_guard lock(mutex_);
        idle_[pointers].push_back(std::move(kernel));
    } catch (
        const std::bad_alloc&) { // NOLINT(bugprone-empty-catch): the kernel is released instead
    }
}

Program::Lease::Lease(const Program& program, Pointers pointers)
    : program_(program), pointers_(pointers), kernel_(program.take(pointers)) {}

Program::Lease::~Lease() {
    program_.give_back(std::move(kernel_), pointers_);
}

} // namespace libsgemm::compile
