// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Overloads for programs that use the C++ bindings. They have included <CL/opencl.hpp> (or
/// <CL/cl2.hpp>) with macros of their own choice before; this header chooses none.

#if !defined(CL_HPP_)
#error "include <CL/opencl.hpp> before <sgemm/opencl_hpp.hpp>"
#endif

#include "sgemm/sgemm.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace libsgemm {

/// As the constructor of Context.
inline Context make_context(const cl::Context& context, const cl::Device& device,
                            ContextOptions options = {}) {
    return {context(), device(), std::move(options)};
}

/// The matrix whose first element is `offset` elements into `buffer`. Does not retain the buffer.
inline Matrix matrix(const cl::Buffer& buffer, std::int64_t offset = 0) {
    return Matrix{buffer(), offset};
}

namespace detail {

// The handles are borrowed: `events` outlives every use of the result.
inline std::vector<cl_event> handles(const std::vector<cl::Event>& events) {
    std::vector<cl_event> raw;
    raw.reserve(events.size());
    for (const cl::Event& event : events)
        raw.push_back(event());
    return raw;
}

} // namespace detail

/// As Context::gemm(): enqueues C = alpha * op(A) * op(B) + beta * C and returns at once.
inline cl::Event gemm(const Context& context, const cl::CommandQueue& queue, const Problem& problem,
                      float alpha, const Matrix& a, const Matrix& b, float beta, const Matrix& c,
                      const std::vector<cl::Event>& wait_list = {}) {
    return cl::Event(
        context.gemm(queue(), problem, alpha, a, b, beta, c, detail::handles(wait_list)).release());
}

/// The same for matrices that start at their buffer's first element.
inline cl::Event gemm(const Context& context, const cl::CommandQueue& queue, const Problem& problem,
                      float alpha, const cl::Buffer& a, const cl::Buffer& b, float beta,
                      const cl::Buffer& c, const std::vector<cl::Event>& wait_list = {}) {
    return gemm(context, queue, problem, alpha, matrix(a), matrix(b), beta, matrix(c), wait_list);
}

/// As Plan::enqueue().
inline cl::Event enqueue(const Plan& plan, const cl::CommandQueue& queue, float alpha,
                         const Matrix& a, const Matrix& b, float beta, const Matrix& c,
                         const std::vector<cl::Event>& wait_list = {}) {
    return cl::Event(
        plan.enqueue(queue(), alpha, a, b, beta, c, detail::handles(wait_list)).release());
}

} // namespace libsgemm
