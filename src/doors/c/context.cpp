// SPDX-License-Identifier: Apache-2.0
// The C functions of devices, contexts and multiplication.
#include "sgemm/context.hpp"

#include "doors/c/convert.hpp"
#include "doors/c/objects.hpp"
#include "sgemm/device.hpp"
#include "sgemm/gemm.hpp"
#include "sgemm/version.hpp"

#include <exception>
#include <utility>

using libsgemm::c_api::errors_of;
using libsgemm::c_api::errors_without_context;
using libsgemm::c_api::guarded;
using libsgemm::c_api::require;

namespace {

libsgemm::c_api::Failure latest_failure(sgemm_context context) {
    return context == nullptr ? libsgemm::c_api::latest_of_thread() : context->errors->latest();
}

} // namespace

const char* sgemm_version(void) {
    return libsgemm::version();
}

size_t sgemm_last_error(sgemm_context context, char* text, size_t size) {
    try {
        return libsgemm::c_api::copy_text(latest_failure(context).detail, text, size);
    } catch (const std::exception&) { // no memory for a copy
        return libsgemm::c_api::copy_text({}, text, size);
    }
}

cl_int sgemm_last_opencl_status(sgemm_context context) {
    try {
        return latest_failure(context).opencl_status;
    } catch (const std::exception&) {
        return CL_OUT_OF_HOST_MEMORY;
    }
}

sgemm_status sgemm_select_device(const char* selector, cl_device_id* device) {
    return guarded(errors_without_context(), [&] {
        require("device", device);
        *device = libsgemm::select_device(selector == nullptr ? "" : selector).device;
    });
}

sgemm_status sgemm_create_context(cl_context opencl, cl_device_id device,
                                  const sgemm_context_options* options, sgemm_context* context) {
    return guarded(errors_without_context(), [&] {
        require("context", context);
        auto errors = std::make_shared<libsgemm::c_api::Errors>();
        libsgemm::Context made(opencl, device, libsgemm::c_api::context_options_of(options));
        *context = new sgemm_context_state{std::move(errors), std::move(made)};
    });
}

void sgemm_release_context(sgemm_context context) {
    delete context;
}

sgemm_status sgemm_release_workspace(sgemm_context context) {
    return guarded(errors_of(context), [&] {
        require("context", context);
        context->context.release_workspace();
    });
}

sgemm_status sgemm_get_statistics(sgemm_context context, sgemm_statistics* statistics) {
    return guarded(errors_of(context), [&] {
        require("context", context);
        require("statistics", statistics);
        const libsgemm::ContextStatistics counts = context->context.statistics();
        const sgemm_statistics result{sizeof result,           counts.programs_built,
                                      counts.programs_loaded,  counts.plans_made,
                                      counts.kernels_enqueued, counts.workspace_allocations,
                                      counts.workspace_bytes};
        libsgemm::c_api::write_result("statistics", result, statistics);
    });
}

namespace {

void hand_over(libsgemm::Event event, cl_event* done) {
    if (done != nullptr) {
        *done = event.release();
    }
}

/// What a batch of offsets says beside its factors.
struct Batch {
    cl_command_queue queue;
    const sgemm_problem* problem;
    size_t count;
    cl_mem a;
    const int64_t* a_offsets;
    cl_mem b;
    const int64_t* b_offsets;
    cl_mem c;
    const int64_t* c_offsets;
    cl_uint wait_count;
    const cl_event* wait_list;
    cl_event* done;

    /// NULL: none, as where A and B are not read.
    libsgemm::MatrixBatch matrices(cl_mem buffer, const int64_t* offsets) const {
        return {buffer, libsgemm::c_api::values_of("count", offsets, count), nullptr};
    }
    /// For one alpha and beta, or one of each for each product.
    template <class Factors>
    void enqueue(sgemm_context context, const Factors& alphas, const Factors& betas) const {
        if (count > 0) {
            require("c_offsets", c_offsets);
        }
        hand_over(context->context.gemm_batch(queue, libsgemm::c_api::problem_of(problem), alphas,
                                              matrices(a, a_offsets), matrices(b, b_offsets), betas,
                                              matrices(c, c_offsets),
                                              libsgemm::c_api::wait_list_of(wait_count, wait_list),
                                              libsgemm::c_api::completion_of(done)),
                  done);
    }
};

} // namespace

