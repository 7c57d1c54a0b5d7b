// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/parameters.hpp"
#include "sgemm/device.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sgemm::tables {

/// Which devices a table is for: every field that is given must equal the device's.
struct DeviceMatch {
    std::optional<std::string> name;
    std::optional<std::string> architecture;
    std::optional<std::string> vendor; ///< DeviceTraits::vendor_key
    std::optional<DeviceType> type;
};

/// What the cost model knows of the whole device.
struct MachineModel {
    double launch_seconds = 5e-6;         ///< a kernel launch behind another
    double bandwidth = 100e9;             ///< bytes per second, read plus written, of a copy
    double transpose_bandwidth = 100e9;   ///< the same of a transposing copy
    double flops_per_cycle_per_unit = 16; ///< fp32 operations of a compute unit (an fma is two)
    /// Leading dimensions that are multiples of so many elements collide in memory channels ...
    std::int64_t ld_period = 0; ///< 0: none do
    double ld_slowdown = 1;     ///< ... and make a main kernel that reads them so much slower
};

/// What the cost model knows of a kernel with given parameters.
struct KernelModel {
    /// Share of the machine's peak in a long run with all compute units full.
    double efficiency = 0.05;
    /// Work-groups that a compute unit runs at the same time.
    double groups_per_unit = 1;
    /// How much faster a work-group runs when it has its compute unit to itself; between 1 and
    /// groups_per_unit.
    double lone_group_speedup = 1;
    /// Time of a work-group beside its k loop: start, epilogue.
    double group_seconds = 0;
    /// How much slower a work-group at an edge is that checks bounds.
    double guarded_slowdown = 1.5;
    /// Factor to `efficiency` where alignment asks for narrower loads than the parameters say.
    double narrow_loads = 0.85;
    /// Factors to `efficiency` where A or B is k-major and turned on the way.
    double k_major_a = 1;
    double k_major_b = 1;
    /// From this many bytes of A and B on (they no longer stay in a cache) `efficiency` is
    /// multiplied by `uncached_factor`. Zero: never.
    double cached_bytes = 0;
    double uncached_factor = 1;
    /// For a kernel that takes panels, where it reads an operand in place whose rows or columns are not
    /// contiguous along k: a leading dimension that is a multiple of `in_place_period` (0: none is bad)
    /// crowds few cache sets. It divides `efficiency` by `in_place_collision`, and by as much again for
    /// each further factor of two. The period is that of a panel of one cache line.
    std::int64_t in_place_period = 0;
    double in_place_collision = 1;
    /// From this many bytes of it on (zero: never) `efficiency` is multiplied by `far_in_place`.
    double in_place_bytes = 0;
    double far_in_place = 1;
};

/// One configuration that the planner may choose.
struct TableRow {
    std::string kernel;
    catalog::Parameters parameters; ///< those that differ from the catalogue's defaults
    KernelModel model;
};

struct DeviceTable {
    std::string origin; ///< file it came from, for messages
    std::string description;
    std::string rows_from; ///< embedded table whose rows count after this one's; empty: none
    DeviceMatch match;
    MachineModel machine;
    std::vector<TableRow> rows;
};

/// Parses a table. Throws ConfigurationError with origin, line and key: bad TOML, unknown or missing
/// keys, wrong types, values out of range. Kernel names and parameters are checked by the planner.
DeviceTable parse_table(std::string_view text, const std::string& origin);

/// How well a table fits a device: exact name before architecture before vendor and type before type
/// before a table that asks for nothing; negative if it does not fit.
int match_score(const DeviceMatch& match, const DeviceTraits& device);

/// The user's table if a file is given, else the embedded one that fits best.
/// Throws ConfigurationError.
DeviceTable load_table(const std::string& file, const DeviceTraits& device);

} // namespace sgemm::tables
