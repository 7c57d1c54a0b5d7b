// SPDX-License-Identifier: Apache-2.0
//
// CLBlast's names: the templates of its C++ interface for float, and its C functions. They alone
// are seen (exports.map).
#include "doors/clblast/gemm_call.hpp"
#include "doors/clblast/real.hpp"
#include "doors/clblast/run.hpp"
#include "sgemm/clblast.h"

#include <cstddef>
#include <optional>

namespace {

using clblast::Layout;
using clblast::StatusCode;
using clblast::Transpose;
using libsgemm::clblast_door::GemmCall;
using libsgemm::clblast_door::Otherwise;
using libsgemm::clblast_door::real;

template <class Function, class... Arguments>
Otherwise otherwise(Function* own, Arguments... arguments) {
    return [=]() -> std::optional<StatusCode> {
        auto* const function = real(own);
        return function == nullptr ? std::nullopt : std::optional(function(arguments...));
    };
}

} // namespace

namespace clblast {

template <>
StatusCode Gemm<float>(Layout layout, Transpose a_transpose, Transpose b_transpose, size_t m,
                       size_t n, size_t k, float alpha, cl_mem a, size_t a_offset, size_t a_ld,
                       cl_mem b, size_t b_offset, size_t b_ld, float beta, cl_mem c,
                       size_t c_offset, size_t c_ld, cl_command_queue* queue, cl_event* event,
                       cl_mem temp_buffer) {
    const GemmCall call{layout,
                        a_transpose,
                        b_transpose,
                        m,
                        n,
                        k,
                        {a, a_ld, {&a_offset, 1}},
                        {b, b_ld, {&b_offset, 1}},
                        {c, c_ld, {&c_offset, 1}},
                        {&alpha, 1},
                        {&beta, 1}};
    return libsgemm::clblast_door::run(
        call, queue, event,
        otherwise(Gemm<float>, layout, a_transpose, b_transpose, m, n, k, alpha, a, a_offset, a_ld,
                  b, b_offset, b_ld, beta, c, c_offset, c_ld, queue, event, temp_buffer));
}

template <>
StatusCode GemmBatched<float>(Layout layout, Transpose a_transpose, Transpose b_transpose, size_t m,
                              size_t n, size_t k, const float* alphas, cl_mem a,
                              const size_t* a_offsets, size_t a_ld, cl_mem b,
                              const size_t* b_offsets, size_t b_ld, const float* betas, cl_mem c,
                              const size_t* c_offsets, size_t c_ld, size_t batch_count,
                              cl_command_queue* queue, cl_event* event) {
    const GemmCall call{layout,
                        a_transpose,
                        b_transpose,
                        m,
                        n,
                        k,
                        {a, a_ld, {a_offsets, batch_count}},
                        {b, b_ld, {b_offsets, batch_count}},
                        {c, c_ld, {c_offsets, batch_count}},
                        {alphas, batch_count},
                        {betas, batch_count},
                        batch_count,
                        false};
    return libsgemm::clblast_door::run(call, queue, event,
                                       otherwise(GemmBatched<float>, layout, a_transpose,
                                                 b_transpose, m, n, k, alphas, a, a_offsets, a_ld,
                                                 b, b_offsets, b_ld, betas, c, c_offsets, c_ld,
                                                 batch_count, queue, event));
}

template <>
StatusCode GemmStridedBatched<float>(Layout layout, Transpose a_transpose, Transpose b_transpose,
                                     size_t m, size_t n, size_t k, float alpha, cl_mem a,
                                     size_t a_offset, size_t a_ld, size_t a_stride, cl_mem b,
                                     size_t b_offset, size_t b_ld, size_t b_stride, float beta,
                                     cl_mem c, size_t c_offset, size_t c_ld, size_t c_stride,
                                     size_t batch_count, cl_command_queue* queue, cl_event* event) {
    const GemmCall call{layout,
                        a_transpose,
                        b_transpose,
                        m,
                        n,
                        k,
                        {a, a_ld, {&a_offset, 1}, a_stride},
                        {b, b_ld, {&b_offset, 1}, b_stride},
                        {c, c_ld, {&c_offset, 1}, c_stride},
                        {&alpha, 1},
                        {&beta, 1},
                        batch_count};
    return libsgemm::clblast_door::run(
        call, queue, event,
        otherwise(GemmStridedBatched<float>, layout, a_transpose, b_transpose, m, n, k, alpha, a,
                  a_offset, a_ld, a_stride, b, b_offset, b_ld, b_stride, beta, c, c_offset, c_ld,
                  c_stride, batch_count, queue, event));
}

/// None is needed: the library has workspace of its own. No other argument is looked at.
template <>
StatusCode GemmTempBufferSize<float>(Layout, Transpose, Transpose, size_t, size_t, size_t, size_t,
                                     size_t, size_t, size_t, size_t, size_t,
                                     cl_command_queue* queue, size_t& temp_buffer_size) {
    if (!libsgemm::clblast_door::is_queue(queue)) {
        return StatusCode::kInvalidCommandQueue;
    }
    temp_buffer_size = 0;
    return StatusCode::kSuccess;
}

} // namespace clblast

