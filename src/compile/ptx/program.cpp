// SPDX-License-Identifier: Apache-2.0
#include "compile/ptx/program.hpp"

#include "compile/program_binary.hpp"
#include "sgemm/error.hpp"

namespace libsgemm::compile {

std::string ptx_binary(std::string_view expanded) {
    std::string binary = "//\n// libsgemm\n//\n";
    binary += expanded;
    binary += '\0';
    return binary;
}

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

} // namespace libsgemm::compile
