// SPDX-License-Identifier: Apache-2.0
#include "sgemm/gemm.hpp"

#include "device/query.hpp"
#include "problem/operands.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace libsgemm {
namespace {

constexpr std::size_t most_contexts = 8;

/// Found by its handles. Where the Context cannot be made the next call with them tries again.
struct KeptContext {
    KeptContext(cl_context context_handle, cl_device_id device_handle)
        : opencl(context_handle), device(device_handle) {}

    cl_context opencl;
    cl_device_id device;
    std::mutex mutex; // held while the Context is made: that may take seconds
    std::optional<Context> context;
};

struct KeptContexts {
    std::mutex mutex;
    std::vector<std::shared_ptr<KeptContext>> latest_first;
};

/// Never destroyed: at the end of a process OpenCL may be gone before.
KeptContexts& kept_contexts() {
    static KeptContexts& all = *new KeptContexts;
    return all;
}

/// The first of the list from now on.
std::shared_ptr<KeptContext> kept_context(cl_context opencl, cl_device_id device) {
    std::shared_ptr<KeptContext> given_up; // ends without the lock: that takes time
    KeptContexts& kept = kept_contexts();
    const std::lock_guard lock(kept.mutex);
    auto& list = kept.latest_first;
    const auto found = std::find_if(list.begin(), list.end(), [&](const auto& context) {
        return context->opencl == opencl && context->device == device;
    });
    if (found != list.end()) {
        std::rotate(list.begin(), found, found + 1);
        return list.front();
    }
    list.insert(list.begin(), std::make_shared<KeptContext>(opencl, device));
    if (list.size() > most_contexts) {
        given_up = std::move(list.back());
        list.pop_back();
    }
    return list.front();
}

} // namespace

Context context_of(cl_command_queue queue) {
    auto* const opencl = validate::context_of_queue(queue);
    auto* const device = device::get<cl_device_id>(clGetCommandQueueInfo, queue, CL_QUEUE_DEVICE,
                                                   "clGetCommandQueueInfo");
    const std::shared_ptr<KeptContext> kept = kept_context(opencl, device);
    const std::lock_guard lock(kept->mutex);
    if (!kept->context) {
        kept->context.emplace(opencl, device);
    }
    return *kept->context;
}

void release_kept_contexts() {
    std::vector<std::shared_ptr<KeptContext>> released; // ends without the lock
    KeptContexts& kept = kept_contexts();
    const std::lock_guard lock(kept.mutex);
    released.swap(kept.latest_first);
}

Event gemm(cl_command_queue queue, Layout layout, Transpose transpose_a, Transpose transpose_b,
           std::int64_t m, std::int64_t n, std::int64_t k, float alpha, cl_mem a,
           std::int64_t offset_a, std::int64_t lda, cl_mem b, std::int64_t offset_b,
           std::int64_t ldb, float beta, cl_mem c, std::int64_t offset_c, std::int64_t ldc,
           const std::vector<cl_event>& wait_list, Completion completion) {
    Problem problem(m, n, k);
    problem.layout = layout;
    problem.transpose_a = transpose_a;
    problem.transpose_b = transpose_b;
    problem.lda = lda;
    problem.ldb = ldb;
    problem.ldc = ldc;
    return context_of(queue).gemm(queue, problem, alpha, {a, offset_a}, {b, offset_b}, beta,
                                  {c, offset_c}, wait_list, completion);
}

} // namespace libsgemm
