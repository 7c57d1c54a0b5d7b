// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/ptx/source.hpp"
#include "device/handles.hpp"
#include "plan/plan_value.hpp"

#include <string>
#include <string_view>

namespace libsgemm::compile {

/// The expanded source as NVIDIA's driver takes it: it begins with a comment, as the driver's own
/// output does, and ends with a zero.
std::string ptx_binary(std::string_view expanded);

/// A program from a source of kernels/ptx/ and the build's defines, not yet built: the driver
/// assembles it when it is. Throws BuildError for a source that cannot be expanded or that the
/// platform refuses.
device::ProgramHandle program_from_ptx(cl_context context, cl_device_id device,
                                       const planning::KernelBuild& build, std::string_view text);

} // namespace libsgemm::compile
