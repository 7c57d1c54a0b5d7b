// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/handles.hpp"

#include <string>
#include <string_view>

namespace sgemm::compile {

/// The binary of a program that was built for `device`; empty where the platform gives none.
std::string binary_of(cl_program program, cl_device_id device);

/// A program from such a binary, built; null where the platform does not take it.
device::ProgramHandle program_from_binary(cl_context context, cl_device_id device,
                                          std::string_view binary, const std::string& options);

} // namespace sgemm::compile
