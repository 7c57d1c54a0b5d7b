// SPDX-License-Identifier: Apache-2.0
#include "doors/clblast/gemm_call.hpp"

#include <algorithm>
#include <cstdint>

namespace libsgemm::clblast_door {
namespace {

struct Extents {
    std::size_t line = 0;  ///< contiguous elements
    std::size_t lines = 0; ///< `ld` apart
};

bool is_row_major(const GemmCall& call) {
    return call.layout == ::clblast::Layout::kRowMajor;
}

bool is_transposed(::clblast::Transpose transpose) {
    return transpose != ::clblast::Transpose::kNo; // real numbers are their own conjugates
}

Extents extents(std::size_t rows, std::size_t columns, bool is_other_way) {
    return is_other_way ? Extents{columns, rows} : Extents{rows, columns};
}
Extents extents_a(const GemmCall& call) {
    return extents(call.m, call.k, is_row_major(call) != is_transposed(call.transpose_a));
}
Extents extents_b(const GemmCall& call) {
    return extents(call.k, call.n, is_row_major(call) != is_transposed(call.transpose_b));
}
Extents extents_c(const GemmCall& call) {
    return extents(call.m, call.n, is_row_major(call));
}

struct Codes {
    StatusCode ld;
    StatusCode memory;
    StatusCode matrix;
};

StatusCode check_operand(const GemmCall& call, const Operand& operand, Extents extents,
                         bool checks_ld, const Codes& codes) {
    if (checks_ld && operand.ld < extents.line) {
        return codes.ld;
    }
    std::size_t bytes = 0;
    if (operand.buffer == nullptr || clGetMemObjectInfo(operand.buffer, CL_MEM_SIZE, sizeof bytes,
                                                        &bytes, nullptr) != CL_SUCCESS) {
        return codes.matrix;
    }
    const std::size_t furthest = *std::max_element(operand.offsets.begin(), operand.offsets.end()) +
                                 operand.stride * (call.batch_count - 1);
    const std::size_t needed = operand.ld * (extents.lines - 1) + extents.line + furthest;
    return bytes / sizeof(float) < needed ? codes.memory : StatusCode::kSuccess;
}

} // namespace

StatusCode check(const GemmCall& call) {
    if (call.batch_count == 0) {
        return StatusCode::kInvalidBatchCount;
    }
    if (call.m == 0 || call.n == 0 || call.k == 0) {
        return StatusCode::kInvalidDimension;
    }
    StatusCode status =
        check_operand(call, call.a, extents_a(call), call.checks_ld_of_operands,
                      {StatusCode::kInvalidLeadDimA, StatusCode::kInsufficientMemoryA,
                       StatusCode::kInvalidMatrixA});
    if (status == StatusCode::kSuccess) {
        status = check_operand(call, call.b, extents_b(call), call.checks_ld_of_operands,
                               {StatusCode::kInvalidLeadDimB, StatusCode::kInsufficientMemoryB,
                                StatusCode::kInvalidMatrixB});
    }
    if (status == StatusCode::kSuccess) {
        status = check_operand(call, call.c, extents_c(call), true,
                               {StatusCode::kInvalidLeadDimC, StatusCode::kInsufficientMemoryC,
                                StatusCode::kInvalidMatrixC});
    }
    return status;
}

bool has_overlapping_columns(const GemmCall& call) {
    return call.a.ld < extents_a(call).line || call.b.ld < extents_b(call).line;
}

Problem to_problem(const GemmCall& call) {
    const auto size = [](std::size_t value) { return static_cast<std::int64_t>(value); };
    Problem problem(size(call.m), size(call.n), size(call.k));
    problem.layout = is_row_major(call) ? Layout::row_major : Layout::column_major;
    problem.transpose_a = is_transposed(call.transpose_a) ? Transpose::yes : Transpose::no;
    problem.transpose_b = is_transposed(call.transpose_b) ? Transpose::yes : Transpose::no;
    problem.lda = size(call.a.ld);
    problem.ldb = size(call.b.ld);
    problem.ldc = size(call.c.ld);
    if (call.c.offsets.size() == 1) {
        problem.batch_count = size(call.batch_count);
        problem.batch_stride_a = size(call.a.stride);
        problem.batch_stride_b = size(call.b.stride);
        problem.batch_stride_c = size(call.c.stride);
    }
    return problem;
}

} // namespace libsgemm::clblast_door
