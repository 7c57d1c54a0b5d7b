// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "doors/blas/gemm_call.hpp"
#include "doors/blas/lane.hpp"
#include "sgemm/context.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace libsgemm::blas {

/// SGEMM for host memory on the device that select_device() finds. Thread-safe.
class DeviceBlas {
public:
    /// Throws Error: no device, or one that does not work.
    explicit DeviceBlas(bool traces);

    /// Computes the product; empty, or why not. Then C is as it was, or overwritten if beta is
    /// zero.
    std::string multiply(const GemmCall& call) noexcept;
    bool is_cpu() const noexcept { return is_cpu_; }
    const std::string& name() const noexcept { return library_->traits().name; }

private:
    std::unique_ptr<Lane> take();
    std::unique_ptr<Lane> run(const GemmCall& call);
    /// As run(), and once more where memory was short.
    std::unique_ptr<Lane> run_with_memory(const GemmCall& call);
    void free_memory();
    void give_back(std::unique_ptr<Lane> lane) noexcept;

    device::ContextHandle opencl_;
    std::unique_ptr<Context> library_;
    bool is_cpu_ = false;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Lane>> idle_;
};

} // namespace libsgemm::blas
