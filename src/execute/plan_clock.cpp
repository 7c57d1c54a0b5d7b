// SPDX-License-Identifier: Apache-2.0
#include "execute/plan_clock.hpp"

#include "device/make.hpp"
#include "device/profiling.hpp"
#include "execute/executor.hpp"

#include <cstddef>

namespace libsgemm::execute {
namespace {

using validate::CanonicalProblem;
using validate::Operand;

/// Elements from the first to one past the last of a batch of blocks with so many columns of
/// `rows`.
std::int64_t extent(const Operand& operand, std::int64_t rows, std::int64_t columns,
                    std::int64_t batch) {
    return (batch - 1) * operand.batch_stride + (columns - 1) * operand.ld + rows;
}

std::int64_t extent_of_a(const CanonicalProblem& p) {
    return p.a.major == validate::Major::mn ? extent(p.a, p.m, p.k, p.batch)
                                            : extent(p.a, p.k, p.m, p.batch);
}

std::int64_t extent_of_b(const CanonicalProblem& p) {
    return p.b.major == validate::Major::mn ? extent(p.b, p.n, p.k, p.batch)
                                            : extent(p.b, p.k, p.n, p.batch);
}

} // namespace

PlanClock::PlanClock(const Runtime& runtime, const CanonicalProblem& problem)
    : runtime_(runtime),
      queue_(device::make_queue(runtime.context.get(), runtime.device, CL_QUEUE_PROFILING_ENABLE)),
      pool_(runtime.context), a_(make_operand(extent_of_a(problem))),
      b_(make_operand(extent_of_b(problem))),
      c_(make_operand(extent(problem.c, problem.m, problem.n, problem.batch))) {}

device::BufferHandle PlanClock::make_operand(std::int64_t elements) const {
    const auto bytes = static_cast<std::size_t>(elements) * sizeof(float);
    cl_int status = CL_SUCCESS;
    device::BufferHandle buffer(
        clCreateBuffer(runtime_.context.get(), CL_MEM_READ_WRITE, bytes, nullptr, &status));
    device::check(status, "clCreateBuffer");
    const float pattern = 0.7071F; // ordinary numbers: denormal ones may be slow
    device::check(clEnqueueFillBuffer(queue_.get(), buffer.get(), &pattern, sizeof pattern, 0,
                                      bytes, 0, nullptr, nullptr),
                  "clEnqueueFillBuffer");
    return buffer;
}

double PlanClock::run(const Ready& ready) {
    const std::vector<cl_event> none;
    const validate::CallArguments call{
        queue_.get(), 1.0F, 0.0F, {{a_.get(), 0}, {b_.get(), 0}, {c_.get(), 0}}, none};
    std::vector<device::EventHandle> events;
    execute::execute(*ready.plan, ready.programs, call, pool_, &events);
    device::check(clFinish(queue_.get()), "clFinish");
    return device::seconds_over(events.front().get(), events.back().get());
}

std::vector<std::vector<double>> PlanClock::time_in_turn(const std::vector<Ready>& ready,
                                                         const std::function<bool()>& is_enough) {
    constexpr int least_rounds = 2;
    constexpr int rounds = 7;
    std::vector<std::vector<double>> seconds(ready.size());
    for (int round = 0; round < rounds; ++round) {
        if (round >= least_rounds && is_enough && is_enough()) {
            break;
        }
        for (std::size_t i = 0; i < ready.size(); ++i) {
            seconds[i].push_back(run(ready[i]));
        }
    }
    return seconds;
}

} // namespace libsgemm::execute
