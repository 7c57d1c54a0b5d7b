// SPDX-License-Identifier: Apache-2.0
// The object of the public interface, and the members of Context that make it and take it.
#include "sgemm/packed_matrix.hpp"

#include "context/core.hpp"
#include "sgemm/context.hpp"
#include "sgemm/error.hpp"

#include <string>
#include <utility>

namespace libsgemm {

PackedMatrix::PackedMatrix(Key /*key*/, std::shared_ptr<const detail::PackedState> state) noexcept
    : state_(std::move(state)) {}
PackedMatrix::PackedMatrix(const PackedMatrix&) noexcept = default;
PackedMatrix::PackedMatrix(PackedMatrix&&) noexcept = default;
PackedMatrix& PackedMatrix::operator=(const PackedMatrix&) noexcept = default;
PackedMatrix& PackedMatrix::operator=(PackedMatrix&&) noexcept = default;
PackedMatrix::~PackedMatrix() = default;

const detail::PackedState& PackedMatrix::state() const {
    if (state_ == nullptr) {
        throw ArgumentError("packed matrix", "moved from", "must hold a packed operand");
    }
    return *state_;
}

Operand PackedMatrix::operand() const {
    return state().operand;
}

Precision PackedMatrix::precision() const {
    return state().canonical.packed.scheme;
}

std::size_t PackedMatrix::bytes() const {
    return state().bytes;
}

Event PackedMatrix::event() const {
    return Event(device::EventHandle(state().packed).release());
}

std::string PackedMatrix::describe() const {
    return state().describe();
}

// --- of Context ---------------------------------------------------------------------------------

PackedMatrix Context::pack(cl_command_queue queue, const Problem& problem, Operand operand,
                           const Matrix& matrix, const std::vector<cl_event>& wait_list) const {
    return {PackedMatrix::Key::context, core()->pack(queue, problem, operand, matrix, wait_list)};
}

Event Context::gemm(cl_command_queue queue, const Problem& problem, float alpha,
                    const PackedMatrix& a, const Matrix& b, float beta, const Matrix& c,
                    const std::vector<cl_event>& wait_list, Completion completion) const {
    return core()->gemm(problem, {queue, alpha, beta, {{}, b, c}, wait_list, completion},
                        {&a.state(), nullptr});
}

Event Context::gemm(cl_command_queue queue, const Problem& problem, float alpha, const Matrix& a,
                    const PackedMatrix& b, float beta, const Matrix& c,
                    const std::vector<cl_event>& wait_list, Completion completion) const {
    return core()->gemm(problem, {queue, alpha, beta, {a, {}, c}, wait_list, completion},
                        {nullptr, &b.state()});
}

Event Context::gemm(cl_command_queue queue, const Problem& problem, float alpha,
                    const PackedMatrix& a, const PackedMatrix& b, float beta, const Matrix& c,
                    const std::vector<cl_event>& wait_list, Completion completion) const {
    return core()->gemm(problem, {queue, alpha, beta, {{}, {}, c}, wait_list, completion},
                        {&a.state(), &b.state()});
}

} // namespace libsgemm
