// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/family.hpp"
#include "catalog/parameters.hpp"
#include "catalog/variant.hpp"
#include "problem/canonical_problem.hpp"
#include "sgemm/device.hpp"
#include "sgemm/problem.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace libsgemm::catalog {

/// One tunable: a macro of the kernel source, with the values that the tuner tries.
struct ParameterSpec {
    std::string_view name;   ///< "tile_m"
    std::string_view define; ///< "TSM"; empty: it is the plan's, and programs do not differ by it
    int default_value;
    std::span<const int> values;
    std::string_view meaning;
    int minimum = 1; ///< what a table or a caller may set; constraints then say what goes together
    int maximum = 4096; ///< keeps products of two parameters within an int
};

/// A parameter of this name limits the registers of a work-item (KernelBuild::max_registers).
inline constexpr std::string_view max_registers_name = "max_registers";
/// Parameters of these names are the elements of A and B per load, which a plan may halve.
inline constexpr std::string_view load_width_a_name = "load_width_a";
inline constexpr std::string_view load_width_b_name = "load_width_b";

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
    int m = 1;          ///< rows of C per work-group
    int n = 1;          ///< columns of C per work-group
    int k = 1;          ///< depth of one step; K is padded to a multiple
    int extra_rows = 0; ///< work-groups along m are those of as many rows more
    int least_k = 1;    ///< of the products that it takes
    int most_k = std::numeric_limits<int>::max();
    std::array<int, 2> local = {1, 1}; ///< work-group size
    std::int64_t local_memory_bytes = 0;
    /// Elements that ld, offset and batch stride of A, B and C must be multiples of (vector
    /// access).
    int alignment_a = 1;
    int alignment_b = 1;
    int alignment_c = 1;
    /// Rows and columns of a register tile; only for a kernel whose work-items compute several. One
    /// that packs asks C to have as many rows where A is not packed.
    int panel_m = 1;
    int panel_n = 1;
    /// Work-groups along m share the rows as equally as panels allow; else all but the last have as
    /// many as the tile.
    bool equal_rows = false;
    bool equal_columns = false; ///< the same along n
    /// What a work-item keeps; 0: the sums of its share of the tile, and what an unrolled step
    /// loads.
    int private_floats = 0;

    bool takes_k(std::int64_t depth) const { return depth >= least_k && depth <= most_k; }
    /// A product's k, or one that it takes in the place of one that it does not.
    std::int64_t some_k(std::int64_t depth) const {
        const std::int64_t count = std::int64_t{most_k} - least_k + 1;
        return takes_k(depth) ? depth : least_k + depth % count;
    }
    int work_items() const { return local[0] * local[1]; }
};

/// What a kernel does where sizes are not multiples of its tile.
enum class Edges : std::uint8_t {
    any_size,    ///< checks bounds itself, always
    whole_tiles, ///< needs whole tiles (and so, maybe, padding passes)
    selectable,  ///< each build has one of Variant::edges, in the define EDGES
};

/// The storage that a kernel reads in place.
enum class Accepts : std::uint8_t { mn_major, k_major, either };

inline bool accepts(Accepts accepted, validate::Major major) {
    return accepted == Accepts::either ||
           (accepted == Accepts::mn_major) == (major == validate::Major::mn);
}

/// How work-groups share the k of a tile.
enum class SplitK : std::uint8_t {
    none,
    at_build,  ///< each sums a part of k: takes SPLIT_K
    at_launch, ///< the same; the number of parts is its last number, so that one program serves all
    stream_k,  ///< more than one: all share the steps of the last tiles
};

/// What a kernel is there for.
enum class Purpose : std::uint8_t {
    produces, ///< the products of programs: the tuner searches its parameters
    teaches,  ///< to be read and compared: a step of a tutorial
};

/// Products with more than a few rows and columns.
bool is_not_thin(const validate::CanonicalProblem& problem, const DeviceTraits& device);

/// Macro definitions of a build, in order.
using Defines = std::vector<std::pair<std::string, std::string>>;

