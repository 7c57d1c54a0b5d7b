// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_catalog.hpp"
#include "catalog/parameters.hpp"
#include "sgemm/device.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace libsgemm::tables {

/// Which devices a table is for: every field that is given must equal the device's.
struct DeviceMatch {
    std::optional<std::string> name;
    std::optional<std::string> architecture;
    std::optional<std::string> microarchitecture;
    std::optional<std::string> vendor; ///< DeviceTraits::vendor_key
    std::optional<DeviceType> type;
};

/// What the cost model knows of the whole device.
struct MachineModel {
    double launch_seconds = 5e-6; ///< a kernel launch behind another
    double launch_unit_seconds =
        0;                   ///< ... and for each compute unit: threads wake one after the other
    double call_seconds = 0; ///< of a call beside its launches: its first one wakes threads
    double pass_seconds = 0; ///< of a pass, beside its launch and its traffic
    double pass_group_seconds = 0;      ///< of a work-group of a pass, on its compute unit
    double slice_seconds = 0;           ///< of a slice of k that the adding pass loads and adds
    double bandwidth = 100e9;           ///< bytes per second, read plus written, of a copy
    double transpose_bandwidth = 100e9; ///< the same of a transposing copy
    /// How many compute units moved that much; a device of more or fewer moves in proportion. 0:
    /// bandwidths are the device's, however many units it has.
    std::int64_t bandwidth_units = 0;
    double packing_bandwidth = 0; ///< of kernels that pack panels; 0: as transpose_bandwidth
    /// 1: CPUs write what they turn around their caches, where it lies in whole cache lines.
    std::int64_t streamed_turns = 0;
    double sum_seconds = 0;   ///< of adding parts of a tile in their launch, but for reads
    double sum_bandwidth = 0; ///< at which one work-group reads them; 0: not offered
    /// How much later than the first the other compute units begin a launch, where threads have to
    /// wake, as a median: launches over packed panels are divided into work-groups with that in
    /// view, and launches of little work are priced with it. Measured, not fitted.
    double wake_seconds = 0;
    /// A CPU's first-level data cache: the lines that a set holds, where one way is 4 KiB, and the
    /// time of a line that comes from the next cache. Columns of a B that is read in place crowd it
    /// where more of them share a set. Both or none.
    std::int64_t cache_ways = 0; ///< 0: not known
    double cache_line_seconds = 0;
    /// Of a set of an Intel CPU's second-level TLB, which finds a page by the exclusive or of its
    /// number's lowest seven bits and the next seven: steps of an operand in place whose leading
    /// dimension is a multiple of 2064 share few sets. 0: not known.
    std::int64_t tlb_ways = 0;
    /// Of the cache of one core: a larger A that a launch over panels reads in place comes from
    /// further away again for each share of the columns. 0: not known, and a row's cached_bytes
    /// decide.
    double core_cache_bytes = 0;
    double memory_bandwidth = 0;          ///< that no pass but sums of slices exceeds; 0: no limit
    double flops_per_cycle_per_unit = 16; ///< fp32 operations of a compute unit (an fma is two)
    /// Clock of the device that the rows were measured on; 0: unknown. Their fixed times are scaled
    /// where another table takes them for a device of another clock.
    double clock_mhz = 0;
    /// Leading dimensions that are multiples of so many elements collide in memory channels ...
    std::int64_t ld_period = 0; ///< 0: none do
    double ld_slowdown = 1;     ///< ... and make a main kernel that reads them so much slower
    /// Bytes per second at which matrices go from device to device of one OpenCL context where
    /// several compute a product, at each call; 0: they share memory.
    double sharing_bandwidth = 0;
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
    /// Part of the shorter of two times that is not hidden behind the longer: of a lone
    /// work-group's, and of the computing of all that share a unit.
    double latency_exposure = 0;
    /// Time that a launch takes once, however many waves it has: until units are filled, and when
    /// they run empty.
    double start_seconds = 0;
    /// Time of a work-group beside its k loop: start, epilogue.
    double group_seconds = 0;
    /// Share of its time that a work-group spends waiting for others at the memory: less of it
    /// where there are fewer work-groups than units.
    double contention = 0;
    /// How far several waves run into each other: 0, each waits for the one before; 1, units that
    /// are ahead take over work until all end together.
    double wave_overlap = 0;
    /// How much slower a work-group at an edge is that checks bounds.
    double guarded_slowdown = 1.5;
    /// What is added to that for every halving of the loads of A, and of B: each is guarded by
    /// itself.
    double guarded_narrow = 0;
    double guarded_narrow_b = 0;
    /// How much slower all work-groups are where those at an edge move inward.
    double shifting_slowdown = 1;
    /// What a row or column more costs extended tiles, as a share of all.
    double extension_cost = 0.02;
    /// What is added to that for every halving of the loads of A or B, whichever is narrower.
    double extension_narrow = 0;
    /// Steps of tile_k that an incomplete last one costs, beside its own, where k is not padded.
    double k_tail_steps = 0;
    /// Factors to `efficiency` for every halving of the loads of A and B that alignment asks for;
    /// of `packed`, where as many vectors of an A in place straddle cache lines as can.
    double narrow_loads_a = 0.92;
    double narrow_loads_b = 0.92;
    /// Factors to `efficiency` where A or B is k-major and turned on the way; of a kernel that
    /// packs, to the speed of packing.
    double k_major_a = 1;
    double k_major_b = 1;
    /// Bytes of A and B that stay in a cache; the more of them do not, the closer `efficiency`
    /// comes to `uncached_factor` times itself. Zero: all do.
    double cached_bytes = 0;
    double uncached_factor = 1;
    /// Share of the machine's bandwidth that the kernel reaches, and the part of the shorter of
    /// computing and reading that is not hidden behind the longer.
    double bandwidth_share = 1;
    double memory_exposure = 0;
    /// For a kernel that packs, where it reads an operand in place whose rows or columns are not
    /// contiguous along k: a leading dimension that is a multiple of `in_place_period` (0: none is
    /// bad) crowds few cache sets. It divides `efficiency` by `in_place_collision`, and by as much
    /// again for each further factor of two; where C has few columns, the bandwidth at which A is
    /// read, packed or not. The period is that of a panel of one cache line. `in_place_collision_b`
    /// is B's, zero: as A's.
    std::int64_t in_place_period = 0;
    double in_place_collision = 1;
    double in_place_collision_b = 0;
    /// Of more bytes than this (zero: never), and of more than twice, four times as many,
    /// `efficiency` is multiplied by `far_in_place`. `in_place_bytes_b` and `far_in_place_b` are
    /// B's, which each panel of A reads again and not each tile; zero: as A's.
    double in_place_bytes = 0;
    double in_place_bytes_b = 0;
    double far_in_place = 1;
    double far_in_place_b = 0;
};

