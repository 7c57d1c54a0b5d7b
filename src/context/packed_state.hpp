// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/handles.hpp"
#include "problem/canonical_problem.hpp"
#include "sgemm/packed_matrix.hpp"
#include "sgemm/problem.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace libsgemm::detail {

class Core;

/// What a public PackedMatrix holds. Not changed once it is made, but for what is known of its
/// event.
struct PackedState {
    std::shared_ptr<const Core> core;
    Operand operand = Operand::a;
    Layout layout = Layout::column_major;
    Transpose transpose = Transpose::no;
    std::int64_t rows = 0; ///< of op(A), or columns of op(B)
    std::int64_t k = 0;
    std::int64_t matrices = 1;               ///< one: shared by all products of a batch
    Precision precision = Precision::strict; ///< that was asked for
    validate::Operand canonical;             ///< the copy, and its parts
    device::BufferHandle buffer;             ///< null where the operand has no elements
    std::size_t bytes = 0;
    device::EventHandle packed;
    mutable std::atomic<bool> is_complete{false};

    /// What a call has to wait for; null once it is packed. Throws OpenClError if packing failed.
    cl_event pending() const;
    std::string describe() const;
};

/// Packed operands of a call, each in the place of a matrix; null: the matrix counts.
struct PackedOperands {
    const PackedState* a = nullptr;
    const PackedState* b = nullptr;
};

} // namespace libsgemm::detail
