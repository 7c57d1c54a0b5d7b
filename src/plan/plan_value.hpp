// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_entry.hpp"
#include "plan/work.hpp"
#include "sgemm/problem.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace libsgemm::planning {

/// Which role a launch plays in a plan.
enum class PassKind : std::uint8_t { pre_pass, main_kernel, post_pass };

/// A kernel argument by meaning; the executor knows the values when a call is made.
/// Operands are those of the canonical (column-major) problem.
struct Argument {
    enum class Kind : std::uint8_t {
        // The caller's buffers, and their offsets (64-bit).
        buffer_a,
        buffer_b,
        buffer_c,
        offset_a,
        offset_b,
        offset_c,
        workspace, ///< the call's workspace buffer
        counters,  ///< 32 bits each, zero before a launch and behind it
        integer,   ///< `value`; 64-bit
        // The caller's scalars, and constants of their type.
        alpha,
        beta,
        one,
        zero,
    };
    Kind kind = Kind::integer;
    std::int64_t value = 0;
};

/// What must be compiled for a launch. Equal values share one program.
struct KernelBuild {
    std::string name;   ///< for people: catalogue or pass name
    std::string source; ///< path of the embedded file
    std::string function;
    catalog::Defines defines;
    catalog::BuildChoice choice = {}; ///< of a main kernel: what the defines say beside parameters
    int max_registers = 0; ///< of a work-item, where the compiler takes such a limit; 0: none
    /// Needs instructions that one architecture alone has: see compile/retarget.hpp.
    bool architecture_specific = false;
};

struct NdRange {
    std::array<std::size_t, 3> global = {1, 1, 1};
    std::array<std::size_t, 3> local = {1, 1, 1};
};

/// One kernel launch.
struct Step {
    PassKind kind = PassKind::main_kernel;
    KernelBuild build;
    NdRange range;
    std::vector<Argument> arguments;
    std::vector<int> after; ///< indices of steps whose results this one reads or overwrites
    Work work;              ///< what the prediction was made from
    double predicted_seconds = 0;
    std::string purpose; ///< e.g. "A: transpose and pad 1000x1000 to 1024x1008"
};

/// Counters that a launch may have.
inline constexpr std::int64_t most_counters = 1 << 14;

/// A complete way to compute a problem: a plain value, no OpenCL objects.
struct PlanValue {
    const catalog::KernelEntry* kernel = nullptr; ///< null: no main kernel (C is only scaled)
    catalog::Parameters parameters;
    catalog::Variant variant;
    int row = -1;            ///< of the device table; negative: none
    std::string strategy;    ///< e.g. "in place", "padding"
    std::vector<Step> steps; ///< in an order that respects `after`
    std::size_t workspace_bytes = 0;
    bool counts = false;                     ///< a step has counters
    double predicted_seconds = 0;            ///< of a call: of its steps, and what it takes beside
    Precision precision = Precision::strict; ///< how the main kernel multiplies
    /// |C - exact| <= bound_terms * 2^-24 * (|alpha| |op(A)| |op(B)| + |beta| |C|), element by
    /// element.
    double bound_terms = 0;

    /// Only of one with a main kernel.
    catalog::PlanKey key() const { return {std::string(kernel->name), parameters, variant}; }
    /// "tiled (tile_m=64 ...), guarded, split-K 4"; "no main kernel".
    std::string to_string() const;
};

} // namespace libsgemm::planning
