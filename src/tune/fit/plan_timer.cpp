// SPDX-License-Identifier: Apache-2.0
#include "tune/fit/plan_timer.hpp"

#include "device/make.hpp"
#include "device/profiling.hpp"
#include "execute/executor.hpp"
#include "first_use/first_use.hpp"
#include "judge/operands.hpp"
#include "sgemm/error.hpp"

#include <algorithm>
#include <chrono>

namespace libsgemm::tune {

PlanTimer::PlanTimer(const DeviceHandle& device)
    : traits_(device.traits), device_(device.device), log_(support::make_log({})),
      context_(device::make_context(device)),
      queue_(device::make_queue(context_.get(), device.device, CL_QUEUE_PROFILING_ENABLE)),
      programs_(context_, device.device, traits_, log_), pool_(context_) {}

void PlanTimer::require(const judge::Shape& shape) {
    grow(a_, shape.elements_a());
    grow(b_, shape.elements_b());
    grow(c_, shape.elements_c());
}

/// Random contents: a device that multiplies zeros takes less power and runs at higher clocks.
void PlanTimer::grow(Buffer& buffer, std::int64_t elements) {
    if (elements <= buffer.elements) {
        return;
    }
    buffer = {};
    const auto bytes = static_cast<std::size_t>(elements) * sizeof(float);
    cl_int status = CL_SUCCESS;
    device::BufferHandle handle(
        clCreateBuffer(context_.get(), CL_MEM_READ_WRITE, bytes, nullptr, &status));
    device::check(status, "clCreateBuffer");
    constexpr std::size_t most = std::size_t{1} << 22;
    std::vector<float> values;
    judge::extend(values, std::min(most, static_cast<std::size_t>(elements)), 1);
    for (std::size_t begin = 0; begin < bytes; begin += most * sizeof(float)) {
        device::check(clEnqueueWriteBuffer(queue_.get(), handle.get(), CL_TRUE, begin,
                                           std::min(most * sizeof(float), bytes - begin),
                                           values.data(), 0, nullptr, nullptr),
                      "clEnqueueWriteBuffer");
    }
    buffer = {std::move(handle), elements};
}

BuiltPlan PlanTimer::build(const planning::PlanValue& plan) {
    BuiltPlan built{plan, {}};
    for (const planning::Step& step : plan.steps) {
        built.programs.push_back(programs_.get(step.build));
        if (!built.programs.back()->allows_work_group(step.range.local, device_)) {
            throw BuildError(step.build.name, "its registers do not allow its work-groups");
        }
    }
    return built;
}

RunTime PlanTimer::run(const BuiltPlan& built) {
    const std::vector<cl_event> none;
    const validate::CallArguments call{
        queue_.get(),
        1.0F,
        0.0F,
        {{a_.handle.get(), 0}, {b_.handle.get(), 0}, {c_.handle.get(), 0}},
        none};
    std::vector<device::EventHandle> events;
    const auto start = std::chrono::steady_clock::now();
    execute::execute(built.plan, built.programs, call, pool_, &events);
    device::check(clFinish(queue_.get()), "clFinish");
    RunTime time;
    time.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    time.device = device::seconds_over(events.front().get(), events.back().get());
    return time;
}

tables::MachineModel PlanTimer::probe(const tables::MachineModel& machine) {
    return first_use::probe(
        {context_, device_, traits_, programs_, log_},
        [this](const planning::PlanValue& plan) { return build(plan).programs; }, machine);
}

} // namespace libsgemm::tune