/// One main kernel: everything that planner, compiler, bench, tuner and tests need to know of it.
/// Its OpenCL interface is the contract in kernels/README.md.
struct KernelEntry {
    std::string_view name;     ///< "06_register_tiles_2d"
    std::string_view source;   ///< "progression/06_register_tiles_2d.cl"
    std::string_view function; ///< "sgemm_register_tiles_2d"
    std::string_view summary;
    Purpose purpose = Purpose::produces;
    /// The devices that it is made for; none: any. On others, too, it runs where `needs` are met.
    std::optional<DeviceType> device_type = {};
    /// The products that it is made for. The tuner measures it with them; tables choose freely.
    bool (*suits)(const validate::CanonicalProblem&, const DeviceTraits&) = is_not_thin;
    std::vector<ParameterSpec> parameters = {};
    std::vector<Constraint> constraints = {};
    std::vector<DeviceNeed> needs = {};
    Accepts a = Accepts::mn_major;
    Accepts b = Accepts::k_major;
    Edges edges = Edges::whole_tiles;
    SplitK split_k = SplitK::none;
    Family family = {};
    /// Other than `strict`: it multiplies parts of the operands' values (FP32 emulation).
    Precision precision = Precision::strict;
    /// PlanValue::bound_terms; only with such a precision.
    double (*bound_terms)(const Parameters&, std::int64_t k) = nullptr;
    Defines constants = {}; ///< macros that no one chooses; they tell entries of one source apart
    TileShape (*tile)(const Parameters&) = nullptr;
    /// Whether a build has instructions that compute capability 9.0 alone has (KernelBuild). Null:
    /// none has.
    bool (*architecture_specific)(const Parameters&) = nullptr;

    const ParameterSpec* find_parameter(std::string_view parameter) const;
    Parameters defaults() const;
    /// `given`, and the defaults of what it does not name.
    Parameters completed(const Parameters& given) const;
};

/// What is particular to a kernel whose work-groups compute tiles, persistent or not; null: it is
/// of another family.
inline const Tiled* tiled_of(const KernelEntry& kernel) {
    if (const auto* persistent = std::get_if<Persistent>(&kernel.family)) {
        return persistent;
    }
    const auto* flat = std::get_if<Flat>(&kernel.family);
    return flat != nullptr ? flat : std::get_if<Tiled>(&kernel.family);
}

/// Whether it is made for devices of this type.
inline bool is_made_for(const KernelEntry& kernel, DeviceType type) {
    return kernel.device_type.value_or(type) == type;
}

template <class OneFamily>
bool is_of(const KernelEntry& kernel) {
    return std::holds_alternative<OneFamily>(kernel.family);
}

/// Whether a variant of the kernel may have these edges (Variant::edges).
bool takes(const KernelEntry& kernel, EdgeStrategy edges);

/// KernelEntry::architecture_specific, if there is one.
inline bool is_architecture_specific(const KernelEntry& kernel, const Parameters& parameters) {
    return kernel.architecture_specific != nullptr && kernel.architecture_specific(parameters);
}

/// Every rule that `parameters` break on this device: unknown or missing names, values out of
/// range, constraints, device needs, work-group size and extents, local memory, vector alignment.
/// Each message names value and limit. Empty: they can run.
std::vector<std::string> obstacles(const KernelEntry& kernel, const Parameters& parameters,
                                   const DeviceTraits& device);

/// Whether parameters with the right names keep all constraints.
bool keeps_constraints(const KernelEntry& kernel, const Parameters& parameters);

/// obstacles().empty() for parameters with the right names and values in range, and much faster:
/// for searches.
bool can_run(const KernelEntry& kernel, const Parameters& parameters, const DeviceTraits& device);

/// What a plan chooses for a build, beside the parameters.
struct BuildChoice {
    validate::Major a = validate::Major::mn;
    validate::Major b = validate::Major::mn;
    Variant variant = {}; ///< as far as the kernel takes its choices
    std::int64_t k = 0;   ///< of the product, which equal steps share; 0: one whole step
    int extend_m = 0; ///< rows and columns that extended tiles can take; only with that strategy
    int extend_n = 0;
    bool strict_inside = false; ///< only for FP32 emulation
    bool packs_next = false;    ///< the same: packs for the next launch, too
};

/// Depth of the steps that share k as equally as they can, none deeper than `deepest`.
std::int64_t equal_depth(std::int64_t k, std::int64_t deepest);

/// The defines of a main kernel's build: its parameters and constants, how A and B are stored, and,
/// as far as the kernel takes them, EDGES, EXTEND_M, EXTEND_N, SPLIT_K, SUM_IN_LAUNCH, CHUNK,
/// EXACT_K, STRICT_INSIDE and PACKS_NEXT.
Defines main_kernel_defines(const KernelEntry& kernel, const Parameters& parameters,
                            const BuildChoice& choice);
/// The same for whole tiles and undivided k.
inline Defines main_kernel_defines(const KernelEntry& kernel, const Parameters& parameters,
                                   validate::Major a, validate::Major b) {
    return main_kernel_defines(kernel, parameters, BuildChoice{.a = a, .b = b});
}

} // namespace libsgemm::catalog
