// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/device.hpp"
#include "sgemm/export.hpp"

#include <string>
#include <vector>

namespace libsgemm {

/// One tunable of a catalogue kernel.
struct ParameterInfo {
    std::string name;   ///< as in PlanOptions::parameters and device tables, e.g. "tile_m"
    std::string define; ///< the kernel source's macro, e.g. "TSM"
    int default_value = 0;
    std::vector<int> values; ///< the tuner's search values
    std::string meaning;
};

/// One entry of the kernel catalogue, for listing and forcing.
struct KernelInfo {
    std::string name;
    std::string source;      ///< file under kernels/
    std::string source_hash; ///< SHA-256 of what is compiled
    std::string summary;
    std::string use; ///< what it is there for, and on which devices, in words: "programs, CPUs"
    std::vector<ParameterInfo> parameters;
    std::vector<std::string> constraints; ///< reasons, one per rule on the parameters
    /// Storage each operand must have to be read in place, e.g. "A m-major, B n-major".
    std::string operands;
    std::string edges; ///< what happens where sizes are not multiples of the tile, in words
};

/// The catalogue's main kernels, in order. Thread-safe.
SGEMM_API std::vector<KernelInfo> kernels();

/// Why a kernel cannot run on a device with its default parameters; empty if it can. Throws
/// ArgumentError for an unknown name.
SGEMM_API std::vector<std::string> kernel_obstacles(const std::string& kernel,
                                                    const DeviceTraits& device);

} // namespace libsgemm
