// SPDX-License-Identifier: Apache-2.0
// The C functions of plans.
#include "sgemm/plan.hpp"

#include "doors/c/convert.hpp"
#include "doors/c/objects.hpp"

#include <string>
#include <utility>

using libsgemm::c_api::errors_of;
using libsgemm::c_api::guarded;
using libsgemm::c_api::require;

namespace {

libsgemm::Plan make_plan(const libsgemm::Context& context, const sgemm_problem* problem,
                         const sgemm_plan_options* options) {
    const libsgemm::Problem checked = libsgemm::c_api::problem_of(problem);
    return options == nullptr ? context.plan(checked)
                              : context.plan(checked, libsgemm::c_api::plan_options_of(*options));
}

std::string text_of(const libsgemm::Plan& plan, sgemm_plan_text_kind kind) {
    switch (kind) {
    case SGEMM_PLAN_SUMMARY:
        return plan.summary();
    case SGEMM_PLAN_DESCRIPTION:
        return plan.describe();
    case SGEMM_PLAN_KERNEL:
        return plan.kernel();
    }
    throw libsgemm::ArgumentError("kind", std::to_string(static_cast<int>(kind)),
                                  "must be a value of sgemm_plan_text_kind");
}

} // namespace

sgemm_status sgemm_create_plan(sgemm_context context, const sgemm_problem* problem,
                               const sgemm_plan_options* options, sgemm_plan* plan) {
    return guarded(errors_of(context), [&] {
        require("context", context);
        require("plan", plan);
        *plan =
            new sgemm_plan_state{context->errors, make_plan(context->context, problem, options)};
    });
}

void sgemm_release_plan(sgemm_plan plan) {
    delete plan;
}

sgemm_status sgemm_enqueue_plan(sgemm_plan plan, cl_command_queue queue, float alpha, cl_mem a,
                                int64_t a_offset, cl_mem b, int64_t b_offset, float beta, cl_mem c,
                                int64_t c_offset, cl_uint wait_count, const cl_event* wait_list,
                                cl_event* done) {
    return guarded(errors_of(plan), [&] {
        require("plan", plan);
        libsgemm::Event event =
            plan->plan.enqueue(queue, alpha, {a, a_offset}, {b, b_offset}, beta, {c, c_offset},
                               libsgemm::c_api::wait_list_of(wait_count, wait_list),
                               libsgemm::c_api::completion_of(done));
        if (done != nullptr) {
            *done = event.release();
        }
    });
}

sgemm_status sgemm_plan_text(sgemm_plan plan, sgemm_plan_text_kind kind, char* text, size_t size,
                             size_t* length) {
    return guarded(errors_of(plan), [&] {
        require("plan", plan);
        const std::size_t whole = libsgemm::c_api::copy_text(text_of(plan->plan, kind), text, size);
        if (length != nullptr) {
            *length = whole;
        }
    });
}

sgemm_status sgemm_get_plan_figures(sgemm_plan plan, sgemm_plan_figures* figures) {
    return guarded(errors_of(plan), [&] {
        require("plan", plan);
        require("figures", figures);
        const sgemm_plan_figures result{sizeof result,
                                        plan->plan.workspace_bytes(),
                                        plan->plan.predicted_seconds(),
                                        plan->plan.passes().size(),
                                        plan->plan.bound_terms(),
                                        static_cast<sgemm_precision>(plan->plan.precision()),
                                        0};
        libsgemm::c_api::write_result("figures", result, figures);
    });
}
