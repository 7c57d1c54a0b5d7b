// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/kernel_entry.hpp"
#include "plan/candidate.hpp"
#include "plan/step_list.hpp"
#include "problem/canonical_problem.hpp"

#include <cstdint>

namespace libsgemm::planning {

/// What the main kernel reads of an operand, and which step writes it.
struct Input {
    Place place;
    validate::Major major = validate::Major::mn;
    int written_by = -1; ///< negative: it is the caller's own
    bool copied = false; ///< by anything but a mere transposition
};

/// How an operand is to reach the main kernel.
struct InputNeeds {
    const char* name = "";
    Argument::Kind buffer = Argument::Kind::buffer_a;
    Argument::Kind offset = Argument::Kind::offset_a;
    catalog::Accepts accepted = catalog::Accepts::either;
    int alignment = 1;   ///< of ld, offset and stride, in elements
    std::int64_t mn = 0; ///< extents of the operand
    std::int64_t k = 0;
    std::int64_t padded_mn = 0; ///< extents that the kernel reads
    std::int64_t padded_k = 0;
    std::int64_t batch = 1;
    PrePassStyle style = PrePassStyle::fused;
    EdgeStrategy edges = EdgeStrategy::padding;
    bool relay = false; ///< copy even if it could be read in place
};

/// The caller's operand as it lies.
Place caller_place(Argument::Kind buffer, Argument::Kind offset, const validate::Operand& operand);

/// Whether vector accesses of `alignment` elements fit an operand where it lies.
bool is_aligned(const validate::Operand& operand, int alignment, std::int64_t batch);

/// Whether tiles at the edges read whole vectors although the operand may end within one.
inline bool reads_whole_vectors(EdgeStrategy edges) {
    return edges == EdgeStrategy::guarded || edges == EdgeStrategy::pointer_shift;
}

/// Whether a main kernel can read an operand with mn rows or columns where it lies by vectors of
/// `width` elements.
bool reads_in_place(const validate::Operand& operand, std::int64_t mn, int width,
                    std::int64_t batch, EdgeStrategy edges);

/// Adds the pre-passes that an operand needs: none, pad, transpose, both fused or one by one.
Input prepare_input(const validate::Operand& operand, const InputNeeds& needs,
                    const PassContext& context, StepList& steps);

} // namespace libsgemm::planning
