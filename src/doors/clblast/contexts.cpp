// SPDX-License-Identifier: Apache-2.0
#include "doors/clblast/contexts.hpp"

#include "sgemm/error.hpp"

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <vector>

namespace libsgemm::clblast {
namespace {

constexpr std::size_t most_contexts = 8;

template <class Value>
Value property(cl_command_queue queue, cl_command_queue_info which) {
    Value value{};
    const cl_int status = clGetCommandQueueInfo(queue, which, sizeof value, &value, nullptr);
    if (status != CL_SUCCESS) {
        throw OpenClError("clGetCommandQueueInfo", status);
    }
    return value;
}

struct Contexts {
    std::mutex mutex;
    std::vector<Context> latest_first;
};

/// Never destroyed: at the end of a process OpenCL may be gone before.
Contexts& contexts() {
    static Contexts& all = *new Contexts;
    return all;
}

} // namespace

Context context_of(cl_command_queue queue) {
    auto* const opencl = property<cl_context>(queue, CL_QUEUE_CONTEXT);
    auto* const device = property<cl_device_id>(queue, CL_QUEUE_DEVICE);
    Contexts& all = contexts();
    const std::lock_guard lock(all.mutex);
    auto& list = all.latest_first;
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

} // namespace libsgemm::clblast
