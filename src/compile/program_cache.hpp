// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/sources.hpp"
#include "compile/disk_cache.hpp"
#include "compile/program.hpp"
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
#include <string_view>
#include <unordered_map>

namespace libsgemm::compile {

/// Options that a kernel is built with.
std::string build_options(const planning::KernelBuild& build, const DeviceTraits& device);

/// In the message of a build, before what the compiler said of a program that it did build.
constexpr std::string_view compiler_said = "the compiler said:";

/// Builds programs for one context and device, each once, and keeps them. Threads that ask for a
/// program that is being built wait for it; other builds go on beside it. Where there is a folder
/// for binaries a program is loaded from there, and kept there once built.
class ProgramCache {
public:
    /// `find` says what the source of a path is; tests give sources of their own. Without
    /// `settings` nothing is kept on the disk.
    ProgramCache(device::ContextHandle context, cl_device_id device, const DeviceTraits& traits,
                 const support::Log& log, catalog::SourceFinder find = catalog::find_source,
                 CacheSettings settings = {});

    /// Throws BuildError (again for every later call: a failed build is not repeated).
    std::shared_ptr<const Program> get(const planning::KernelBuild& build);

    std::uint64_t built() const noexcept { return built_; }   ///< from source
    std::uint64_t loaded() const noexcept { return loaded_; } ///< from the disk

private:
    using Future = std::shared_future<std::shared_ptr<const Program>>;

    using Pointer = std::shared_ptr<const Program>;

    /// A program, and where it was built what is still to be kept on the disk.
    struct Made {
        Pointer program;
        device::ProgramHandle to_keep;
        std::string key;
    };

    Made load_or_build(const planning::KernelBuild& build, const catalog::EmbeddedSource& source,
                       const std::string& options);
    Pointer load(const planning::KernelBuild& build, const std::string& key,
                 const std::string& options);
    Made build(const planning::KernelBuild& build, std::string_view text, const std::string& key,
               const std::string& options);
    /// From the text of an OpenCL C or PTX source, not yet built.
    device::ProgramHandle create(const planning::KernelBuild& build, std::string_view text) const;
    void keep(const Made& made) const;

    void forget(const std::string& key);

    device::ContextHandle context_;
    cl_device_id device_;
    const DeviceTraits& traits_;
    const support::Log& log_;
    catalog::SourceFinder find_;
    DiskCache disk_;
    std::mutex mutex_;
    std::unordered_map<std::string, Future> programs_;
    std::atomic<std::uint64_t> built_{0};
    std::atomic<std::uint64_t> loaded_{0};
};

} // namespace libsgemm::compile
