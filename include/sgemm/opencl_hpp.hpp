// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The calls of the other headers for programs that use the C++ bindings. They have included
/// <CL/opencl.hpp> (or <CL/cl2.hpp>) with macros of their own choice before; this header chooses
/// none. With Completion::in_queue the event that is returned is empty. Handles are borrowed:
/// nothing here retains a buffer.

#if !defined(CL_HPP_)
#error "include <CL/opencl.hpp> before <sgemm/opencl_hpp.hpp>"
#endif

#include "sgemm/sgemm.hpp"

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace libsgemm {

/// As the constructor of Context.
inline Context make_context(const cl::Context& context, const cl::Device& device,
                            ContextOptions options = {}) {
    return {context(), device(), std::move(options)};
}

/// As context_of() of the C handle.
inline Context context_of(const cl::CommandQueue& queue) {
    return context_of(queue());
}

/// The matrix whose first element is `offset` elements into `buffer`.
inline Matrix matrix(const cl::Buffer& buffer, std::int64_t offset = 0) {
    return Matrix{buffer(), offset};
}

/// The matrices of a batch whose first elements are `offsets` elements into `buffer`.
inline MatrixBatch matrix_batch(const cl::Buffer& buffer, std::vector<std::int64_t> offsets) {
    return MatrixBatch{buffer(), std::move(offsets)};
}

namespace detail {

// They outlive every use of the result.
template <class Object>
auto handles(const std::vector<Object>& objects) {
    std::vector<typename Object::cl_type> raw;
    raw.reserve(objects.size());
    for (const Object& object : objects)
        raw.push_back(object());
    return raw;
}

inline cl::Event owned(Event event) {
    return cl::Event(event.release());
}

// A buffer, of whatever class, stands for the matrix at its start.
template <class Operand>
decltype(auto) operand(const Operand& given) {
    if constexpr (std::is_base_of_v<cl::Buffer, Operand>)
        return matrix(given);
    else
        return (given);
}

} // namespace detail

/// As Context::gemm(). A and B are cl::Buffer, Matrix or PackedMatrix each, C is cl::Buffer or
/// Matrix; a buffer stands for the matrix at its start.
template <class A = Matrix, class B = Matrix, class C = Matrix>
cl::Event gemm(const Context& context, const cl::CommandQueue& queue, const Problem& problem,
               float alpha, const A& a, const B& b, float beta, const C& c,
               const std::vector<cl::Event>& wait_list = {},
               Completion completion = Completion::event) {
    return detail::owned(context.gemm(queue(), problem, alpha, detail::operand(a),
                                      detail::operand(b), beta, detail::operand(c),
                                      detail::handles(wait_list), completion));
}

/// As gemm() by the queue's own Context, with the arguments of BLAS.
inline cl::Event gemm(const cl::CommandQueue& queue, Layout layout, Transpose transpose_a,
                      Transpose transpose_b, std::int64_t m, std::int64_t n, std::int64_t k,
                      float alpha, const cl::Buffer& a, std::int64_t offset_a, std::int64_t lda,
                      const cl::Buffer& b, std::int64_t offset_b, std::int64_t ldb, float beta,
                      const cl::Buffer& c, std::int64_t offset_c, std::int64_t ldc,
                      const std::vector<cl::Event>& wait_list = {},
                      Completion completion = Completion::event) {
    return detail::owned(gemm(queue(), layout, transpose_a, transpose_b, m, n, k, alpha, a(),
                              offset_a, lda, b(), offset_b, ldb, beta, c(), offset_c, ldc,
                              detail::handles(wait_list), completion));
}

/// As Context::gemm_batch(), with one alpha and beta.
inline cl::Event gemm_batch(const Context& context, const cl::CommandQueue& queue,
                            const Problem& problem, float alpha, const MatrixBatch& a,
                            const MatrixBatch& b, float beta, const MatrixBatch& c,
                            const std::vector<cl::Event>& wait_list = {},
                            Completion completion = Completion::event) {
    return detail::owned(context.gemm_batch(queue(), problem, alpha, a, b, beta, c,
                                            detail::handles(wait_list), completion));
}

/// As Context::gemm_batch(), with an alpha and a beta for each product.
inline cl::Event gemm_batch(const Context& context, const cl::CommandQueue& queue,
                            const Problem& problem, const std::vector<float>& alphas,
                            const MatrixBatch& a, const MatrixBatch& b,
                            const std::vector<float>& betas, const MatrixBatch& c,
                            const std::vector<cl::Event>& wait_list = {},
                            Completion completion = Completion::event) {
    return detail::owned(context.gemm_batch(queue(), problem, alphas, a, b, betas, c,
                                            detail::handles(wait_list), completion));
}

/// As Context::pack(), of a Matrix or of the matrix at a cl::Buffer's start.
template <class M = Matrix>
PackedMatrix pack(const Context& context, const cl::CommandQueue& queue, const Problem& problem,
                  Operand operand, const M& matrix, const std::vector<cl::Event>& wait_list = {}) {
    return context.pack(queue(), problem, operand, detail::operand(matrix),
                        detail::handles(wait_list));
}

/// As Plan::enqueue(), with a Matrix, or a cl::Buffer, each.
template <class A = Matrix, class B = Matrix, class C = Matrix>
cl::Event enqueue(const Plan& plan, const cl::CommandQueue& queue, float alpha, const A& a,
                  const B& b, float beta, const C& c, const std::vector<cl::Event>& wait_list = {},
                  Completion completion = Completion::event) {
    return detail::owned(plan.enqueue(queue(), alpha, detail::operand(a), detail::operand(b), beta,
                                      detail::operand(c), detail::handles(wait_list), completion));
}

/// As the constructor of MultiDevice.
inline MultiDevice make_multi_device(const cl::Context& context,
                                     const std::vector<cl::Device>& devices,
                                     const ContextOptions& options = {}) {
    return {context(), detail::handles(devices), options};
}

/// As MultiDevice::gemm(), with a Matrix, or a cl::Buffer, each.
template <class A = Matrix, class B = Matrix, class C = Matrix>
cl::Event gemm(const MultiDevice& devices, const std::vector<cl::CommandQueue>& queues,
               const Problem& problem, float alpha, const A& a, const B& b, float beta, const C& c,
               const std::vector<cl::Event>& wait_list = {},
               Completion completion = Completion::event) {
    return detail::owned(devices.gemm(detail::handles(queues), problem, alpha, detail::operand(a),
                                      detail::operand(b), beta, detail::operand(c),
                                      detail::handles(wait_list), completion));
}

} // namespace libsgemm
