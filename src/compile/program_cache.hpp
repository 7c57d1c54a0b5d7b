// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/program.hpp"
#include "compile/sources.hpp"
#include "device/handles.hpp"
#include "plan/plan_value.hpp"
#include "sgemm/device.hpp"
#include "support/log.hpp"

#include <atomic>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace sgemm::compile {

/// Options that a kernel is built with.
std::string build_options(const planning::KernelBuild& build, const DeviceTraits& device);

/// Builds programs for one context and device, each once, and keeps them. Threads that ask for a
/// program that is being built wait for it; other builds go on beside it.
class ProgramCache {
public:
    /// `find` says what the source of a path is; tests give sources of their own.
    ProgramCache(device::ContextHandle context, cl_device_id device, const DeviceTraits& traits,
                 const support::Log& log, SourceFinder find = find_source);

    /// Throws BuildError (again for every later call: a failed build is not repeated).
    std::shared_ptr<const Program> get(const planning::KernelBuild& build);

    std::uint64_t built() const noexcept { return built_; }

private:
    using Future = std::shared_future<std::shared_ptr<const Program>>;

    std::shared_ptr<const Program> build(const planning::KernelBuild& build, std::string_view text,
                                         const std::string& options);

    void forget(const std::string& key);

    device::ContextHandle context_;
    cl_device_id device_;
    const DeviceTraits& traits_;
    const support::Log& log_;
    SourceFinder find_;
    std::mutex mutex_;
    std::unordered_map<std::string, Future> programs_;
    std::atomic<std::uint64_t> built_{0};
};

} // namespace sgemm::compile
