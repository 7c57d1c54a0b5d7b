// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/clblast.h"
#include "sgemm/problem.hpp"

#include <cstddef>
#include <span>

namespace libsgemm::clblast_door {

using ::clblast::StatusCode;

/// An operand of a call, in elements: an offset for each product, or the first one's and the
/// distance to the next.
struct Operand {
    cl_mem buffer = nullptr;
    std::size_t ld = 0;
    std::span<const std::size_t> offsets = {};
    std::size_t stride = 0;
};

/// A call of CLBlast's Gemm, GemmBatched or GemmStridedBatched. It owns nothing: the arguments
/// outlive it.
struct GemmCall {
    ::clblast::Layout layout = ::clblast::Layout::kColMajor;
    ::clblast::Transpose transpose_a = ::clblast::Transpose::kNo;
    ::clblast::Transpose transpose_b = ::clblast::Transpose::kNo;
    std::size_t m = 0, n = 0, k = 0;
    Operand a, b, c;
    std::span<const float> alphas, betas; ///< one for each offset of C
    std::size_t batch_count = 1;
    /// GemmBatched takes any leading dimension of A and B.
    bool checks_ld_of_operands = true;
};

/// What CLBlast says of the call before it enqueues anything: the first rule that is broken, in its
/// order. kSuccess: none.
StatusCode check(const GemmCall& call);

/// Whether a leading dimension of A or B makes their columns overlap, which GemmBatched allows, and
/// this library does not.
bool has_overlapping_columns(const GemmCall& call);

/// Layout, transposes, sizes, leading dimensions and a batch at equal distances.
Problem to_problem(const GemmCall& call);

} // namespace libsgemm::clblast_door