sgemm_status sgemm_gemm_svm(sgemm_context context, cl_command_queue queue,
                            const sgemm_problem* problem, float alpha, const float* a,
                            const float* b, float beta, float* c, cl_uint wait_count,
                            const cl_event* wait_list, cl_event* done) {
    return guarded(errors_of(context), [&] {
        require("context", context);
        hand_over(context->context.gemm(queue, libsgemm::c_api::problem_of(problem), alpha,
                                        libsgemm::svm_matrix(a), libsgemm::svm_matrix(b), beta,
                                        libsgemm::svm_matrix(c),
                                        libsgemm::c_api::wait_list_of(wait_count, wait_list),
                                        libsgemm::c_api::completion_of(done)),
                  done);
    });
}

sgemm_status sgemm_gemm_batch(sgemm_context context, cl_command_queue queue,
                              const sgemm_problem* problem, size_t count, float alpha, cl_mem a,
                              const int64_t* a_offsets, cl_mem b, const int64_t* b_offsets,
                              float beta, cl_mem c, const int64_t* c_offsets, cl_uint wait_count,
                              const cl_event* wait_list, cl_event* done) {
    return guarded(errors_of(context), [&] {
        require("context", context);
        const Batch batch{queue,     problem, count,     a,          a_offsets, b,
                          b_offsets, c,       c_offsets, wait_count, wait_list, done};
        batch.enqueue(context, alpha, beta);
    });
}

sgemm_status sgemm_gemm_batch_scaled(sgemm_context context, cl_command_queue queue,
                                     const sgemm_problem* problem, size_t count,
                                     const float* alphas, cl_mem a, const int64_t* a_offsets,
                                     cl_mem b, const int64_t* b_offsets, const float* betas,
                                     cl_mem c, const int64_t* c_offsets, cl_uint wait_count,
                                     const cl_event* wait_list, cl_event* done) {
    return guarded(errors_of(context), [&] {
        require("context", context);
        const Batch batch{queue,     problem, count,     a,          a_offsets, b,
                          b_offsets, c,       c_offsets, wait_count, wait_list, done};
        batch.enqueue(context, libsgemm::c_api::values_of("count", alphas, count),
                      libsgemm::c_api::values_of("count", betas, count));
    });
}

sgemm_status sgemm_gemm(sgemm_context context, cl_command_queue queue, const sgemm_problem* problem,
                        float alpha, cl_mem a, int64_t a_offset, cl_mem b, int64_t b_offset,
                        float beta, cl_mem c, int64_t c_offset, cl_uint wait_count,
                        const cl_event* wait_list, cl_event* done) {
    return guarded(errors_of(context), [&] {
        require("context", context);
        hand_over(context->context.gemm(queue, libsgemm::c_api::problem_of(problem), alpha,
                                        {a, a_offset}, {b, b_offset}, beta, {c, c_offset},
                                        libsgemm::c_api::wait_list_of(wait_count, wait_list),
                                        libsgemm::c_api::completion_of(done)),
                  done);
    });
}

sgemm_status sgemm_gemm_by_queue(cl_command_queue queue, sgemm_layout layout,
                                 sgemm_transpose transpose_a, sgemm_transpose transpose_b,
                                 int64_t m, int64_t n, int64_t k, float alpha, cl_mem a,
                                 int64_t a_offset, int64_t lda, cl_mem b, int64_t b_offset,
                                 int64_t ldb, float beta, cl_mem c, int64_t c_offset, int64_t ldc,
                                 cl_uint wait_count, const cl_event* wait_list, cl_event* done) {
    return guarded(errors_without_context(), [&] {
        hand_over(libsgemm::gemm(queue, libsgemm::c_api::layout_of(layout),
                                 libsgemm::c_api::transpose_of("transpose_a", transpose_a),
                                 libsgemm::c_api::transpose_of("transpose_b", transpose_b), m, n, k,
                                 alpha, a, a_offset, lda, b, b_offset, ldb, beta, c, c_offset, ldc,
                                 libsgemm::c_api::wait_list_of(wait_count, wait_list),
                                 libsgemm::c_api::completion_of(done)),
                  done);
    });
}

void sgemm_release_kept_contexts(void) {
    guarded(errors_without_context(), [] { libsgemm::release_kept_contexts(); });
}
