// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opencl_session.hpp"

#include <map>
#include <memory>
#include <string>
#include <unordered_map>

namespace sgemm::bench {

/// Values of one of CLBlast's kernels by name, such as MWG = 64.
using ClblastValues = std::unordered_map<std::string, std::size_t>;

/// What CLBlast computes a GEMM with, by its names of kernels: Xgemm, XgemmDirect, Copy, …
using ClblastParameters = std::map<std::string, ClblastValues>;

/// The fastest of what CLBlast's tuners wrote into `folder` (clblast_*_32.json) for kernels of its
/// GEMM. Throws UsageError where there is nothing, or a file is not one of theirs.
ClblastParameters read_clblast_tuning(const std::string& folder);

/// What CLBlast has for the device now. Throws std::runtime_error.
ClblastParameters clblast_parameters(cl_device_id device);

/// Makes CLBlast use `parameters` from now on, for this device and all of the process; costs nothing
/// where it did so last. The next product compiles what it has not compiled before. One thread and
/// one device in a process. Throws std::runtime_error.
void use_clblast_parameters(cl_device_id device,
                            const std::shared_ptr<const ClblastParameters>& parameters);

/// "Xgemm GEMMK=0 KWG=32 ..., Copy ...", for the JSON's context.
std::string to_string(const ClblastParameters& parameters);

} // namespace sgemm::bench
