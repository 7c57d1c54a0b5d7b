// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace libsgemm::bench {

/// What CLBlast computes a GEMM with: by its names of kernels (Xgemm, Copy, …), values of
/// parameters by name, such as MWG = 64.
using ClblastParameters = std::map<std::string, std::unordered_map<std::string, std::size_t>>;

/// The kernels of CLBlast's GEMM, and GemmRoutine, which chooses among them.
std::vector<std::string> clblast_gemm_kernels();

/// The fastest of what CLBlast's tuners wrote into `folder` (clblast_*_32.json) for those kernels;
/// kernels without a file are not in it. Throws UsageError where there is nothing, a file is not
/// one of theirs, or one was written for another device than that with the OpenCL name `device`.
ClblastParameters read_clblast_tuning(const std::string& folder, const std::string& device);

/// `base` with the values of `tuned` in their place. Throws UsageError where a kernel of `tuned`
/// lacks a parameter that `base` has: CLBlast would not take it.
ClblastParameters with_tuned(ClblastParameters base, const ClblastParameters& tuned);

/// "Copy COPY_DIMX=16 ..., Xgemm GEMMK=0 KWG=32 ...", for the JSON's context.
std::string to_string(const ClblastParameters& parameters);

} // namespace libsgemm::bench
