// SPDX-License-Identifier: Apache-2.0
#include "doors/clblast/run.hpp"

#include "device/query.hpp"
#include "sgemm/error.hpp"
#include "sgemm/gemm.hpp"
#include "support/text.hpp"

#include <cstdint>
#include <cstdio>
#include <exception>
#include <new>
#include <string>

namespace libsgemm::clblast_door {
namespace {

bool is_tracing() {
    static const bool is_on =
        support::parse_switch(support::environment("SGEMM_TRACE")).value_or(false);
    return is_on;
}

Event multiply(const Context& context, const GemmCall& call, cl_command_queue queue,
               Completion completion) {
    const Problem problem = to_problem(call);
    if (call.c.offsets.size() == 1) { // or at equal distances
        const auto matrix = [](const Operand& operand) {
            return Matrix{operand.buffer, static_cast<std::int64_t>(operand.offsets.front())};
        };
        return context.gemm(queue, problem, call.alphas.front(), matrix(call.a), matrix(call.b),
                            call.betas.front(), matrix(call.c), {}, completion);
    }
    const auto matrices = [](const Operand& operand) {
        return MatrixBatch{operand.buffer, {operand.offsets.begin(), operand.offsets.end()}};
    };
    return context.gemm_batch(
        queue, problem, {call.alphas.begin(), call.alphas.end()}, matrices(call.a),
        matrices(call.b), {call.betas.begin(), call.betas.end()}, matrices(call.c), {}, completion);
}

StatusCode leave(const std::string& why, const Otherwise& otherwise) {
    const std::optional<StatusCode> status = otherwise();
    if (!status) {
        std::fprintf(stderr, "sgemm_clblast: not computed, and there is no CLBlast: %s\n",
                     why.c_str());
        return StatusCode::kNotImplemented;
    }
    if (is_tracing()) {
        std::fprintf(stderr, "sgemm_clblast: left to CLBlast: %s\n", why.c_str());
    }
    return *status;
}

StatusCode run_checked(const GemmCall& call, cl_command_queue queue, cl_event* event,
                       const Otherwise& otherwise) {
    if (has_overlapping_columns(call)) {
        return leave("columns of A or B overlap", otherwise);
    }
    try {
        Event done = multiply(context_of(queue), call, queue,
                              event == nullptr ? Completion::in_queue : Completion::event);
        if (event != nullptr) {
            *event = done.release();
        }
        return StatusCode::kSuccess;
    } catch (const OpenClError& error) {
        std::fprintf(stderr, "sgemm_clblast: %s\n", error.what());
        return static_cast<StatusCode>(error.status());
    } catch (const Error& error) {
        return leave(error.what(), otherwise);
    }
}

} // namespace

bool is_queue(const cl_command_queue* queue) noexcept {
    return queue != nullptr && device::get_or<cl_context>(clGetCommandQueueInfo, *queue,
                                                          CL_QUEUE_CONTEXT, nullptr) != nullptr;
}

StatusCode run(const GemmCall& call, cl_command_queue* queue, cl_event* event,
               const Otherwise& otherwise) noexcept {
    try {
        if (!is_queue(queue)) {
            return StatusCode::kInvalidCommandQueue;
        }
        const StatusCode status = check(call);
        return status == StatusCode::kSuccess ? run_checked(call, *queue, event, otherwise)
                                              : status;
    } catch (const std::bad_alloc&) {
        return StatusCode::kOpenCLOutOfHostMemory;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "sgemm_clblast: %s\n", error.what());
        return StatusCode::kUnexpectedError;
    }
}

} // namespace libsgemm::clblast_door
