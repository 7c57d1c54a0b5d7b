// SPDX-License-Identifier: Apache-2.0
#include "sgemm/context.hpp"

#include "context/core.hpp"
#include "sgemm/error.hpp"
#include "sgemm/expert.hpp"

#include <utility>

namespace libsgemm {

Context::Context(cl_context context, cl_device_id device, ContextOptions options)
    : core_(std::make_shared<detail::Core>(context, device, std::move(options))) {}
Context::Context(const Context&) noexcept = default;
Context::Context(Context&&) noexcept = default;
Context& Context::operator=(const Context&) noexcept = default;
Context& Context::operator=(Context&&) noexcept = default;
Context::~Context() = default;

const std::shared_ptr<detail::Core>& Context::core() const {
    if (core_ == nullptr) {
        throw ArgumentError("context", "moved from", "must hold a context");
    }
    return core_;
}

Event Context::gemm(cl_command_queue queue, const Problem& problem, float alpha, const Matrix& a,
                    const Matrix& b, float beta, const Matrix& c,
                    const std::vector<cl_event>& wait_list, Completion completion) const {
    return core()->gemm(problem, {queue, alpha, beta, {a, b, c}, wait_list, completion});
}

Event Context::gemm_batch(cl_command_queue queue, const Problem& problem, float alpha,
                          const MatrixBatch& a, const MatrixBatch& b, float beta,
                          const MatrixBatch& c, const std::vector<cl_event>& wait_list,
                          Completion completion) const {
    return core()->gemm_batch(problem, {queue, 0, 0, {}, wait_list, completion}, {a, b, c},
                              {{&alpha, 1}, {&beta, 1}});
}

Event Context::gemm_batch(cl_command_queue queue, const Problem& problem,
                          const std::vector<float>& alphas, const MatrixBatch& a,
                          const MatrixBatch& b, const std::vector<float>& betas,
                          const MatrixBatch& c, const std::vector<cl_event>& wait_list,
                          Completion completion) const {
    const std::shared_ptr<detail::Core>& own = core();
    for (const auto& [argument, factors] :
         {std::pair{"alphas", &alphas}, std::pair{"betas", &betas}}) {
        if (factors->size() != c.offsets.size()) {
            throw ArgumentError(argument, std::to_string(factors->size()) + " of them",
                                "there must be one for each offset of C");
        }
    }
    return own->gemm_batch(problem, {queue, 0, 0, {}, wait_list, completion}, {a, b, c},
                           {alphas, betas});
}

Plan Context::plan(const Problem& problem) const {
    return Plan(std::make_shared<const detail::PlanState>(
        detail::PlanState{core(), core()->plan(problem)}));
}

Plan Context::plan(const Problem& problem, const PlanOptions& options) const {
    return expert_plan(problem, ExpertPlanOptions{options});
}

Plan Context::expert_plan(const Problem& problem, const ExpertPlanOptions& options) const {
    return Plan(std::make_shared<const detail::PlanState>(
        detail::PlanState{core(), core()->plan(problem, options)}));
}

std::size_t Context::tune(const std::vector<Problem>& problems, double seconds,
                          const TuneListener& listener) const {
    return core()->tune(problems, seconds, listener);
}

const DeviceTraits& Context::traits() const {
    return core()->traits();
}

cl_context Context::opencl_context() const {
    return core()->context();
}

cl_device_id Context::opencl_device() const {
    return core()->device();
}

ContextStatistics Context::statistics() const {
    return core()->statistics();
}

void Context::release_workspace() const {
    core()->release_workspace();
}

} // namespace libsgemm
