// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sgemm/event.hpp"
#include "sgemm/export.hpp"
#include "sgemm/problem.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace libsgemm {

/// Which operand of C = alpha * op(A) * op(B) + beta * C.
enum class Operand : std::uint8_t { a, b };

namespace detail {
struct PackedState;
}

/// An operand that was brought into the library's own form once, by Context::pack(), to be
/// multiplied many times: weights, for example. Owns device memory: a copy of the operand, and
/// where the precision splits operands its parts, scales and what is known of its values.
/// The matrix that it was made from is not needed any more once event() is complete.
///
/// Stands for that operand in Context::gemm(), in any number of calls, from any number of threads
/// and on any queues of the Context's device at once; a call waits on the device until it is
/// packed. Copies share the memory, which lives as long as any of them and any call that was
/// enqueued with one.
class SGEMM_API PackedMatrix {
public:
    PackedMatrix(const PackedMatrix&) noexcept;
    PackedMatrix(
        PackedMatrix&&) noexcept; ///< leaves an object that can only be assigned to or destroyed
    PackedMatrix& operator=(const PackedMatrix&) noexcept;
    PackedMatrix& operator=(PackedMatrix&&) noexcept;
    ~PackedMatrix();

    // These throw ArgumentError for an object that was moved from.

    Operand operand() const;
    /// The splits that it holds; strict: only a copy.
    Precision precision() const;
    /// Device memory that it owns.
    std::size_t bytes() const;
    /// Completes when it is packed.
    Event event() const;
    /// One line for people: "A 4096x1024, packed for fp16x2, 33.0 MiB".
    std::string describe() const;

private:
    friend class Context;
    /// Braces cannot make one: `{nullptr, 0}` in its place is a Matrix.
    enum class Key : std::uint8_t { context };
    PackedMatrix(Key key, std::shared_ptr<const detail::PackedState> state) noexcept;
    const detail::PackedState& state() const;

    std::shared_ptr<const detail::PackedState> state_;
};

} // namespace libsgemm
