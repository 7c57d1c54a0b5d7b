// SPDX-License-Identifier: Apache-2.0
#include "context/alignment.hpp"

#include "sgemm/error.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

namespace libsgemm::detail {
namespace {

using validate::CheckedProblem;
using validate::Matrices;

/// No kernel reads more than 16 elements at once; finer keys would only make more plans.
std::int64_t planned_alignment(std::int64_t alignment) {
    return std::min<std::int64_t>(16, alignment);
}

void check_alignment(const char* name, std::int64_t offset, std::int64_t alignment,
                     std::int64_t planned) {
    if (alignment < planned) {
        throw ArgumentError(std::string(name) + ".offset", std::to_string(offset),
                            "the first element's address must be a multiple of " +
                                std::to_string(planned) + " elements, as the plan was made for");
    }
}

} // namespace

Matrices canonical_matrices(const CheckedProblem& problem, const Matrices& matrices) {
    return problem.canonical.operands_swapped ? Matrices{matrices.b, matrices.a, matrices.c}
                                              : matrices;
}

void set_alignments(CheckedProblem& problem, const validate::Alignments& alignments) {
    auto& canonical = problem.canonical;
    const bool swapped = canonical.operands_swapped;
    canonical.a.offset_alignment = planned_alignment(swapped ? alignments.b : alignments.a);
    canonical.b.offset_alignment = planned_alignment(swapped ? alignments.a : alignments.b);
    canonical.c.offset_alignment = planned_alignment(alignments.c);
    canonical.c_is_write_only = alignments.c_is_write_only;
}

void check_alignments(const CheckedProblem& problem, const Matrices& matrices,
                      const validate::Alignments& actual) {
    const auto& canonical = problem.canonical;
    const bool swapped = canonical.operands_swapped;
    check_alignment("A", matrices.a.offset, actual.a,
                    (swapped ? canonical.b : canonical.a).offset_alignment);
    check_alignment("B", matrices.b.offset, actual.b,
                    (swapped ? canonical.a : canonical.b).offset_alignment);
    check_alignment("C", matrices.c.offset, actual.c, canonical.c.offset_alignment);
}

} // namespace libsgemm::detail