namespace {

// C's enumerations have the same values.
Layout of_c(CLBlastLayout layout) {
    return static_cast<Layout>(layout);
}
Transpose of_c(CLBlastTranspose transpose) {
    return static_cast<Transpose>(transpose);
}
CLBlastStatusCode to_c(StatusCode status) {
    return static_cast<CLBlastStatusCode>(status);
}

} // namespace

CLBlastStatusCode CLBlastSgemm(CLBlastLayout layout, CLBlastTranspose a_transpose,
                               CLBlastTranspose b_transpose, size_t m, size_t n, size_t k,
                               float alpha, cl_mem a, size_t a_offset, size_t a_ld, cl_mem b,
                               size_t b_offset, size_t b_ld, float beta, cl_mem c, size_t c_offset,
                               size_t c_ld, cl_command_queue* queue, cl_event* event) {
    return CLBlastSgemmWithTempBuffer(layout, a_transpose, b_transpose, m, n, k, alpha, a, a_offset,
                                      a_ld, b, b_offset, b_ld, beta, c, c_offset, c_ld, queue,
                                      event, nullptr);
}

CLBlastStatusCode CLBlastSgemmWithTempBuffer(CLBlastLayout layout, CLBlastTranspose a_transpose,
                                             CLBlastTranspose b_transpose, size_t m, size_t n,
                                             size_t k, float alpha, cl_mem a, size_t a_offset,
                                             size_t a_ld, cl_mem b, size_t b_offset, size_t b_ld,
                                             float beta, cl_mem c, size_t c_offset, size_t c_ld,
                                             cl_command_queue* queue, cl_event* event,
                                             cl_mem temp_buffer) {
    return to_c(clblast::Gemm<float>(of_c(layout), of_c(a_transpose), of_c(b_transpose), m, n, k,
                                     alpha, a, a_offset, a_ld, b, b_offset, b_ld, beta, c, c_offset,
                                     c_ld, queue, event, temp_buffer));
}

CLBlastStatusCode CLBlastSgemmBatched(CLBlastLayout layout, CLBlastTranspose a_transpose,
                                      CLBlastTranspose b_transpose, size_t m, size_t n, size_t k,
                                      const float* alphas, cl_mem a, const size_t* a_offsets,
                                      size_t a_ld, cl_mem b, const size_t* b_offsets, size_t b_ld,
                                      const float* betas, cl_mem c, const size_t* c_offsets,
                                      size_t c_ld, size_t batch_count, cl_command_queue* queue,
                                      cl_event* event) {
    return to_c(clblast::GemmBatched<float>(of_c(layout), of_c(a_transpose), of_c(b_transpose), m,
                                            n, k, alphas, a, a_offsets, a_ld, b, b_offsets, b_ld,
                                            betas, c, c_offsets, c_ld, batch_count, queue, event));
}

CLBlastStatusCode CLBlastSgemmStridedBatched(
    CLBlastLayout layout, CLBlastTranspose a_transpose, CLBlastTranspose b_transpose, size_t m,
    size_t n, size_t k, float alpha, cl_mem a, size_t a_offset, size_t a_ld, size_t a_stride,
    cl_mem b, size_t b_offset, size_t b_ld, size_t b_stride, float beta, cl_mem c, size_t c_offset,
    size_t c_ld, size_t c_stride, size_t batch_count, cl_command_queue* queue, cl_event* event) {
    return to_c(clblast::GemmStridedBatched<float>(
        of_c(layout), of_c(a_transpose), of_c(b_transpose), m, n, k, alpha, a, a_offset, a_ld,
        a_stride, b, b_offset, b_ld, b_stride, beta, c, c_offset, c_ld, c_stride, batch_count,
        queue, event));
}

CLBlastStatusCode CLBlastSGemmTempBufferSize(CLBlastLayout layout, CLBlastTranspose a_transpose,
                                             CLBlastTranspose b_transpose, size_t m, size_t n,
                                             size_t k, size_t a_offset, size_t a_ld,
                                             size_t b_offset, size_t b_ld, size_t c_offset,
                                             size_t c_ld, cl_command_queue* queue,
                                             size_t* temp_buffer_size) {
    return to_c(clblast::GemmTempBufferSize<float>(
        of_c(layout), of_c(a_transpose), of_c(b_transpose), m, n, k, a_offset, a_ld, b_offset, b_ld,
        c_offset, c_ld, queue, *temp_buffer_size));
}
