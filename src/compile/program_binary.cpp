// SPDX-License-Identifier: Apache-2.0
#include "compile/program_binary.hpp"

#include "device/query.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace libsgemm::compile {
namespace {

/// A property that has one value for each device of the program's context; empty if it cannot be
/// had.
template <class Value>
std::vector<Value> per_device(cl_program program, cl_program_info which) {
    std::size_t bytes = 0;
    if (clGetProgramInfo(program, which, 0, nullptr, &bytes) != CL_SUCCESS) {
        return {};
    }
    std::vector<Value> values(bytes / sizeof(Value));
    const cl_int status = clGetProgramInfo(program, which, bytes, values.data(), nullptr);
    return status == CL_SUCCESS ? values : std::vector<Value>();
}

} // namespace

std::string binary_of(cl_program program, cl_device_id device) {
    const auto devices = per_device<cl_device_id>(program, CL_PROGRAM_DEVICES);
    const auto sizes = per_device<std::size_t>(program, CL_PROGRAM_BINARY_SIZES);
    const auto found = std::find(devices.begin(), devices.end(), device);
    if (found == devices.end() || sizes.size() != devices.size()) {
        return {};
    }
    const auto index = static_cast<std::size_t>(found - devices.begin());
    std::string binary(sizes[index], '\0');
    std::vector<unsigned char*> wanted(devices.size(), nullptr); // null: not that one
    wanted[index] = reinterpret_cast<unsigned char*>(binary.data());
    const cl_int status =
        clGetProgramInfo(program, CL_PROGRAM_BINARIES, wanted.size() * sizeof(unsigned char*),
                         wanted.data(), nullptr);
    return status == CL_SUCCESS ? binary : std::string();
}

device::ProgramHandle create_from_binary(cl_context context, cl_device_id device,
                                         std::string_view binary, cl_int& status) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(binary.data());
    const std::size_t size = binary.size();
    cl_int accepted = CL_SUCCESS;
    device::ProgramHandle program(
        clCreateProgramWithBinary(context, 1, &device, &size, &bytes, &accepted, &status));
    if (status == CL_SUCCESS) {
        status = accepted;
    }
    return status == CL_SUCCESS ? std::move(program) : device::ProgramHandle();
}

device::ProgramHandle program_from_binary(cl_context context, cl_device_id device,
                                          std::string_view binary, const std::string& options,
                                          std::string* log) {
    cl_int status = CL_SUCCESS;
    device::ProgramHandle program = create_from_binary(context, device, binary, status);
    if (!program) {
        return {};
    }
    if (clBuildProgram(program.get(), 1, &device, options.c_str(), nullptr, nullptr) ==
        CL_SUCCESS) {
        return program;
    }
    if (log != nullptr) {
        const auto query = [device](cl_program object, cl_program_build_info which,
                                    std::size_t room, void* value, std::size_t* actual) {
            return clGetProgramBuildInfo(object, device, which, room, value, actual);
        };
        *log =
            device::get_text(query, program.get(), CL_PROGRAM_BUILD_LOG, "clGetProgramBuildInfo");
    }
    return {};
}

} // namespace libsgemm::compile
