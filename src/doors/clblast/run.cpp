// SPDX-License-Identifier: Apache-2.0
#include "doors/clblast/run.hpp"

#include "device/query.hpp"
#include "doors/clblast/contexts.hpp"
#include "sgemm/error.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <iterator>
#include <new>
#include <string>
#include <utility>

namespace libsgemm::clblast {
namespace {

bool is_tracing() {
    static const bool is_on =
        support::parse_switch(support::environment("SGEMM_TRACE")).value_or(false);
    return is_on;
}

std::vector<std::int64_t> offsets_of(const Operand& operand, const std::vector<std::size_t>& of) {
    std::vector<std::int64_t> offsets;
    offsets.reserve(of.size());
    for (const std::size_t product : of) {
        offsets.push_back(static_cast<std::int64_t>(operand.offsets[product]));
    }
    return offsets;
}

/// Products that have alpha and beta in common, in order.
std::vector<std::vector<std::size_t>> groups_of(const GemmCall& call) {
    std::vector<std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < call.alphas.size(); ++i) {
        const auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& products) {
            return call.alphas[products.front()] == call.alphas[i] &&
                   call.betas[products.front()] == call.betas[i];
        });
        if (group == groups.end()) {
            groups.push_back({i});
        } else {
            group->push_back(i);
        }
    }
    return groups;
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
    std::vector<Event> events;
    for (const std::vector<std::size_t>& products : groups_of(call)) {
        const auto matrices = [&](const Operand& operand) {
            return MatrixBatch{operand.buffer, offsets_of(operand, products)};
        };
        events.push_back(context.gemm_batch(
            queue, problem, call.alphas[products.front()], matrices(call.a), matrices(call.b),
            call.betas[products.front()], matrices(call.c), {}, completion));
    }
    if (events.size() == 1 || completion == Completion::in_queue) {
        return std::move(events.front());
    }
    std::vector<cl_event> all;
    std::transform(events.begin(), events.end(), std::back_inserter(all),
                   [](const Event& event) { return event.get(); });
    cl_event last = nullptr;
    const cl_int status =
        clEnqueueMarkerWithWaitList(queue, static_cast<cl_uint>(all.size()), all.data(), &last);
    if (status != CL_SUCCESS) {
        throw OpenClError("clEnqueueMarkerWithWaitList", status);
    }
    return Event(last);
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

StatusCode run(const GemmCall& call, cl_command_queue* queue, cl_event* event,
               const Otherwise& otherwise) noexcept {
    try {
        if (queue == nullptr || device::get_or<cl_context>(clGetCommandQueueInfo, *queue,
                                                           CL_QUEUE_CONTEXT, nullptr) == nullptr) {
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

} // namespace libsgemm::clblast
