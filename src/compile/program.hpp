// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/kernel_object.hpp"
#include "device/handles.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace libsgemm::compile {

/// A built program's kernel. Setting arguments of one cl_kernel from two threads is a race, so each
/// caller leases an object of its own; returned ones are used again.
class Program {
public:
    /// Which arguments (of a step, numbers too) are pointers of shared virtual memory, a bit each.
    /// A kernel object keeps to one such set: where an argument was a pointer and becomes a buffer,
    /// NVIDIA's driver (580.159) refuses the launch with CL_INVALID_KERNEL_ARGS.
    using Pointers = std::uint64_t;

    /// `identity`: equal for programs that are made of the same. `in_calling_thread`: its device is
    /// one of those (DeviceTraits::computes_in_calling_thread), which decides how it is launched.
    Program(device::ProgramHandle program, std::string function, std::uint64_t identity,
            bool in_calling_thread);

    std::uint64_t identity() const noexcept { return identity_; }
    bool is_run_in_calling_thread() const noexcept { return in_calling_thread_; }

    /// Whether the kernel, as compiled, can be launched with work-groups of that size: the one it
    /// was compiled for (reqd_work_group_size), or no more work-items than its registers allow.
    bool allows_work_group(const std::array<std::size_t, 3>& local, cl_device_id device) const;

    /// A kernel object that no other lease holds, for the lease's life.
    class Lease {
    public:
        explicit Lease(const Program& program, Pointers pointers = 0);
        ~Lease();
        Lease(const Lease&) = delete;
        Lease& operator=(const Lease&) = delete;
        cl_kernel get() const noexcept { return kernel_.get(); }
        KernelObject& object() noexcept { return kernel_; }

    private:
        const Program& program_;
        Pointers pointers_;
        KernelObject kernel_;
    };

private:
    KernelObject take(Pointers pointers) const;
    void give_back(KernelObject kernel, Pointers pointers) const noexcept;

    device::ProgramHandle program_;
    std::string function_;
    std::uint64_t identity_;
    bool in_calling_thread_;
    mutable std::mutex mutex_;
    mutable std::map<Pointers, std::vector<KernelObject>> idle_;
};

/// The programs of a plan\'s steps.
using Programs = std::vector<std::shared_ptr<const Program>>;

} // namespace libsgemm::compile
