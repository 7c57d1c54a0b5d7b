// SPDX-License-Identifier: Apache-2.0
#include "sgemm/gemm.hpp"

#include "device/query.hpp"
#include "problem/operands.hpp"

#include <algorithm>
#include <cstddef>
#include <mutex>

namespace libsgemm {
namespace {

constexpr std::size_t most_contexts = 8;

struct KeptContexts {
    std::mutex mutex;
    std::vector<Context> latest_first;
};

/// Never destroyed: at the end of a process OpenCL may be gone before.
KeptContexts& kept_contexts() {
    static KeptContexts& all = *new KeptContexts;
    return all;
}

} // namespace

Context context_of(cl_command_queue queue) {
    auto* const opencl = validate::context_of_queue(queue);
    auto* const device = device::get<cl_device_id>(clGetCommandQueueInfo, queue, CL_QUEUE_DEVICE,
                                                   "clGetCommandQueueInfo");
    KeptContexts& kept = kept_contexts();
    const std::lock_guard lock(kept.mutex);
    auto& list = kept.latest_first;
    const auto found = std::find_if(list.begin(), list.end(), [&](const Context& context) {
        return context.opencl_context() == opencl && context.opencl_device() == device;
    });
    if (found != list.end()) {
        std::rotate(list.begin(), found, found + 1);
    } else {
        list.insert(list.begin(), Context(opencl, device));
        list.resize(std::min(list.size(), most_contexts), list.front());
    }
    return list.front();
}

void release_contexts() {
    std::vector<Context> released; // ends without the lock: that takes time
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
