// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/handles.hpp"

#include <cstddef>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace libsgemm::compile {

/// A cl_kernel that knows what its arguments were last set to. One thread at a time may use it.
/// Members throw OpenClError.
class KernelObject {
public:
    using Bytes = std::span<const std::byte>;

    explicit KernelObject(device::KernelHandle kernel) noexcept : kernel_(std::move(kernel)) {}
    // A copy would not know what is set through the other one.
    KernelObject(const KernelObject&) = delete;
    KernelObject& operator=(const KernelObject&) = delete;
    KernelObject(KernelObject&&) noexcept = default;
    KernelObject& operator=(KernelObject&&) noexcept = default;
    ~KernelObject() = default;

    cl_kernel get() const noexcept { return kernel_.get(); }

    void set(cl_uint index, Bytes value) {
        forget(index);
        device::check(clSetKernelArg(get(), index, value.size(), value.data()), "clSetKernelArg");
    }

    /// Not where it was set to the same before, as `meaning` tells: all that the platform can have
    /// taken from `value`; not empty.
    void set_if_changed(cl_uint index, Bytes value, Bytes meaning) {
        if (index < meanings_.size() && meanings_[index].size() == meaning.size() &&
            std::memcmp(meanings_[index].data(), meaning.data(), meaning.size()) == 0) {
            return;
        }
        set(index, value);
        if (index >= meanings_.size()) {
            meanings_.resize(index + 1);
        }
        meanings_[index].assign(meaning.begin(), meaning.end());
    }

#ifdef CL_VERSION_2_0
    /// To a pointer of shared virtual memory.
    void set_pointer(cl_uint index, const void* pointer) {
        forget(index);
        device::check(clSetKernelArgSVMPointer(get(), index, pointer), "clSetKernelArgSVMPointer");
    }
#endif

private:
    void forget(cl_uint index) noexcept {
        if (index < meanings_.size()) {
            meanings_[index].clear();
        }
    }

    device::KernelHandle kernel_;
    std::vector<std::vector<std::byte>> meanings_; ///< by argument; empty: not known
};

} // namespace libsgemm::compile
