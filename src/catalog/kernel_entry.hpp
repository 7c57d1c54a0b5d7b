// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/parameters.hpp"
#include "sgemm/device.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sgemm::catalog {

/// Which index of an operand is contiguous in memory: m of op(A) or n of op(B) ("mn-major"), or k.
enum class Major : std::uint8_t { mn, k };

/// One tunable: a macro of the kernel source, with the values that the tuner tries.
struct ParameterSpec {
    std::string_view name;   ///< "tile_m"
    std::string_view define; ///< "TSM"
    int default_value;
    std::span<const int> values;
    std::string_view meaning;
    int minimum = 1; ///< what a table or a caller may set; constraints then say what goes together
    int maximum = 4096; ///< keeps products of two parameters within an int
};

/// A rule on parameters, with its reason. Shared by planner, tuner and tests.
struct Constraint {
    std::string_view reason;
    bool (*holds)(const Parameters&);
};

/// What a kernel asks of a device, with the reason that is given where it is missing.
struct DeviceNeed {
    std::string_view reason;
    bool (*met)(const DeviceTraits&, const Parameters&);
};

/// The shape of a work-group's share, derived from the parameters.
struct TileShape {
    int m = 1;                         ///< rows of C per work-group
    int n = 1;                         ///< columns of C per work-group
    int k = 1;                         ///< depth of one step; K is padded to a multiple
    std::array<int, 2> local = {1, 1}; ///< work-group size; dimension 0 runs along m
    std::int64_t local_memory_bytes = 0;
    /// Elements that ld, offset and batch stride of A, B and C must be multiples of (vector
    /// access).
    int alignment_a = 1;
    int alignment_b = 1;
    int alignment_c = 1;

    int work_items() const { return local[0] * local[1]; }
};

/// Whether a kernel bounds-checks every element or needs whole tiles (and so, maybe, padding
/// passes).
enum class Edges : std::uint8_t { any_size, whole_tiles };

/// The storage that a kernel reads in place.
enum class Accepts : std::uint8_t { mn_major, k_major, either };

inline bool accepts(Accepts accepted, Major major) {
    return accepted == Accepts::either || (accepted == Accepts::mn_major) == (major == Major::mn);
}

/// One main kernel: everything that planner, compiler, bench, tuner and tests need to know of it.
/// Its OpenCL interface is the contract in kernels/README.md.
struct KernelEntry {
    std::string_view name;     ///< "06_register_tiles_2d"
    std::string_view source;   ///< "progression/06_register_tiles_2d.cl"
    std::string_view function; ///< "sgemm_register_tiles_2d"
    std::string_view summary;
    std::vector<ParameterSpec> parameters;
    std::vector<Constraint> constraints;
    std::vector<DeviceNeed> needs;
    Accepts a = Accepts::mn_major;
    Accepts b = Accepts::k_major;
    Edges edges = Edges::whole_tiles;
    TileShape (*tile)(const Parameters&) = nullptr;

    const ParameterSpec* find_parameter(std::string_view parameter) const;
    Parameters defaults() const;
};

/// Macro definitions of a build, in order.
using Defines = std::vector<std::pair<std::string, std::string>>;

/// Every rule that `parameters` break on this device: unknown or missing names, values out of
/// range, constraints, device needs, work-group size and extents, local memory, vector alignment.
/// Each message names value and limit. Empty: they can run.
std::vector<std::string> obstacles(const KernelEntry& kernel, const Parameters& parameters,
                                   const DeviceTraits& device);

/// The defines of a main kernel's build: its parameters, then how A and B are stored.
Defines main_kernel_defines(const KernelEntry& kernel, const Parameters& parameters, Major a,
                            Major b);

} // namespace sgemm::catalog
