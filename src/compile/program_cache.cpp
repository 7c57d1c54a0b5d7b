// SPDX-License-Identifier: Apache-2.0
#include "compile/program_cache.hpp"

#include "device/query.hpp"
#include "sgemm/error.hpp"
#include "support/text.hpp"

#include <chrono>
#include <utility>

namespace sgemm::compile {
namespace {

std::string build_log(cl_program program, cl_device_id device) {
    const auto query = [device](cl_program object, cl_program_build_info which, std::size_t size,
                                void* value, std::size_t* actual) {
        return clGetProgramBuildInfo(object, device, which, size, value, actual);
    };
    return device::get_text(query, program, CL_PROGRAM_BUILD_LOG, "clGetProgramBuildInfo");
}

/// A program without the expected function is a build error like any other.
std::shared_ptr<const Program> make_program(device::ProgramHandle program,
                                            const planning::KernelBuild& build) {
    try {
        return std::make_shared<const Program>(std::move(program), build.function);
    } catch (const OpenClError& error) {
        throw BuildError(build.name, error.what());
    }
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
                           const DeviceTraits& traits, const support::Log& log, SourceFinder find)
    : context_(std::move(context)), device_(device), traits_(traits), log_(log), find_(find) {}

std::shared_ptr<const Program> ProgramCache::get(const planning::KernelBuild& build) {
    const EmbeddedSource* source = find_(build.source);
    if (source == nullptr) {
        throw BuildError(build.name, "no embedded source " + build.source);
    }
    const std::string options = build_options(build, traits_);
    std::string key(source->hash);
    key += '\n' + build.function + '\n' + options;

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
        try {
            promise.set_value(this->build(build, source->text, options));
        } catch (const BuildError&) {
            promise.set_exception(std::current_exception());
        } catch (...) { // out of memory and the like: the next call tries again
            forget(key);
            promise.set_exception(std::current_exception());
        }
    }
    return future.get();
}

void ProgramCache::forget(const std::string& key) {
    const std::lock_guard lock(mutex_);
    programs_.erase(key);
}

std::shared_ptr<const Program> ProgramCache::build(const planning::KernelBuild& build,
                                                   std::string_view text,
                                                   const std::string& options) {
    const auto start = std::chrono::steady_clock::now();
    const char* pointer = text.data();
    const std::size_t length = text.size();
    cl_int status = CL_SUCCESS;
    device::ProgramHandle program(
        clCreateProgramWithSource(context_.get(), 1, &pointer, &length, &status));
    device::check(status, "clCreateProgramWithSource");
    status = clBuildProgram(program.get(), 1, &device_, options.c_str(), nullptr, nullptr);
    if (status == CL_OUT_OF_HOST_MEMORY || status == CL_OUT_OF_RESOURCES) {
        throw OpenClError("clBuildProgram", status);
    }
    if (status != CL_SUCCESS) {
        // Some compilers leave the file's name out of their log.
        throw BuildError(build.name, std::string(opencl_status_name(status)) + ", " + build.source +
                                         ", options " + options + "\n" +
                                         build_log(program.get(), device_));
    }
    auto result = make_program(std::move(program), build);
    ++built_;
    log_.info([&] {
        return "built " + build.name + " in " + support::format_seconds(seconds_since(start)) +
               " (" + options + ")";
    });
    return result;
}

} // namespace sgemm::compile
