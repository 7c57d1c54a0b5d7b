// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_entry.hpp"

#include <cstdint>
#include <optional>
#include <variant>

namespace libsgemm::planning {

/// Who sums rows and columns that are in no tile (kernels/nvidia/fringe.clh).
struct Fringe {
    std::int64_t first_group = 0; ///< that takes part; all behind it do
    double seconds = 0;           ///< that it lasts behind the last tile
};

/// What a main kernel is launched on: padded extents where the kernel needs whole tiles, the depth
/// of one range where k is split.
struct MainWork {
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    std::int64_t batch = 1;                     ///< times the ranges of split-K
    EdgeStrategy edges = EdgeStrategy::padding; ///< of a kernel with selectable edges
    /// How often the global loads of A and B are halved against the row's parameters, as alignment
    /// asks; 0 where the kernel brings the operand element by element anyway.
    int halvings_a = 0;
    int halvings_b = 0;
    bool a_k_major = false; ///< as the kernel reads it
    bool b_k_major = false;
    bool ld_collides = false;     ///< an operand is read with a leading dimension of the bad period
    bool k_in_parts = false;      ///< one of several launches that share k
    std::optional<Fringe> fringe; ///< with extended tiles: what they are extended by is no tile's
    double summed_bytes = 0;      ///< that the last work-group of a tile reads of all parts of it
    double packed_beside = 0;     ///< elements that it packs for the launch behind it, meanwhile
    /// Tiles' worth of steps that each work-group does of stream-K; 0:
    /// tiles are whole.
    double stream_tiles = 0;
};

/// What a pass reads and writes.
struct PassWork {
    double bytes = 0;
    bool transposes = false;
    double groups = 0; ///< work-groups
    int partial_sums =
        0; ///< that a work-item adds, one after the other, or loads that take as long
};

/// What a kernel that packs operands itself is launched on.
struct PackedWork {
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    std::int64_t batch = 1;
    int split_k = 1;           ///< of k
    std::int64_t groups_n = 1; ///< work-groups that share the columns of C
    int vector_width = 1;      ///< elements: rows of C are computed by whole vectors
    int depth = 0;             ///< most steps along k of a panel
    bool pack_a = false;
    bool pack_b = false;    ///< by every work-group, for its rows
    bool a_k_major = false; ///< transposed while it is packed
    bool b_k_major = false;
    /// Leading dimensions of operands that are not contiguous along k; zero: contiguous, or B is
    /// transposed or packed.
    std::int64_t apart_a = 0;
    std::int64_t apart_b = 0;
    /// Leading dimension of a k-major B that is read in place, a stream for each column; zero: it
    /// is not.
    std::int64_t streams_b_apart = 0;
    /// Vectors of an A in place that straddle two cache lines, as a share of the most that can.
    double straddling_a = 0;
};

/// What a step's time is predicted from.
using Work = std::variant<PassWork, MainWork, PackedWork>;

} // namespace libsgemm::planning