/// A time that a row's parameters come from.
struct Measurement {
    std::string shape;  ///< "NT/512x512x512"
    double seconds = 0; ///< median of a call with all its passes
    double spread = 0;  ///< distance of the quartiles over the median
};

/// One configuration that the planner may choose.
struct TableRow {
    std::string kernel;
    catalog::Parameters parameters; ///< those that differ from the catalogue's defaults
    KernelModel model;
    std::string source = {};     ///< first digits of the SHA-256 of the kernel it was tuned with
    std::string verified = {};   ///< what it was checked at, in words
    std::string provenance = {}; ///< where the parameters come from, if not from measurements here
    std::vector<Measurement> measured = {};
    int line = 0; ///< in the file it came from
};

/// What was found to be the fastest by timing, for a class of problems.
struct Choice {
    std::string problems;   ///< planning::problem_class()
    std::string plan;       ///< planning::PlanValue::variant
    std::string table = {}; ///< table_key() of the one it was found with; empty: any
};

/// A kernel that calls must not use on this device.
struct DisabledKernel {
    std::string kernel;
    catalog::Parameters parameters; ///< only with these; empty: with any
    std::string reason;             ///< in plain words
    std::string source = {};        ///< first digits of the SHA-256 of the source it is about
};

/// How a table came to be: facts by name ("device", "driver", "date", "command", ...).
using Provenance = std::map<std::string, std::string, std::less<>>;

