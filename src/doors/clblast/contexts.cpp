// SPDX-License-Identifier: Apache-2.0
#include "doors/clblast/contexts.hpp"

#include "device/query.hpp"

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <vector>

namespace libsgemm::clblast {
namespace {

constexpr std::size_t most_contexts = 8;

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
    auto* const opencl = device::get<cl_context>(clGetCommandQueueInfo, queue, CL_QUEUE_CONTEXT,
                                                 "clGetCommandQueueInfo");
    auto* const device_id = device::get<cl_device_id>(clGetCommandQueueInfo, queue, CL_QUEUE_DEVICE,
                                                      "clGetCommandQueueInfo");
    Contexts& all = contexts();
    const std::lock_guard lock(all.mutex);
    auto& list = all.latest_first;
    const auto found = std::find_if(list.begin(), list.end(), [&](const Context& context) {
        return context.opencl_context() == opencl && context.opencl_device() == device_id;
    });
    if (found != list.end()) {
        std::rotate(list.begin(), found, found + 1);
    } else {
        list.insert(list.begin(), Context(opencl, device_id));
        list.resize(std::min(list.size(), most_contexts), list.front());
    }
    return list.front();
}

} // namespace libsgemm::clblast
