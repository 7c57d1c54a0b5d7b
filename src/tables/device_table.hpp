// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_catalog.hpp"
#include "catalog/parameters.hpp"
#include "catalog/variant.hpp"
#include "sgemm/device.hpp"
#include "tables/cost_model.hpp"

#include <array>
#include <cstddef>
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

/// One product in strict precision, in the column-major form that plans are made for.
struct ExactProblem {
    bool transpose_a = false, transpose_b = false;
    std::int64_t m = 0, n = 0, k = 0;
    std::array<std::int64_t, 3> ld = {}; ///< of A, B and C, in elements
    /// For each of them the largest power of two, at most 16, that divides its leading dimension
    /// and its offset.
    std::array<std::int64_t, 3> aligned = {};

    bool operator==(const ExactProblem&) const = default;
};

/// What was found to be the fastest by timing: for a class of problems, or for exactly one.
struct Choice {
    std::string problems; ///< planning::problem_class(); empty: `problem` says which one
    catalog::PlanKey plan;
    std::string table = {}; ///< table_key() of the one it was found with; empty: any
    std::optional<ExactProblem> problem = {};
    std::string source = {};    ///< first digits of the SHA-256 of its kernel's source; empty: any
    double seconds = 0;         ///< of a call, as measured; 0: unknown
    std::string runner_up = {}; ///< the best of the other plans, in words
    double runner_up_seconds = 0;
    std::string device = {}; ///< device_key() of the one it was found on; empty: any
    bool is_of_file = false; ///< of the file of choices that programs keep, not of the table
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
    std::string rows_from;     ///< embedded table whose rows count after this one's; empty: none
    std::size_t base_rows = 0; ///< of `rows`, the last ones: they are from there
    bool has_machine = true;   ///< false: without one of its own it has that of `rows_from`
    DeviceMatch match;
    MachineModel machine;
    Provenance provenance;
    std::vector<TableRow> rows;
    std::vector<Choice> choices;
    std::vector<DisabledKernel> disabled;

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

/// What a Context plans with that names no table: that of SGEMM_TABLE, else the user's own, else
/// the built-in one; by the library's own catalogue. For tools; `complaint` as above.
DeviceTable usual_table(const DeviceTraits& device, std::string& complaint);

/// The table of a file, by the library's own catalogue, or the built-in one: for tools.
DeviceTable load_table(const std::string& file, const DeviceTraits& device);

/// Whether a choice's kernel has another source than when it was measured, or none any more.
bool is_stale(const Choice& choice, const catalog::KernelCatalog& catalog);

/// Removes those. Returns what to tell of that, a line for each kernel: of which file, and what
/// measures again.
std::string drop_stale_choices(std::vector<Choice>& choices, const std::string& origin,
                               const std::string& remedy, const catalog::KernelCatalog& catalog);

/// Rows whose kernel has another source than when they were tuned, one message each.
std::vector<std::string> stale_rows(const DeviceTable& table,
                                    const catalog::KernelCatalog& catalog);

} // namespace libsgemm::tables
