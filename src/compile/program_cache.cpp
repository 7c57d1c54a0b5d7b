// SPDX-License-Identifier: Apache-2.0
#include "compile/program_cache.hpp"

#include "compile/cache_entry.hpp"
#include "compile/program_binary.hpp"
#include "compile/ptx/source.hpp"
#include "compile/retarget.hpp"
#include "device/query.hpp"
#include "device/shortage.hpp"
#include "sgemm/error.hpp"
#include "support/text.hpp"
#include "support/text_stream.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

namespace libsgemm::compile {
namespace {

std::string build_log(cl_program program, cl_device_id device) {
    const auto query = [device](cl_program object, cl_program_build_info which, std::size_t size,
                                void* value, std::size_t* actual) {
        return clGetProgramBuildInfo(object, device, which, size, value, actual);
    };
    return device::get_text(query, program, CL_PROGRAM_BUILD_LOG, "clGetProgramBuildInfo");
}

/// What a compiler said of a program that it built, behind `compiler_said`; nothing if it was
/// silent.
std::string remarks(cl_program program, cl_device_id device) {
    support::TextReader log(build_log(program, device));
    std::string said;
    for (std::string line; std::getline(log, line);) {
        const bool is_blank = line.find_first_not_of(" \t\r") == std::string::npos;
        // NVIDIA's compiler says so of every kernel, whatever its source is.
        const bool is_said_of_all = line.find("so overriding noinline") != std::string::npos;
        if (!is_blank && !is_said_of_all) {
            said += '\n' + line;
        }
    }
    return said.empty() ? said : '\n' + std::string(compiler_said) + said;
}

/// A program without the expected function is a build error like any other.
std::shared_ptr<const Program> make_program(device::ProgramHandle program,
                                            const planning::KernelBuild& build,
                                            const std::string& options,
                                            const DeviceTraits& traits) {
    // Within one process and one version of the library a source's name says what is in it.
    const std::uint64_t identity =
        std::hash<std::string>()(build.source + '\n' + build.function + '\n' + options);
    try {
        return std::make_shared<const Program>(std::move(program), build.function, identity,
                                               traits.computes_in_calling_thread);
    } catch (const OpenClError& error) {
        if (device::is_shortage(error.status())) {
            throw;
        }
        throw BuildError(build.name, error.what());
    }
}

/// From a source of kernels/ptx/ and the build's defines: the driver assembles it when it is built.
device::ProgramHandle program_from_ptx(cl_context context, cl_device_id device,
                                       const planning::KernelBuild& build, std::string_view text) {
    std::string binary;
    try {
        binary = ptx_binary(expand_ptx(text, build.defines));
    } catch (const PtxSourceError& error) {
        throw BuildError(build.name, error.what());
    }
    cl_int status = CL_SUCCESS;
    device::ProgramHandle program = create_from_binary(context, device, binary, status);
    if (status != CL_SUCCESS) {
        throw BuildError(build.name,
                         "clCreateProgramWithBinary: " + std::string(opencl_status_name(status)) +
                             ", " + build.source);
    }
    return program;
}

/// What tells programs of equal options apart in a cache.
std::string target_of(const planning::KernelBuild& build) {
    return build.architecture_specific ? "sm_90a" : "";
}

/// A built program's PTX for the architecture's own instructions, which fail the first build.
device::ProgramHandle retarget(cl_context context, cl_device_id device, cl_program built,
                               const planning::KernelBuild& build, const std::string& options) {
    const auto ptx = retarget_to_sm_90a(binary_of(built, device));
    if (!ptx) {
        throw BuildError(build.name, "no PTX for sm_90 to re-target, " + build.source +
                                         ", options " + options + "\n" + build_log(built, device));
    }
    std::string log;
    device::ProgramHandle program = program_from_binary(context, device, *ptx, options, &log);
    if (!program) {
        throw BuildError(build.name, "PTX re-targeted to sm_90a was not taken, " + build.source +
                                         ", options " + options + "\n" + log);
    }
    return program;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

std::string build_options(const planning::KernelBuild& build, const DeviceTraits& device) {
    std::string options;
    if (device.type == DeviceType::gpu) {
        options += "-DSGEMM_FMA_NATIVE "; // every GPU has one; few compilers say so by macro
    }
    if (build.max_registers > 0 && device.has_nvidia_ptx) {
        options += "-cl-nv-maxrregcount=" + std::to_string(build.max_registers) + " ";
    }
    for (const auto& [name, value] : build.defines) {
        options.append("-D").append(name).append("=").append(value).append(" ");
    }
    return options;
}

ProgramCache::ProgramCache(device::ContextHandle context, cl_device_id device,
                           const DeviceTraits& traits, const support::Log& log,
                           catalog::SourceFinder find, CacheSettings settings)
    : context_(std::move(context)), device_(device), traits_(traits), log_(log), find_(find),
      disk_(std::move(settings), log) {}

std::shared_ptr<const Program> ProgramCache::get(const planning::KernelBuild& build) {
    const catalog::EmbeddedSource* source = find_(build.source);
    if (source == nullptr) {
        throw BuildError(build.name, "no embedded source " + build.source);
    }
    const std::string options = build_options(build, traits_);
    std::string key(source->hash);
    key += '\n' + build.function + '\n' + options + target_of(build);

    std::promise<std::shared_ptr<const Program>> promise;
    Future future;
    bool is_builder = false;
    {
        const std::lock_guard lock(mutex_);
        const auto [position, inserted] = programs_.try_emplace(key);
        if (inserted) {
            position->second = promise.get_future().share();
            is_builder = true;
        }
        future = position->second;
    }
    if (is_builder) {
        Made made;
        try {
            made = load_or_build(build, *source, options);
            promise.set_value(made.program);
        } catch (const BuildError&) {
            promise.set_exception(std::current_exception());
        } catch (...) { // out of memory and the like: the next call tries again
            forget(key);
            promise.set_exception(std::current_exception());
        }
        keep(made); // the others need not wait for that
    }
    return future.get();
}

/// What goes wrong here must not fail the call.
void ProgramCache::keep(const Made& made) const {
    if (!made.to_keep || !disk_.is_enabled()) {
        return;
    }
    try {
        disk_.store(made.key, binary_of(made.to_keep.get(), device_));
    } catch (const std::exception& error) {
        log_.warning(
            [&] { return std::string("a compiled kernel was not kept: ") + error.what(); });
    }
}

void ProgramCache::forget(const std::string& key) {
    const std::lock_guard lock(mutex_);
    programs_.erase(key);
}

ProgramCache::Made ProgramCache::load_or_build(const planning::KernelBuild& build,
                                               const catalog::EmbeddedSource& source,
                                               const std::string& options) {
    if (!disk_.is_enabled()) {
        return this->build(build, source.text, {}, options);
    }
    const std::string key = cache_key(traits_, source.hash, options + target_of(build));
    Pointer program = load(build, key, options);
    return program ? Made{std::move(program), {}, {}}
                   : this->build(build, source.text, key, options);
}

/// Null where there is no binary, or none that the platform and the kernel's name agree with.
ProgramCache::Pointer ProgramCache::load(const planning::KernelBuild& build, const std::string& key,
                                         const std::string& options) {
    const auto start = std::chrono::steady_clock::now();
    const auto binary = disk_.load(key);
    if (!binary) {
        return {};
    }
    device::ProgramHandle program = program_from_binary(context_.get(), device_, *binary, options);
    if (!program) {
        return {};
    }
    try {
        Pointer result = make_program(std::move(program), build, options, traits_);
        ++loaded_;
        log_.info([&] {
            return "loaded " + build.name + " in " + support::format_seconds(seconds_since(start)) +
                   " (" + disk_.file_of(key) + ")";
        });
        return result;
    } catch (const Error&) { // it is built from source
        return {};
    }
}

device::ProgramHandle ProgramCache::create(const planning::KernelBuild& build,
                                           std::string_view text) const {
    if (is_ptx(build.source)) {
        return program_from_ptx(context_.get(), device_, build, text);
    }
    const char* pointer = text.data();
    const std::size_t length = text.size();
    cl_int status = CL_SUCCESS;
    device::ProgramHandle program(
        clCreateProgramWithSource(context_.get(), 1, &pointer, &length, &status));
    device::check(status, "clCreateProgramWithSource");
    return program;
}

ProgramCache::Made ProgramCache::build(const planning::KernelBuild& build, std::string_view text,
                                       const std::string& key, const std::string& options) {
    const auto start = std::chrono::steady_clock::now();
    device::ProgramHandle program = create(build, text);
    const cl_int status =
        clBuildProgram(program.get(), 1, &device_, options.c_str(), nullptr, nullptr);
    if (device::is_shortage(status)) {
        throw OpenClError("clBuildProgram", status);
    }
    if (build.architecture_specific) {
        program = retarget(context_.get(), device_, program.get(), build, options);
    } else if (status != CL_SUCCESS) {
        // Some compilers leave the file's name out of their log.
        throw BuildError(build.name, std::string(opencl_status_name(status)) + ", " + build.source +
                                         ", options " + options + "\n" +
                                         build_log(program.get(), device_));
    }
    device::ProgramHandle kept = program;
    Pointer result = make_program(std::move(program), build, options, traits_);
    ++built_;
    log_.info([&] {
        return "built " + build.name + " in " + support::format_seconds(seconds_since(start)) +
               " (" + options + ")" + remarks(kept.get(), device_);
    });
    return {std::move(result), std::move(kept), key};
}

} // namespace libsgemm::compile
