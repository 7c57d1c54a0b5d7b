// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/handles.hpp"

#include <string>
#include <string_view>

namespace libsgemm::compile {

/// The binary of a program that was built for `device`; empty where the platform gives none.
std::string binary_of(cl_program program, cl_device_id device);

/// A program from a binary or from text that the platform loads as one, not built yet. Null and the
/// reason in `status` where it does not take it.
device::ProgramHandle create_from_binary(cl_context context, cl_device_id device,
                                         std::string_view binary, cl_int& status);

/// A program from such a binary, built; null where the platform does not take it. `log`, if given,
/// is what the platform then has to say.
device::ProgramHandle program_from_binary(cl_context context, cl_device_id device,
                                          std::string_view binary, const std::string& options,
                                          std::string* log = nullptr);

} // namespace libsgemm::compile
