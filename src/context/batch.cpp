// SPDX-License-Identifier: Apache-2.0
//
// Batches of offsets: each run of equidistant products is a call of its own. All are planned and
// compiled before the first is enqueued, so that an error of those leaves C as it was.
#include "context/core.hpp"
#include "context/offset_runs.hpp"
#include "execute/executor.hpp"
#include "sgemm/error.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace libsgemm::detail {
namespace {

/// One call of a batch.
struct Part {
    Problem problem;
    validate::Matrices matrices;
    PlanMaker::Found prepared;
};

Part part_of(Problem problem, const validate::MatrixBatches& matrices, const OffsetRun& run) {
    if (run.count > 1) {
        problem.batch_count = run.count;
        problem.batch_stride_a = run.stride_a;
        problem.batch_stride_b = run.stride_b;
        problem.batch_stride_c = run.stride_c;
    }
    return {problem, matrices.at(run.first), {}};
}

std::vector<Part> parts_of(const Problem& problem, const validate::MatrixBatches& matrices,
                           std::int64_t extent_c) {
    const auto runs =
        equidistant_runs(matrices.a.offsets, matrices.b.offsets, matrices.c.offsets, extent_c);
    std::vector<Part> parts;
    parts.reserve(runs.size());
    std::transform(runs.begin(), runs.end(), std::back_inserter(parts),
                   [&](const OffsetRun& run) { return part_of(problem, matrices, run); });
    return parts;
}

/// Enqueues the parts; the event, if there is one, completes with the last of them.
Event run_all(const Core& core, const std::vector<Part>& parts, const CallArguments& call) {
    if (parts.empty()) {
        return core.enqueue_nothing(call.queue, call.wait_list, call.completion);
    }
    const bool in_order = !execute::is_out_of_order(call.queue);
    const std::vector<cl_event> nothing;
    std::vector<Event> events;
    for (const Part& part : parts) {
        // In order the first one's wait is everybody's, and the last one's end too.
        const bool waits = &part == &parts.front() || !in_order;
        const bool ends = &part == &parts.back() || !in_order;
        Event done = core.run(part.prepared, {call.queue, call.alpha, call.beta, part.matrices,
                                              waits ? call.wait_list : nothing,
                                              ends ? call.completion : Completion::in_queue});
        if (ends) {
            events.push_back(std::move(done));
        }
    }
    if (call.completion == Completion::in_queue) {
        return {};
    }
    if (events.size() == 1) {
        return events.front();
    }
    std::vector<cl_event> all = call.wait_list;
    for (const Event& event : events) {
        all.push_back(event.get());
    }
    return core.enqueue_nothing(call.queue, all, Completion::event);
}

} // namespace

Event Core::gemm_batch(const Problem& given, const CallArguments& call,
                       const validate::MatrixBatches& batches) const {
    const Problem problem = resolved(given);
    if (problem.batch_count != 1) {
        throw ArgumentError("batch_count", std::to_string(problem.batch_count),
                            "must be 1 beside a batch of offsets");
    }
    const validate::CheckedProblem checked = validate::check_problem(problem);
    const bool multiplied = validate::multiplies(checked, call.alpha);
    const MatrixBatch unread{}; // A and B are not looked at where nothing is multiplied
    const validate::MatrixBatches matrices{multiplied ? batches.a : unread,
                                           multiplied ? batches.b : unread, batches.c};
    const auto with = [&call](const validate::Matrices& one) {
        CallArguments result = call;
        result.matrices = one;
        return result;
    };
    validate::check_call(with(matrices.at(0)), context_.get(), device_);
    validate::check_batches(checked, matrices, {multiplied, call.beta != 0}, context_.get());
    std::vector<Part> parts = parts_of(problem, matrices, checked.c.extent());
    for (Part& part : parts) {
        part.prepared = prepare_checked(validate::check_problem(part.problem), with(part.matrices));
    }
    return run_all(*this, parts, call);
}

} // namespace libsgemm::detail
