// SPDX-License-Identifier: Apache-2.0
#include "doors/blas/device_blas.hpp"

#include "device/make.hpp"
#include "device/shortage.hpp"
#include "sgemm/device.hpp"

#include <exception>
#include <utility>

namespace libsgemm::blas {
namespace {

/// More threads than that at once pay for their buffers at each call.
constexpr std::size_t most_idle_lanes = 4;

} // namespace

DeviceBlas::DeviceBlas(bool traces) {
    const DeviceHandle handle = select_device();
    opencl_ = device::make_context(handle);
    ContextOptions options;
    options.trace = traces;
    library_ = std::make_unique<Context>(opencl_.get(), handle.device, options);
    is_cpu_ = handle.traits.type == DeviceType::cpu;
    idle_.reserve(most_idle_lanes); // so that give_back() cannot fail
    idle_.push_back(std::make_unique<Lane>(*library_));
}

std::unique_ptr<Lane> DeviceBlas::take() {
    {
        const std::lock_guard lock(mutex_);
        if (!idle_.empty()) {
            std::unique_ptr<Lane> lane = std::move(idle_.back());
            idle_.pop_back();
            return lane;
        }
    }
    return std::make_unique<Lane>(*library_);
}

void DeviceBlas::give_back(std::unique_ptr<Lane> lane) noexcept {
    const std::lock_guard lock(mutex_);
    if (idle_.size() < most_idle_lanes) {
        idle_.push_back(std::move(lane));
    }
}

void DeviceBlas::free_memory() {
    const std::lock_guard lock(mutex_);
    idle_.clear();
    library_->release_workspace();
}

std::unique_ptr<Lane> DeviceBlas::run(const GemmCall& call) {
    std::unique_ptr<Lane> lane = take();
    lane->multiply(call); // a lane on which something failed is not used again
    return lane;
}

std::unique_ptr<Lane> DeviceBlas::run_with_memory(const GemmCall& call) {
    try {
        return run(call);
    } catch (const OpenClError& error) {
        // Else what idle lanes and the workspace hold may be what is missing.
        if (!device::is_shortage(error.status())) {
            throw;
        }
    }
    free_memory();
    return run(call);
}

std::string DeviceBlas::multiply(const GemmCall& call) noexcept {
    std::unique_ptr<Lane> lane;
    try {
        lane = run_with_memory(call);
    } catch (const std::exception& error) {
        try {
            return error.what();
        } catch (const std::exception&) {
            return "!"; // short enough to need no memory
        }
    }
    give_back(std::move(lane)); // C is written: from here on nothing may fail
    return {};
}

} // namespace libsgemm::blas
