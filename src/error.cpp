// SPDX-License-Identifier: Apache-2.0
#include "sgemm/error.hpp"

#include <utility>

namespace libsgemm {

// Destructors are defined here so that each class has one vtable, in the library.
Error::Error(const std::string& what) : std::runtime_error(what) {}
Error::~Error() = default;

ArgumentError::ArgumentError(std::string argument, std::string value, std::string rule)
    : Error(argument + ": " + rule + " (is " + (value.empty() ? "empty" : value) + ")"),
      argument_(std::move(argument)), value_(std::move(value)), rule_(std::move(rule)) {}
ArgumentError::~ArgumentError() = default;

UnsupportedError::UnsupportedError(const std::string& what) : Error(what) {}
UnsupportedError::~UnsupportedError() = default;

BuildError::BuildError(std::string kernel, std::string log)
    : Error("kernel " + kernel + " does not build: " + log), kernel_(std::move(kernel)),
      log_(std::move(log)) {}
BuildError::~BuildError() = default;

OpenClError::OpenClError(std::string call, cl_int status)
    : Error(call + " failed: " + opencl_status_name(status) + " (" + std::to_string(status) + ")"),
      call_(std::move(call)), status_(status) {}
OpenClError::~OpenClError() = default;

ConfigurationError::ConfigurationError(const std::string& what) : Error(what) {}
ConfigurationError::~ConfigurationError() = default;

const char* opencl_status_name(cl_int status) noexcept {
#define SGEMM_STATUS(name)                                                                         \
    case name:                                                                                     \
        return #name;
    switch (status) {
        SGEMM_STATUS(CL_SUCCESS)
        SGEMM_STATUS(CL_DEVICE_NOT_FOUND)
        SGEMM_STATUS(CL_DEVICE_NOT_AVAILABLE)
        SGEMM_STATUS(CL_COMPILER_NOT_AVAILABLE)
        SGEMM_STATUS(CL_MEM_OBJECT_ALLOCATION_FAILURE)
        SGEMM_STATUS(CL_OUT_OF_RESOURCES)
        SGEMM_STATUS(CL_OUT_OF_HOST_MEMORY)
        SGEMM_STATUS(CL_PROFILING_INFO_NOT_AVAILABLE)
        SGEMM_STATUS(CL_MEM_COPY_OVERLAP)
        SGEMM_STATUS(CL_BUILD_PROGRAM_FAILURE)
        SGEMM_STATUS(CL_MAP_FAILURE)
        SGEMM_STATUS(CL_MISALIGNED_SUB_BUFFER_OFFSET)
        SGEMM_STATUS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
        SGEMM_STATUS(CL_INVALID_VALUE)
        SGEMM_STATUS(CL_INVALID_PLATFORM)
        SGEMM_STATUS(CL_INVALID_DEVICE)
        SGEMM_STATUS(CL_INVALID_CONTEXT)
        SGEMM_STATUS(CL_INVALID_QUEUE_PROPERTIES)
        SGEMM_STATUS(CL_INVALID_COMMAND_QUEUE)
        SGEMM_STATUS(CL_INVALID_MEM_OBJECT)
        SGEMM_STATUS(CL_INVALID_BINARY)
        SGEMM_STATUS(CL_INVALID_BUILD_OPTIONS)
        SGEMM_STATUS(CL_INVALID_PROGRAM)
        SGEMM_STATUS(CL_INVALID_PROGRAM_EXECUTABLE)
        SGEMM_STATUS(CL_INVALID_KERNEL_NAME)
        SGEMM_STATUS(CL_INVALID_KERNEL_DEFINITION)
        SGEMM_STATUS(CL_INVALID_KERNEL)
        SGEMM_STATUS(CL_INVALID_ARG_INDEX)
        SGEMM_STATUS(CL_INVALID_ARG_VALUE)
        SGEMM_STATUS(CL_INVALID_ARG_SIZE)
        SGEMM_STATUS(CL_INVALID_KERNEL_ARGS)
        SGEMM_STATUS(CL_INVALID_WORK_DIMENSION)
        SGEMM_STATUS(CL_INVALID_WORK_GROUP_SIZE)
        SGEMM_STATUS(CL_INVALID_WORK_ITEM_SIZE)
        SGEMM_STATUS(CL_INVALID_GLOBAL_OFFSET)
        SGEMM_STATUS(CL_INVALID_EVENT_WAIT_LIST)
        SGEMM_STATUS(CL_INVALID_EVENT)
        SGEMM_STATUS(CL_INVALID_OPERATION)
        SGEMM_STATUS(CL_INVALID_BUFFER_SIZE)
        SGEMM_STATUS(CL_INVALID_GLOBAL_WORK_SIZE)
    default:
        return "unknown OpenCL status";
    }
#undef SGEMM_STATUS
}

} // namespace libsgemm
