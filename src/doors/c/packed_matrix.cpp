// SPDX-License-Identifier: Apache-2.0
// The C functions of packed operands.
#include "sgemm/packed_matrix.hpp"

#include "doors/c/convert.hpp"
#include "doors/c/objects.hpp"

#include <string>
#include <utility>

using libsgemm::c_api::errors_of;
using libsgemm::c_api::guarded;
using libsgemm::c_api::require;

namespace {

libsgemm::Operand operand_of(sgemm_operand operand) {
    switch (operand) {
    case SGEMM_OPERAND_A:
        return libsgemm::Operand::a;
    case SGEMM_OPERAND_B:
        return libsgemm::Operand::b;
    }
    throw libsgemm::ArgumentError("operand", std::to_string(static_cast<int>(operand)),
                                  "must be a value of sgemm_operand");
}

/// A call's arguments as C++ has them.
struct Call {
    const libsgemm::Context& context;
    cl_command_queue queue;
    libsgemm::Problem problem;
    float alpha;
    libsgemm::Matrix a;
    libsgemm::Matrix b;
    float beta;
    libsgemm::Matrix c;
    std::vector<cl_event> wait_list;
    libsgemm::Completion completion;

    template <class A, class B>
    libsgemm::Event run(const A& given_a, const B& given_b) const {
        return context.gemm(queue, problem, alpha, given_a, given_b, beta, c, wait_list,
                            completion);
    }
};

libsgemm::Event run(const Call& call, sgemm_packed_matrix a, sgemm_packed_matrix b) {
    if (a != nullptr && b != nullptr) {
        return call.run(a->matrix, b->matrix);
    }
    if (a != nullptr) {
        return call.run(a->matrix, call.b);
    }
    return b != nullptr ? call.run(call.a, b->matrix) : call.run(call.a, call.b);
}

} // namespace

sgemm_status sgemm_pack(sgemm_context context, cl_command_queue queue, const sgemm_problem* problem,
                        sgemm_operand operand, cl_mem matrix, int64_t offset, cl_uint wait_count,
                        const cl_event* wait_list, cl_event* done, sgemm_packed_matrix* packed) {
    return guarded(errors_of(context), [&] {
        require("context", context);
        require("packed", packed);
        auto made = context->context.pack(queue, libsgemm::c_api::problem_of(problem),
                                          operand_of(operand), {matrix, offset},
                                          libsgemm::c_api::wait_list_of(wait_count, wait_list));
        libsgemm::Event event = done != nullptr ? made.event() : libsgemm::Event();
        *packed = new sgemm_packed_state{context->errors, std::move(made)};
        if (done != nullptr) {
            *done = event.release();
        }
    });
}

void sgemm_release_packed_matrix(sgemm_packed_matrix packed) {
    delete packed;
}

sgemm_status sgemm_gemm_packed(sgemm_context context, cl_command_queue queue,
                               const sgemm_problem* problem, float alpha,
                               sgemm_packed_matrix packed_a, cl_mem a, int64_t a_offset,
                               sgemm_packed_matrix packed_b, cl_mem b, int64_t b_offset, float beta,
                               cl_mem c, int64_t c_offset, cl_uint wait_count,
                               const cl_event* wait_list, cl_event* done) {
    return guarded(errors_of(context), [&] {
        require("context", context);
        const Call call{context->context,
                        queue,
                        libsgemm::c_api::problem_of(problem),
                        alpha,
                        {a, a_offset},
                        {b, b_offset},
                        beta,
                        {c, c_offset},
                        libsgemm::c_api::wait_list_of(wait_count, wait_list),
                        libsgemm::c_api::completion_of(done)};
        libsgemm::Event event = run(call, packed_a, packed_b);
        if (done != nullptr) {
            *done = event.release();
        }
    });
}

sgemm_status sgemm_get_packed_figures(sgemm_packed_matrix packed, sgemm_packed_figures* figures) {
    return guarded(errors_of(packed), [&] {
        require("packed", packed);
        require("figures", figures);
        const sgemm_packed_figures result{sizeof result, packed->matrix.bytes(),
                                          static_cast<sgemm_precision>(packed->matrix.precision()),
                                          0};
        libsgemm::c_api::write_result("figures", result, figures);
    });
}
