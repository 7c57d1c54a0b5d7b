// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The choices of a plan that no program needs to make, for comparisons and experiments. Not part
/// of sgemm.hpp, and without its promise: names, values and meanings may change with any version.

#include "sgemm/plan.hpp"

#include <cstdint>

namespace libsgemm {

/// How tiles that reach past the matrices are handled.
enum class EdgeStrategy : std::uint8_t {
    automatic, ///< whatever is predicted to be fastest
    none,      ///< operands read and written in place: only where the tiles fit exactly, or any fit
    padding,   ///< passes copy operands to tile multiples and back
    guarded,   ///< tiles at the edges read their last row or column again and store what is C
    pointer_shift, ///< the kernel moves tiles at the edges inward; m and n are at least one tile
    extension,     ///< the last tiles take up to 8 rows and columns more; m, n at least one tile
};

/// How an operand that needs both a transposition and padding gets them.
enum class PrePassStyle : std::uint8_t {
    automatic, ///< fused
    fused,     ///< one pass that does both
    separate,  ///< one pass each
};

/// Whether operands are copied to another leading dimension although they could be read in place.
enum class Repack : std::uint8_t {
    /// where it is predicted to pay: leading dimensions that collide in memory channels, operands
    /// that a kernel would transpose element by element again and again
    automatic,
    never,
    always,
    only_a, ///< A is, B is not
    only_b,
};

/// How the sums of several work-groups that share the k of a tile are added.
enum class SplitKReduction : std::uint8_t {
    automatic, ///< whatever is predicted to be fastest
    pass,      ///< by a launch of its own
    /// by the last of them to arrive, where a kernel can, else by a launch; nothing is padded for
    /// it
    fused,
};

/// Whether the rows and columns of C behind the last whole tile are products of their own, each by
/// the kernel that is predicted to be fastest for it.
enum class Peeling : std::uint8_t {
    automatic, ///< where it is predicted to pay; not where the other options ask for something
    never,
    /// wherever there is a whole tile and something is left over; the other options are the main
    /// block's. In strict products only.
    always,
};

/// All that can be said of a plan: for Context::plan(), and as ContextOptions::expert.
struct ExpertPlanOptions : PlanOptions {
    EdgeStrategy edges = EdgeStrategy::automatic;
    PrePassStyle pre_passes = PrePassStyle::automatic;
    /// Of split_k.
    SplitKReduction reduction = SplitKReduction::automatic;
    /// Launches, one after the other, that share m, n and k; 0: by prediction, 1: not divided.
    int parts_m = 0;
    int parts_n = 0;
    int parts_k = 0;
    Repack repack = Repack::automatic;
    Peeling peeling = Peeling::automatic;
};

} // namespace libsgemm
