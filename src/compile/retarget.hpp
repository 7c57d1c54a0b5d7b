// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace libsgemm::compile {

/// PTX of a build for compute capability 9.0, with the instructions that only this architecture has
/// (setmaxnreg, wgmma): NVIDIA's OpenCL compiler knows no option for them, but loads PTX that says
/// so. Nothing if the text is no PTX for that target. Kernels with a required work-group size get a
/// whole compute unit's registers, without which setmaxnreg is ignored.
std::optional<std::string> retarget_to_sm_90a(std::string ptx);

} // namespace libsgemm::compile
