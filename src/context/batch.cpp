// SPDX-License-Identifier: Apache-2.0
//
// Batches of offsets: of the products that have alpha and beta in common each run at equal
// distances is a call of its own. All are planned and compiled before the first is enqueued, so
// that an error of those leaves C as it was.
#include "context/core.hpp"
#include "context/offset_runs.hpp"
#include "execute/executor.hpp"
#include "sgemm/error.hpp"

#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace libsgemm::detail {
namespace {

/// One call of a batch.
struct Part {
    Problem problem;
    float alpha = 1;
    float beta = 0;
    validate::Matrices matrices;
    PlanMaker::Found prepared;
};

/// Products that have alpha and beta in common, by the bits of these: NaN is like itself, too.
using Groups = std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::size_t>>;

Groups groups_of(const validate::Factors& factors, std::size_t count) {
    Groups groups;
    for (std::size_t i = 0; i < count; ++i) {
        groups[{std::bit_cast<std::uint32_t>(factors.alpha(i)),
                std::bit_cast<std::uint32_t>(factors.beta(i))}]
            .push_back(i);
    }
    return groups;
}

MatrixBatch some_of(const MatrixBatch& batch, const std::vector<std::size_t>& products) {
    MatrixBatch some{batch.buffer, {}, batch.svm};
    some.offsets.reserve(products.size());
    for (const std::size_t i : products) {
        some.offsets.push_back(batch.offsets[i]);
    }
    return some;
}

Problem problem_of(Problem problem, const OffsetRun& run) {
    if (run.count > 1) {
        problem.batch_count = run.count;
        problem.batch_stride_a = run.stride_a;
        problem.batch_stride_b = run.stride_b;
        problem.batch_stride_c = run.stride_c;
    }
    return problem;
}

std::vector<Part> parts_of(const Problem& problem, const validate::CheckedProblem& checked,
                           const validate::MatrixBatches& matrices,
                           const validate::Factors& factors) {
    std::vector<Part> parts;
    for (const auto& [bits, products] : groups_of(factors, matrices.c.offsets.size())) {
        const float alpha = factors.alpha(products.front());
        const float beta = factors.beta(products.front());
        const MatrixBatch unread{}; // A and B are not looked at where nothing is multiplied
        const bool multiplied = validate::multiplies(checked, alpha);
        const MatrixBatch a = multiplied ? some_of(matrices.a, products) : unread;
        const MatrixBatch b = multiplied ? some_of(matrices.b, products) : unread;
        const MatrixBatch c = some_of(matrices.c, products);
        for (const OffsetRun& run :
             equidistant_runs(a.offsets, b.offsets, c.offsets, checked.c.extent())) {
            parts.push_back({problem_of(problem, run),
                             alpha,
                             beta,
                             validate::MatrixBatches{a, b, c}.at(run.first),
                             {}});
        }
    }
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
        Event done = core.run(part.prepared, {call.queue, part.alpha, part.beta, part.matrices,
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
                       const validate::MatrixBatches& matrices,
                       const validate::Factors& factors) const {
    const Problem problem = resolved(given);
    if (problem.batch_count != 1) {
        throw ArgumentError("batch_count", std::to_string(problem.batch_count),
                            "must be 1 beside a batch of offsets");
    }
    const validate::CheckedProblem checked = validate::check_problem(problem);
    validate::check_call(call, context_.get(), device_);
    validate::check_batches(checked, matrices, factors, context_.get());
    std::vector<Part> parts = parts_of(problem, checked, matrices, factors);
    for (Part& part : parts) {
        validate::check_svm(part.matrices, device_);
        part.prepared =
            prepare_checked(validate::check_problem(part.problem),
                            {call.queue, part.alpha, part.beta, part.matrices, call.wait_list});
    }
    return run_all(*this, parts, call);
}

} // namespace libsgemm::detail