struct DeviceTable {
    std::string origin;   ///< file it came from, for messages
    std::string embedded; ///< the same below tuning/devices/, if it is embedded; else empty
    std::string description;
    std::string rows_from; ///< embedded table whose rows count after this one's; empty: none
    DeviceMatch match;
    MachineModel machine;
    Provenance provenance;
    std::vector<TableRow> rows;
    std::vector<Choice> choices;
    std::vector<DisabledKernel> disabled;

    /// Whether the figures were measured on devices of this very name.
    bool is_measured() const { return match.name.has_value(); }
    /// Whether the figures are typical of many architectures, and the device's own may be far from
    /// them.
    bool is_generic() const { return !match.name && !match.architecture; }
};

/// Parses a table. Throws ConfigurationError with origin, line and key: bad TOML, unknown or
/// missing keys, wrong types, values out of range. Kernel names and parameters are checked by the
/// planner.
DeviceTable parse_table(std::string_view text, const std::string& origin);

/// The device's, for tables that are to be told from those of other CPUs of the same name; none if
/// unknown.
std::optional<std::string> known_microarchitecture(const DeviceTraits& device);

/// How well a table fits a device: exact name before microarchitecture before architecture before
/// vendor and type before type before a table that asks for nothing; negative if it does not fit.
int match_score(const DeviceMatch& match, const DeviceTraits& device);

/// The embedded table that fits best. Throws ConfigurationError if there is none.
DeviceTable built_in_table(const DeviceTraits& device);

/// The table of a file. Throws ConfigurationError with file, line and key where it cannot be read
/// or understood, is for another device, or has a row that breaks a rule of its kernel.
DeviceTable file_table(const std::string& file, const DeviceTraits& device,
                       const catalog::KernelCatalog& catalog);

/// Moves a file that is no table aside, to FILE.damaged, where it is about to be made anew; returns
/// that name. Empty: it is one, or there is none. Throws ConfigurationError for what cannot be read
/// or moved.
std::string set_aside_if_damaged(const std::string& file);

/// Where the table that a user tuned for this device lies:
/// $XDG_DATA_HOME/sgemm/tables/DEVICE.toml, or below ~/.local/share. Empty where there is no home.
std::string user_table_path(const DeviceTraits& device);

/// A file of that ending beside it: DEVICE.choices.toml. Empty where there is no home.
std::string beside_user_table(const DeviceTraits& device, const std::string& ending);

/// A device's name as part of a file name: "nvidia-h200".
std::string device_slug(const DeviceTraits& device);

/// What a Context uses: the file if one is given, else the user's own table for the device, else
/// the built-in one. A table that leaves the device no kernel for production, though the built-in
/// one would, is no good. A user's table that nobody named must not break programs: if it is no
/// good, or cannot be read, `complaint` says why and the built-in one is used. Kernels that a
/// self-test disabled on this machine are disabled in any table; `complaint` says if none is left.
/// Throws ConfigurationError else.
DeviceTable load_table(const std::string& file, const DeviceTraits& device,
                       const catalog::KernelCatalog& catalog, std::string& complaint);

/// The table of a file, by the library's own catalogue, or the built-in one: for tools.
DeviceTable load_table(const std::string& file, const DeviceTraits& device);

/// Rows whose kernel has another source than when they were tuned, one message each.
std::vector<std::string> stale_rows(const DeviceTable& table,
                                    const catalog::KernelCatalog& catalog);

} // namespace libsgemm::tables
